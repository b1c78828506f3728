// SPDX-License-Identifier: GPL-2.0-or-later
// What differs between two readings of a run's document.
#pragma once

#include <string>
#include <vector>

#include "daemon/core/ports/reread_store.hpp"

namespace netperfd::import {

struct Change {
  std::string figure;         // "sum send received_bytes", "interval send stream 5 from 3: rtt", "flag trend"
  std::string before, after;  // "unknown" for a value that is not known, "none" for a row that is not there
};

// Empty exactly if storing `now` in place of `stored` would change nothing. Rows are compared with those of
// the same direction, stream and time, so a row that is missing is one change.
[[nodiscard]] std::vector<Change> changes_between(const core::RunReading& stored,
                                                  const core::RunReading& now);

}  // namespace netperfd::import
