// Parts of error messages about words that people typed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace netperfd {

// `text` in quotation marks for a message: control characters escaped, and shortened where it is long.
[[nodiscard]] std::string in_quotes(std::string_view text);

// The candidate that a typing mistake of `word` most likely meant; nothing where none is near.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

}  // namespace netperfd
