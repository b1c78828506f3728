// SPDX-License-Identifier: GPL-2.0-or-later
// The command line of netperfd-echo.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/echo/request_tracker.hpp"

namespace netperfd::echo {

inline constexpr std::uint16_t kDefaultPort = 5202;
inline constexpr std::size_t kMostProbes = 8;

// The value of kEchoSessionVariable. Absent: no such text, or none at all.
[[nodiscard]] std::optional<std::uint64_t> parse_session(const char* text);

enum class Protocol : std::uint8_t { udp, tcp, icmp };
[[nodiscard]] std::string_view protocol_name(Protocol protocol);

struct ProbeSpec {
  Protocol protocol = Protocol::udp;
  double rate = 10;  // requests per second
  std::size_t length = 64;
  std::optional<int> dscp;

  bool operator==(const ProbeSpec&) const = default;
};

struct ServeOptions {
  std::string bind;  // empty: all addresses
  std::uint16_t port = kDefaultPort;
  std::optional<std::uint64_t> session = std::nullopt;
};

struct ProbeOptions {
  std::string to;
  std::uint16_t port = kDefaultPort;
  std::string bind;
  int family = 0;  // 4, 6, or 0 for either
  TrackerLimits limits;
  std::optional<Ns> duration;
  std::vector<ProbeSpec> probes;
  std::optional<std::uint64_t> session = std::nullopt;
};

struct Help {};
struct Version {};
using Options = std::variant<ServeOptions, ProbeOptions, Help, Version>;

[[nodiscard]] Result<Options> parse_options(std::span<const std::string_view> arguments);

struct OptionText {
  std::string_view name;   // "to"
  std::string_view value;  // "HOST", or empty
  std::string_view about;
};
// For the help and netperfd-echo(1).
[[nodiscard]] std::span<const OptionText> serve_option_texts();
[[nodiscard]] std::span<const OptionText> probe_option_texts();
[[nodiscard]] std::string usage();

}  // namespace netperfd::echo
