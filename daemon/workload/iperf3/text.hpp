// SPDX-License-Identifier: GPL-2.0-or-later
// What iperf3 prints for people, as the same values that its JSON has. They are rounded there to three or
// four digits, and most options are missing unless it was verbose (-V).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

// One test of a text.
struct TextTest {
  Iperf3Document document;
  std::vector<QualityFlag> flags;  // on what such a text does not tell
  std::string text;                // its lines, with those at the text's begin that tell the version
  std::size_t first_line = 1, last_line = 1;
};

// Passes each test to `take`, in their order; one that is there several times only once. invalid_argument
// with the line if there is none, or if one has no end, more rows than a run may have, or the lines of two
// tests mixed. An error of `take` ends it.
[[nodiscard]] Status read_text_tests(std::string_view bytes, const std::function<Status(TextTest)>& take);

}  // namespace netperfd::workload
