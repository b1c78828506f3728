// Which names somebody may have meant by one that does not exist.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd::trace {

inline constexpr std::size_t kNearestNames = 5;

// At most kNearestNames of `candidates`, the nearest first, none twice: first the same name with or without a
// suffix that compilers add (.isra.0, .constprop.0, .part.0, .cold), then by the number of letters that
// differ; a name that begins with `wanted` counts as three letters away. Empty where nothing is near.
[[nodiscard]] std::vector<std::string> nearest_names(std::string_view wanted,
                                                     std::span<const std::string_view> candidates);

// A sentence's end: "; the nearest are a, b" or nothing where `names` is empty.
[[nodiscard]] std::string nearest_clause(const std::vector<std::string>& names);

// Whether `pattern` has *, ? or [, so that it may fit several names.
[[nodiscard]] bool has_wildcards(std::string_view pattern);

}  // namespace netperfd::trace
