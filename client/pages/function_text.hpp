// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a run's page about the traced functions (trace_text.cpp and show_text.cpp insert it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// "73 functions traced, 20 of hsr called"
[[nodiscard]] std::string functions_words(const ShowView& view);
// The builds of the kernel and of the modules.
[[nodiscard]] std::string builds_part(const Screen& screen, const ProfileDetails& details);
// The functions, the first few or all, and an explanation of their figures.
[[nodiscard]] std::string functions_part(const Screen& screen, const ShowView& view);
// Further parts that the caller requested: the call tree, callers.
[[nodiscard]] std::string function_tables(const Screen& screen, const ShowView& view);

// The names of functions on this page, in at most `columns`, with the module if there are several.
class FunctionNames {
 public:
  FunctionNames(const Screen& screen, const ProfileDetails& details, std::size_t columns);
  [[nodiscard]] std::string operator()(std::string_view function, const std::optional<std::string>& module,
                                       const std::optional<std::uint32_t>& duplicate) const;

 private:
  Screen screen_;
  std::size_t columns_;
  bool with_module_;
};

}  // namespace netperfctl::show
