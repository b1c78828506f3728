// SPDX-License-Identifier: GPL-2.0-or-later
// Names of users. The daemon knows uids only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/base/outcome.hpp"

namespace netperfctl {

// Of a name, or of a number that need not have one.
[[nodiscard]] std::optional<std::uint32_t> uid_of(const std::string& user);
// Absent: this machine knows none.
[[nodiscard]] std::optional<std::string> user_name(std::uint32_t uid);

// The owner of runs as the daemon takes it: a uid, `me` or `any`. `option` begins the error.
[[nodiscard]] Outcome<std::string> owner_for_the_daemon(std::string_view option, const std::string& owner);
// What owner_for_the_daemon() makes this uid of: its name, or the number if the name would not do.
[[nodiscard]] std::string owner_word(std::uint32_t uid);
// A message of the daemon with owner_word() in each owner:UID.
[[nodiscard]] std::string with_owner_words(std::string_view message);

}  // namespace netperfctl
