// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that say what another one should have said. The bus adds the sender, which is all that tells them
// apart.
#pragma once

#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

namespace netperfd::forgery {

inline constexpr const char* kBus = "org.freedesktop.DBus";
inline constexpr const char* kBusPath = "/org/freedesktop/DBus";

inline void require(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

struct Unref {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Message = std::unique_ptr<sd_bus_message, Unref>;

// All of them send to the connection of the unique name `to`, whatever rules that has asked the bus for.
template <class... Arguments>
void send_signal(sd_bus* from, const std::string& to, const std::string& path, const char* interface,
                 const char* member, const char* types, Arguments... arguments) {
  sd_bus_message* made = nullptr;
  require(sd_bus_message_new_signal(from, &made, path.c_str(), interface, member), "new signal");
  const Message signal{made};
  require(sd_bus_message_append(made, types, arguments...), "append");
  require(sd_bus_message_set_destination(made, to.c_str()), "set destination");
  require(sd_bus_send(from, made, nullptr), "send the signal");
}

// What the bus says when `name` has left.
inline void send_departure(sd_bus* from, const std::string& to, const std::string& name,
                           const std::string& owner) {
  send_signal(from, to, kBusPath, kBus, "NameOwnerChanged", "sss", name.c_str(), owner.c_str(), "");
}

// The answer to the call with this number.
template <class... Arguments>
void send_reply(sd_bus* from, const std::string& to, std::uint64_t number, const char* types,
                Arguments... arguments) {
  sd_bus_message* made = nullptr;
  require(sd_bus_message_new_method_call(from, &made, kBus, kBusPath, kBus, "GetId"), "new call");
  const Message call{made};
  require(sd_bus_message_seal(call.get(), number, 0), "seal");
  require(sd_bus_message_new_method_return(call.get(), &made), "new reply");
  const Message reply{made};
  require(sd_bus_message_append(made, types, arguments...), "append");
  require(sd_bus_message_set_destination(made, to.c_str()), "set destination");
  require(sd_bus_send(from, made, nullptr), "send the reply");
}

// Waits until the bus has dealt with everything that `from` sent.
inline void settle(sd_bus* from) {
  require(sd_bus_call_method(from, kBus, kBusPath, kBus, "GetId", nullptr, nullptr, ""), "GetId");
}

// A connection of its own to the bus of DBUS_SYSTEM_BUS_ADDRESS.
class Stranger {
 public:
  Stranger() {
    sd_bus* made = nullptr;
    require(sd_bus_open_system(&made), "sd_bus_open_system");
    bus_.reset(made);
    settle(made);
  }
  [[nodiscard]] sd_bus* bus() const { return bus_.get(); }
  [[nodiscard]] std::string owner_of(const char* name) const {
    sd_bus_message* made = nullptr;
    require(sd_bus_call_method(bus(), kBus, kBusPath, kBus, "GetNameOwner", nullptr, &made, "s", name), name);
    const Message reply{made};
    const char* owner = nullptr;
    require(sd_bus_message_read(made, "s", &owner), name);
    return owner;
  }
  // Replies to whatever call a connection has made lately.
  template <class... Arguments>
  void reply_to_all(const std::string& to, const char* types, Arguments... arguments) const {
    constexpr std::uint64_t kMost = 300;
    for (std::uint64_t number = 1; number <= kMost; ++number)
      send_reply(bus(), to, number, types, arguments...);
    require(sd_bus_flush(bus()), "sd_bus_flush");
  }

 private:
  struct Close {
    void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
  };
  std::unique_ptr<sd_bus, Close> bus_;
};

inline std::string unique_name(sd_bus* bus) {
  const char* name = nullptr;
  require(sd_bus_get_unique_name(bus, &name), "sd_bus_get_unique_name");
  return name;
}

}  // namespace netperfd::forgery
