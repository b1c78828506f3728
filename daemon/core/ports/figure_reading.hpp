// SPDX-License-Identifier: GPL-2.0-or-later
// The core's port to what a run's commands wrote. It is read in a child without privileges, as iperf3's
// output is (report_reading.hpp).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/command_spec.hpp"

namespace netperfd::core {

// One document of a run, as it was written.
struct FigureText {
  std::string name;  // as DeclaredFigure::document
  std::string_view bytes;
};

class FigureReading {
 public:
  virtual ~FigureReading() = default;
  // The values of the figures, in their order. not_found with a sentence if one of them is not in its text,
  // or no number.
  using Values = Result<std::vector<double>>;
  using Done = std::function<void(Values)>;
  // Reads the texts in bounded memory and time, and calls `done` once, later and from the loop. The texts are
  // used only within this call. Destroying the result ends the reading and drops `done`, even from inside it.
  [[nodiscard]] virtual Result<std::shared_ptr<void>> read_figures(const std::vector<DeclaredFigure>& figures,
                                                                   const std::vector<FigureText>& texts,
                                                                   Done done) = 0;
};

}  // namespace netperfd::core
