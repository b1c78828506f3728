// SPDX-License-Identifier: GPL-2.0-or-later
// The capabilities of Linux by the names of capabilities(7), without CAP_.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd {

[[nodiscard]] std::optional<unsigned> number_of_capability(std::string_view name);
// One bit for each. All names must be known.
[[nodiscard]] std::uint64_t mask_of_capabilities(const std::vector<std::string>& names);

}  // namespace netperfd
