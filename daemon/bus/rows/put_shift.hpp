// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "daemon/model/comparison.hpp"

namespace netperfd::bus {

template <class Row>  // rows::FunctionDelta or rows::CounterChange
void put_shift(Row& row, const ShiftEstimate& estimate) {
  row.shift = estimate.shift;
  row.low = estimate.low;
  row.high = estimate.high;
  if (estimate.low || estimate.high) row.level = estimate.level;
  row.p = estimate.p;
  row.q = estimate.q;
}

}  // namespace netperfd::bus
