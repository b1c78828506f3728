// SPDX-License-Identifier: GPL-2.0-or-later
// What a figure may be that a workload or a scenario brings.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "daemon/model/named_figure.hpp"

namespace netperfd {

inline constexpr std::size_t kMostNamedFigures = 64;        // of a run
inline constexpr std::size_t kLongestNamedFigureUnit = 32;  // bytes of its unit, one printable line

// What is wrong with the figures of a run; empty: nothing. Their names are those of is_own_figure().
[[nodiscard]] std::string problem_of(std::span<const NamedFigure> figures);

}  // namespace netperfd
