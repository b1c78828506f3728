// SPDX-License-Identifier: GPL-2.0-or-later
// Suggests existing names for one that does not exist.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd {

inline constexpr std::size_t kNearestNames = 5;

// At most kNearestNames of `candidates`, the nearest first, each once. First comes the same name with or
// without a compiler's suffix (.isra.0, .constprop.0, .part.0, .cold); the others are sorted by the number of
// letters that differ. A name that begins with `wanted` counts as three letters away. Empty if nothing is
// close.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view wanted,
                                                     std::span<const std::string_view> candidates);

// The end of a sentence: "; the nearest are a, b", or empty if `names` is empty.
[[nodiscard]] std::string nearest_clause(const std::vector<std::string>& names);

// Whether `pattern` has *, ? or [, so that it may match several names.
[[nodiscard]] bool has_wildcards(std::string_view pattern);

}  // namespace netperfd
