#include "daemon/bus/wire_fingerprint.hpp"

#include "daemon/bus/row_maker.hpp"

namespace netperfd::bus {

WireRow fact_row(const Fact& fact) {
  RowMaker row;
  row.put("group", fact.group);
  row.put("key", fact.key);
  row.put("value", fact.value);
  return row.take();
}

}  // namespace netperfd::bus
