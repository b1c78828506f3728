// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/name_wait.hpp"

#include <sys/types.h>
#include <systemd/sd-bus.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string_view>

#include "daemon/bus/access/bus_driver.hpp"
#include "dbus/asking_bus.hpp"

namespace netperfd::bus {
namespace {

struct Watched {
  std::string_view name;
  bool is_free = false;
};

int on_owner_changed(sd_bus_message* message, void* to, sd_bus_error* /*error*/) {
  auto& watched = *static_cast<Watched*>(to);
  const char *name = nullptr, *before = nullptr, *after = nullptr;
  if (sd_bus_message_read(message, "sss", &name, &before, &after) < 0) return 0;
  if (watched.name == name && *after == '\0') watched.is_free = true;
  return 0;
}

// Also if nobody has the name.
bool is_held_by_living(sd_bus* bus, const char* name) {
  sd_bus_creds* creds = nullptr;
  if (sd_bus_get_name_creds(bus, name, SD_BUS_CREDS_PID, &creds) < 0) return true;
  const std::unique_ptr<sd_bus_creds, sd_bus_creds* (*)(sd_bus_creds*)> owner(creds, sd_bus_creds_unref);
  pid_t pid = 0;
  return sd_bus_creds_get_pid(creds, &pid) < 0 || ::kill(pid, 0) == 0 || errno != ESRCH;
}

}  // namespace

// On a connection of its own, so that no call is answered meanwhile.
void wait_for_name_of_dead(const char* name, std::chrono::milliseconds patience) {
  Watched watched{.name = name};
  dbus::AskingBus bus;
  if (bus.open() < 0) return;
  sd_bus* const raw = bus.get();
  if (sd_bus_match_signal(raw, nullptr, kBusService, kBusPath, kBusService, "NameOwnerChanged",
                          on_owner_changed, &watched) < 0 ||
      is_held_by_living(raw, name)) {
    return;
  }
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!watched.is_free) {
    const int processed = sd_bus_process(raw, nullptr);
    if (processed < 0) return;
    if (processed > 0) continue;
    const auto left =
        std::chrono::ceil<std::chrono::microseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0 || sd_bus_wait(raw, static_cast<std::uint64_t>(left)) < 0) return;
  }
}

}  // namespace netperfd::bus
