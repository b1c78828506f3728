// SPDX-License-Identifier: GPL-2.0-or-later
// Replaces the store of the daemon by files that are a store, or nearly one, and puts it back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/fuzz/dbus/calls.hpp"
#include "tests/fuzz/dbus/descriptors.hpp"
#include "tests/fuzz/dbus/random.hpp"
#include "tests/system/harness/lab.hpp"

namespace netperfd::bus_fuzz {

class Stores {
 public:
  // `root` restores. No job may run or wait.
  Stores(const system_test::Lab& lab, const Caller& root, Random& random, Descriptors& descriptors);

  // Takes the backup that is put back. Its run `recorded` has a recording, too.
  void begin(std::uint64_t recorded);
  // Passes so many files to RestoreStore and puts the backup back. What is not as it must be becomes a
  // finding.
  void fuzz(Calls& calls, std::uint64_t times, std::vector<std::string>& findings);

 private:
  [[nodiscard]] std::string read_backup() const;
  // The name and text of an error; empty if there was none.
  [[nodiscard]] std::string put_back() const;
  [[nodiscard]] std::string content() const;
  void leave_while_it_waits();

  const system_test::Lab& lab_;
  const Caller& root_;
  Random& random_;
  Descriptors& descriptors_;
  std::string backup_;
  std::string content_;         // of it
  std::vector<Fd> other_ends_;  // of pipes from which nothing ever comes
};

}  // namespace netperfd::bus_fuzz
