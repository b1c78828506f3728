// SPDX-License-Identifier: GPL-2.0-or-later
// Encodes what the daemon and the process that reads the output of commands tell each other, as
// report_bytes.hpp does for iperf3's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/model/command_spec.hpp"

namespace netperfd::reading {

struct FigureOrder {
  std::vector<DeclaredFigure> figures;
  std::vector<core::FigureText> texts;  // within the bytes that the order was read from
};

// Everything but the texts themselves, which follow these bytes one after the other.
[[nodiscard]] std::string to_bytes(const std::vector<DeclaredFigure>& figures,
                                   const std::vector<core::FigureText>& texts);
[[nodiscard]] Result<FigureOrder> figure_order_from_bytes(std::string_view bytes);

[[nodiscard]] std::string to_bytes(const std::vector<double>& values);
inline constexpr std::size_t kMostValueBytes = 4096;
// Decodes untrusted bytes: `count` finite values. invalid_argument otherwise.
[[nodiscard]] Result<std::vector<double>> values_from_bytes(std::string_view bytes, std::size_t count);

}  // namespace netperfd::reading
