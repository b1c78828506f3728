// SPDX-License-Identifier: GPL-2.0-or-later
// A plain caller on the bus, as any user: for actions that netperfctl lacks, and to receive signals.
#pragma once

#include <systemd/sd-bus.h>

#include <memory>
#include <string>

#include "dbus/names.hpp"
#include "tests/system/harness/process.hpp"

namespace netperfd::system_test {

struct MessageUnref {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Message = std::unique_ptr<sd_bus_message, MessageUnref>;

// The answer to a call: a message or an error.
struct Reply {
  Message message;
  std::string error_name;  // empty: no error
  std::string error_text;
};

class BusClient {
 public:
  // Connects with the credentials of `user`, by which the bus identifies the caller.
  BusClient(const std::string& address, const User& user);

  [[nodiscard]] sd_bus* raw() const { return bus_.get(); }
  // `types` and `arguments` as sd_bus_message_append() takes them.
  template <class... Arguments>
  [[nodiscard]] Reply call(const char* path, const char* interface, const char* method, const char* types,
                           Arguments... arguments) const {
    return call_on(dbus::kService, path, interface, method, types, arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] Reply manager(const char* method, const char* types, Arguments... arguments) const {
    return call(dbus::kManagerPath, dbus::kManagerInterface, method, types, arguments...);
  }
  template <class... Arguments>
  [[nodiscard]] Reply call_on(const char* service, const char* path, const char* interface,
                              const char* method, const char* types, Arguments... arguments) const {
    const Message message = new_call(service, path, interface, method);
    require(sd_bus_message_append(message.get(), types, arguments...), "sd_bus_message_append");
    return send(message);
  }

  [[nodiscard]] Reply send(const Message& message) const;

  void close() { bus_.reset(); }

 private:
  struct Close {
    void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
  };
  [[nodiscard]] Message new_call(const char* service, const char* path, const char* interface,
                                 const char* method) const;
  static void require(int result, const char* what);

  std::unique_ptr<sd_bus, Close> bus_;
};

}  // namespace netperfd::system_test
