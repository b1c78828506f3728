// SPDX-License-Identifier: GPL-2.0-or-later
// Random values of a D-Bus signature: mostly what a method expects and the edges of it, sometimes nonsense.
#pragma once

#include <systemd/sd-bus.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/fuzz/dbus/descriptors.hpp"
#include "tests/fuzz/dbus/random.hpp"

namespace netperfd::bus_fuzz {

// Numbers and texts that mean something to the daemon that is called.
struct Known {
  std::vector<std::uint64_t> numbers;  // of jobs and runs
  std::vector<std::string> texts;
};

// What was appended beside plain values.
struct Appended {
  std::vector<std::string> descriptors;  // what each is
  std::vector<Fd> other_ends;            // see Descriptor
};

class Values {
 public:
  Values(Random& random, Descriptors& descriptors, Known known)
      : random_(random), descriptors_(descriptors), known_(std::move(known)) {}

  // A complete type, or several one after the other.
  [[nodiscard]] std::string signature();
  // Appends a value for each complete type of the signature.
  Appended append(sd_bus_message* message, std::string_view signature);
  // Files and names (ahas), as ImportRun takes them: mostly as many of these as of those.
  Appended append_files(sd_bus_message* message);
  // An option or filter with its type.
  [[nodiscard]] std::pair<std::string, std::string> option();
  [[nodiscard]] std::string text();

 private:
  void append_number(sd_bus_message* message, char type);
  void append_text(sd_bus_message* message, char type);
  void append_descriptor(sd_bus_message* message, Descriptor descriptor);
  void append_container(sd_bus_message* message, std::string_view type, unsigned depth);
  void append_list(sd_bus_message* message, std::string_view element, unsigned depth);
  void append_one(sd_bus_message* message, std::string_view type, unsigned depth);
  // An entry of a{sv}: an option or filter with its type, mostly.
  void append_option(sd_bus_message* message, unsigned depth);

  Random& random_;
  Descriptors& descriptors_;
  Known known_;
  Appended appended_;  // to the message
};

// The length of the first complete type of a signature.
[[nodiscard]] std::size_t length_of_first(std::string_view signature);

}  // namespace netperfd::bus_fuzz
