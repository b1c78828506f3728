// Pages of a long listing: their size, and the cursor that leads from one to the next.
#pragma once

#include <cstdint>
#include <string>

#include "daemon/base/error.hpp"

namespace netperfd::store {

// What was asked for, between 1 and `most`; 0 asks for the most.
[[nodiscard]] std::uint32_t page_size(std::uint32_t asked, std::uint32_t most);

// A cursor is the last key of its page behind the letter of its listing, so that one of another listing is
// refused. Keys are not negative.
[[nodiscard]] std::string make_cursor(char listing, std::int64_t key);
// `first` for an empty cursor; invalid_argument for one that make_cursor() did not make.
[[nodiscard]] Result<std::int64_t> parse_cursor(const std::string& cursor, char listing, std::int64_t first);

}  // namespace netperfd::store
