// SPDX-License-Identifier: GPL-2.0-or-later
// The text of a note that outlives the daemon, and the check of its file: root runs the commands in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"

namespace netperfd::command {

// Longest note, in bytes.
inline constexpr std::size_t kLongestNote = std::size_t{1} << 20;

// Fields that each end with a NUL, which no argument of a command can hold. An unterminated last one is left
// out.
[[nodiscard]] std::vector<std::string> fields_of(std::string_view text);
[[nodiscard]] std::string text_of_fields(const std::vector<std::string>& fields);
[[nodiscard]] std::optional<std::int64_t> number_of(const std::string& field);

// access_denied if somebody else could have written the file.
[[nodiscard]] Status check_owner(const Fd& file, const std::string& path);

}  // namespace netperfd::command
