#include "daemon/bus/wire_catalogue.hpp"

#include "daemon/bus/row_maker.hpp"
#include "daemon/bus/wire_text.hpp"

namespace netperfd::bus {

WireRow capability_row(const core::Capability& capability) {
  RowMaker row;
  row.put("name", capability.name);
  row.put("ability", to_string(capability.ability));
  row.put("detail", capability.detail);
  row.put_if_any("advice", capability.advice);
  return row.take();
}

WireRow module_row(const core::ModuleRow& module) {
  RowMaker row;
  row.put("name", module.name);
  row.put("loaded", module.loaded);
  row.put("built_in", module.built_in);
  row.put("functions", module.functions);
  row.put_if_any("hint", module.hint);
  return row.take();
}

WireRow function_row(const core::FunctionRow& function) {
  RowMaker row;
  row.put("name", function.name);
  row.put_if_any("module", function.module);
  return row.take();
}

WireRow event_row(const core::EventDetails& event) {
  RowMaker row;
  row.put("name", event.name);
  row.put("id", event.id);
  row.put("print", event.print, kLongTextBytes);
  return row.take();
}

WireRow event_field_row(const core::EventFieldRow& field) {
  RowMaker row;
  row.put("name", field.name);
  row.put("type", field.type);
  row.put("offset", field.offset);
  row.put("size", field.size);
  row.put("signed", field.is_signed);
  row.put("values", field.values);
  return row.take();
}

WireRow tracer_row(const core::TracerRow& tracer) {
  RowMaker row;
  row.put("name", tracer.name);
  row.put("current", tracer.current);
  return row.take();
}

}  // namespace netperfd::bus
