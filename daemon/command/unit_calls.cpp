// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/unit_calls.hpp"

#include <cstdlib>
#include <memory>
#include <string_view>

namespace netperfd::command {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// Path, arguments, whether a failure is ignored, four times, PID, code and status of each command.
int read_commands(sd_bus_message* message, ProcessExit& last) {
  int r = sd_bus_message_enter_container(message, 'v', "a(sasbttttuii)");
  if (r >= 0) r = sd_bus_message_enter_container(message, 'a', "(sasbttttuii)");
  while (r >= 0 && (r = sd_bus_message_enter_container(message, 'r', "sasbttttuii")) > 0) {
    r = sd_bus_message_skip(message, "sasbttttu");
    if (r >= 0) r = sd_bus_message_read(message, "ii", &last.code, &last.status);
    if (r >= 0) r = sd_bus_message_exit_container(message);
  }
  if (r >= 0) r = sd_bus_message_exit_container(message);
  return r >= 0 ? sd_bus_message_exit_container(message) : r;
}

}  // namespace

Status start_unit(sd_bus* bus, Slot& slot, const std::string& name,
                  const std::vector<UnitProperty>& properties, sd_bus_message_handler_t answer, void* data) {
  sd_bus_message* raw = nullptr;
  int r = sd_bus_message_new_method_call(bus, &raw, kService, kPath, kManager, "StartTransientUnit");
  const Message message{raw};
  if (r >= 0) r = sd_bus_message_append(raw, "ss", name.c_str(), "replace");
  if (r >= 0) r = append_properties(raw, properties);
  if (r >= 0) r = sd_bus_message_append(raw, "a(sa(sv))", 0);
  sd_bus_slot* made = nullptr;
  if (r >= 0) r = sd_bus_call_async(bus, &made, raw, answer, data, 0);
  if (r < 0) return fail_errno("StartTransientUnit", -r);
  slot.reset(made);
  return {};
}

void tell(sd_bus* bus, const char* method, const std::vector<std::string>& words) {
  sd_bus_message* raw = nullptr;
  if (sd_bus_message_new_method_call(bus, &raw, kService, kPath, kManager, method) < 0) return;
  const Message message{raw};
  for (const std::string& word : words) {
    if (sd_bus_message_append(raw, "s", word.c_str()) < 0) return;
  }
  (void)sd_bus_message_set_expect_reply(raw, 0);
  (void)sd_bus_send(bus, raw, nullptr);
}

int ask_service(sd_bus* bus, Slot& slot, const std::string& unit, sd_bus_message_handler_t answer,
                void* data) {
  char* path = nullptr;
  int r = sd_bus_path_encode("/org/freedesktop/systemd1/unit", unit.c_str(), &path);
  const std::unique_ptr<char, Free> owned{path};
  sd_bus_slot* made = nullptr;
  if (r >= 0) {
    r = sd_bus_call_method_async(bus, &made, kService, path, "org.freedesktop.DBus.Properties", "GetAll",
                                 answer, data, "s", "org.freedesktop.systemd1.Service");
  }
  if (r >= 0) slot.reset(made);
  return r;
}

int read_report(sd_bus_message* answer, UnitReport& report) {
  int r = sd_bus_message_enter_container(answer, 'a', "{sv}");
  while (r >= 0 && (r = sd_bus_message_enter_container(answer, 'e', "sv")) > 0) {
    const char* name = nullptr;
    r = sd_bus_message_read(answer, "s", &name);
    if (r < 0) return r;
    const std::string_view key{name};
    if (key == "Result") {
      const char* result = nullptr;
      r = sd_bus_message_read(answer, "v", "s", &result);
      if (r >= 0) report.result = result;
    } else if (key == "ExecMainCode") {
      r = sd_bus_message_read(answer, "v", "i", &report.main.code);
    } else if (key == "ExecMainStatus") {
      r = sd_bus_message_read(answer, "v", "i", &report.main.status);
    } else if (key == "ExecStopPost") {
      r = read_commands(answer, report.stop_post);
    } else {
      r = sd_bus_message_skip(answer, "v");
    }
    if (r >= 0) r = sd_bus_message_exit_container(answer);
  }
  return r;
}

}  // namespace netperfd::command
