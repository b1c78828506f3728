// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_fingerprint.hpp"

#include "daemon/bus/rows/row_maker.hpp"
#include "dbus/rows/counters.hpp"

namespace netperfd::bus {

Row fact_row(const Fact& fact) {
  rows::Fact row;
  row.group = fact.group;
  row.key = fact.key;
  row.value = fact.value;
  return to_wire(row);
}

}  // namespace netperfd::bus
