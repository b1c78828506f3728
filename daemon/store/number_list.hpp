// Lists of counts as JSON arrays, which is how SQL can take them apart (json_each). Own code rather than a
// JSON library: a profile holds millions of these numbers, and nothing else of JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"

namespace netperfd::store {

using NumberPairs = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

// "[3,0,17]" and "[[3,17],[40,2]]", in place of what `text` held. A number above 63 bits, which SQL would
// read as an inexact one, is refused (invalid_argument).
[[nodiscard]] Status write_numbers(const std::vector<std::uint64_t>& numbers, std::string& text);
[[nodiscard]] Status write_pairs(const NumberPairs& pairs, std::string& text);

// Only what the two above write; all else is damaged (io).
[[nodiscard]] Result<std::vector<std::uint64_t>> read_numbers(std::string_view text);
[[nodiscard]] Result<NumberPairs> read_pairs(std::string_view text);

}  // namespace netperfd::store
