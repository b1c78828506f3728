// SPDX-License-Identifier: GPL-2.0-or-later
// How large a message may be. What is larger is refused before anything is made of it.
#pragma once

#include <systemd/sd-bus.h>

#include <cstddef>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::bus {

// Of a message that is no call: the answers of polkit, and what strangers send.
inline constexpr std::size_t kMostAnswerBytes = std::size_t{16} * 1024;

// Of a call, unless its sender is known to have a right to something that needs more.
inline constexpr std::size_t kMostUntrustedBytes = std::size_t{256} * 1024;

// Maximum number of bytes of a call, with its header. An empty interface stands for any of ours.
[[nodiscard]] std::size_t most_message_bytes(std::string_view interface, std::string_view member);
// Maximum number of elements that all lists and dictionaries of its arguments have together.
[[nodiscard]] std::size_t most_entries(std::string_view interface, std::string_view member);

// invalid_argument if the message has more entries, or is nested more deeply than any argument of ours. Reads
// it without keeping anything, and leaves it at its beginning.
[[nodiscard]] Status expect_few_entries(sd_bus_message* message, std::size_t most);

}  // namespace netperfd::bus
