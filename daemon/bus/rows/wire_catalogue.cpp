// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/rows/wire_catalogue.hpp"

#include "daemon/bus/rows/row_maker.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "dbus/rows/catalogue.hpp"

namespace netperfd::bus {

Row capability_row(const core::Capability& capability) {
  rows::Capability row;
  row.name = capability.name;
  row.ability = to_string(capability.ability);
  row.detail = capability.detail;
  row.advice = if_any(capability.advice);
  return to_wire(row);
}

Row module_row(const core::ModuleRow& module) {
  rows::Module row;
  row.name = module.name;
  row.loaded = module.loaded;
  row.built_in = module.built_in;
  row.functions = module.functions;
  row.hint = if_any(module.hint);
  return to_wire(row);
}

Row function_row(const core::FunctionRow& function) {
  rows::Function row;
  row.name = function.name;
  row.module = if_any(function.module);
  return to_wire(row);
}

Row event_row(const core::EventDetails& event, bool allowed) {
  rows::Event row;
  row.name = event.name;
  row.id = event.id;
  row.print = event.print;
  row.allowed = allowed;
  return to_wire(row);
}

Row event_field_row(const core::EventFieldRow& field) {
  rows::EventField row;
  row.name = field.name;
  row.type = field.type;
  row.offset = field.offset;
  row.size = field.size;
  row.is_signed = field.is_signed;
  row.values = field.values;
  return to_wire(row);
}

Row tracer_row(const core::TracerRow& tracer) {
  rows::Tracer row;
  row.name = tracer.name;
  row.current = tracer.current;
  return to_wire(row);
}

}  // namespace netperfd::bus
