// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/asking_bus.hpp"

#include <cstdlib>

#include "dbus/names.hpp"

namespace netperfd::dbus {

// As sd_bus_open_system() does it, which agrees to descriptors.
int AskingBus::open() {
  const char* const other = ::secure_getenv("DBUS_SYSTEM_BUS_ADDRESS");
  sd_bus* made = nullptr;
  int r = sd_bus_new(&made);
  if (r < 0) return r;
  bus_.reset(made);
  r = sd_bus_set_address(made, other != nullptr ? other : "unix:path=/run/dbus/system_bus_socket");
  if (r >= 0) r = sd_bus_set_bus_client(made, 1);
  if (r >= 0) r = sd_bus_negotiate_fds(made, 0);
  if (r >= 0) r = sd_bus_start(made);
  const char* name = nullptr;  // which the greeting tells, so that the guard begins between two messages
  if (r >= 0) r = sd_bus_get_unique_name(made, &name);
  if (r < 0) return r;
  guard_ = std::make_unique<SocketGuard>(sd_bus_get_fd(made));
  r = peers_.guard(made, Peers::Use::asking, {});
  if (r >= 0) has_name_ = sd_bus_request_name(made, kAskingService, SD_BUS_NAME_QUEUE) >= 0;
  return r;
}

}  // namespace netperfd::dbus
