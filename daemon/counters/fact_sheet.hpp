// SPDX-License-Identifier: GPL-2.0-or-later
// Collects the facts of one fingerprint while they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/fingerprint.hpp"

namespace netperfd::counters {

// Limits of one fingerprint, so that no machine can make it larger than the store and the bus expect.
inline constexpr std::size_t kMostFacts = 3000;
inline constexpr std::size_t kMostValueBytes = 1000;
inline constexpr std::size_t kMostFactBytes = std::size_t{512}
                                              << 10;  // of all texts, plus kBytesOfFact for each fact
inline constexpr std::size_t kBytesOfFact = 128;
inline constexpr std::size_t kMostUnknown = 100;

// The directories that a machine is read from; tests use others.
struct SystemRoots {
  std::string proc = "/proc";
  std::string sys = "/sys";
};

// A small file of /proc or /sys without blanks and line feeds around it, or errno. Reads only the first 64
// KiB.
[[nodiscard]] std::expected<std::string, int> read_text(const std::string& path);

// The names in a directory, sorted; empty if it cannot be read.
[[nodiscard]] std::vector<std::string> names_in(const std::string& directory);

// The last component of a link's target: "driver" -> "virtio_net". Empty if it is not a link.
[[nodiscard]] std::string link_target(const std::string& path);

// Combines the values of several parts into one text: the value alone if all have the same, otherwise each
// value with the parts that have it, in order: "0 (rx-0 rx-1), 3 (rx-2)".
[[nodiscard]] std::string collapsed(const std::vector<std::pair<std::string, std::string>>& values);

// FNV-1a: the same on every host and in every build.
[[nodiscard]] std::uint64_t digest_of(std::string_view bytes);

class FactSheet {
 public:
  // The value becomes one printable line; a value longer than kMostValueBytes ends in a digest of the whole.
  void add(std::string_view group, std::string_view key, std::string_view value);
  // Adds the text of a file. A file that does not exist, or reports that it does not apply, gives no fact;
  // one that may not be read or fails otherwise is unknown. Returns whether there is a fact.
  bool add_file(std::string_view group, std::string_view key, const std::string& path);
  void add_unknown(std::string_view clause);
  void add_unknown(std::string_view group, std::string_view what, int error_number);

  // Everything in order, each key once. Facts beyond kMostFacts or kMostFactBytes are mentioned in `unknown`.
  [[nodiscard]] Fingerprint take(std::string boot_id);

 private:
  void leave_out_from(std::size_t kept);

  Fingerprint found_;
};

}  // namespace netperfd::counters
