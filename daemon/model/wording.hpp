// Parts of error messages about words that users typed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace netperfd {

// `text` in quotation marks for a message: control characters are escaped, and a long text is shortened.
[[nodiscard]] std::string in_quotes(std::string_view text);

// The candidate most likely meant by the misspelt `word`; absent if none is close.
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word,
                                                      std::span<const std::string_view> candidates);

}  // namespace netperfd
