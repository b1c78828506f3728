// SPDX-License-Identifier: GPL-2.0-or-later
// Lists of counts as JSON arrays, which SQL can take apart (json_each). It is our own code instead of a JSON
// library because a profile holds millions of these numbers and needs nothing else of JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"

namespace netperfd::store {

using NumberPairs = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

// Replaces `text` with "[3,0,17]" or "[[3,17],[40,2]]". A number above 63 bits, which SQL would read
// inexactly, is refused (invalid_argument).
[[nodiscard]] Status write_numbers(const std::vector<std::uint64_t>& numbers, std::string& text);
[[nodiscard]] Status write_pairs(const NumberPairs& pairs, std::string& text);

// Accepts only the output of the two functions above; everything else is damaged (io).
[[nodiscard]] Result<std::vector<std::uint64_t>> read_numbers(std::string_view text);
[[nodiscard]] Result<NumberPairs> read_pairs(std::string_view text);
// The buckets of a histogram: by number, none twice or beyond the last one that a value has, and none empty.
[[nodiscard]] Result<NumberPairs> read_buckets(std::string_view text);

}  // namespace netperfd::store
