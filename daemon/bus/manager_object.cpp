// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/manager_object.hpp"

#include <string_view>

#include "daemon/bus/call/method.hpp"
#include "daemon/bus/rows/wire_text.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

ManagerObject::ManagerObject(sdbus::IConnection& connection, const ManagerPorts& ports,
                             ServiceSettings settings)
    : ports_(ports),
      settings_(std::move(settings)),
      object_(sdbus::createObject(connection, sdbus::ObjectPath{dbus::kManagerPath})),
      interface_(*object_, dbus::kManagerInterface) {
  add_methods(interface_, dbus::kManagerInterface, *this);
  interface_.signal<std::uint64_t, std::uint64_t, std::string, std::string>("RunEnded",
                                                                            {"run", "job", "state", "error"});
  interface_.signal<std::uint64_t, std::uint64_t>("RunDeleted", {"run", "job"});
  using sdbus::Flags;
  interface_.property("Version", Flags::CONST_PROPERTY_VALUE, [this] { return settings_.version; });
  interface_.property("Iperf3Version", Flags::CONST_PROPERTY_VALUE,
                      [this] { return settings_.iperf3_version; });
  // From one source or the other.
  interface_.property("LiveIntervals", Flags::CONST_PROPERTY_VALUE, [] { return true; });
  interface_.property("LiveSource", Flags::CONST_PROPERTY_VALUE,
                      [this] { return std::string{settings_.iperf3_intervals ? "iperf3" : "tcp_info"}; });
  interface_.property("AuthorizedGroup", Flags::EMITS_NO_SIGNAL,
                      [this] { return wire_text(ports_.authorization.group_name(), kShortTextBytes); });
  object_->addObjectManager();
  interface_.announce();
}

void ManagerObject::run_ended(RunId run, JobId job, RunState state, const std::string& error) {
  interface_.emit("RunEnded", static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(job),
                  std::string{to_string(state)}, wire_text(error, kLongTextBytes));
}

void ManagerObject::run_deleted(RunId run, JobId job) {
  interface_.emit("RunDeleted", static_cast<std::uint64_t>(run), static_cast<std::uint64_t>(job));
}

void add_methods(dbus::Interface& interface, const char* name, ManagerObject& manager) {
  for (const Method& method : method_table()) {
    if (std::string_view{method.interface} != name) continue;
    interface.method(method.name, method.takes, method.takes_names, method.gives, method.gives_names,
                     [&manager, &method](sdbus::MethodCall message) {
                       manager.tasks().start(method.serve(manager, method, std::move(message)));
                     });
  }
}

}  // namespace netperfd::bus
