// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/peers.hpp"

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>

namespace netperfd::dbus {
namespace {

constexpr const char* kBus = "org.freedesktop.DBus";
constexpr const char* kBusPath = "/org/freedesktop/DBus";
// What libsystemd itself tells, such as the end of the connection. Nobody on a bus can have this name.
constexpr std::string_view kLocal = "org.freedesktop.DBus.Local";

struct UnrefMessage {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Message = std::unique_ptr<sd_bus_message, UnrefMessage>;

std::string_view sender_of(sd_bus_message* message) {
  const char* sender = sd_bus_message_get_sender(message);
  return sender != nullptr ? sender : "";
}

// A call of the bus itself.
int new_call(sd_bus* bus, Message& call, const char* method) {
  sd_bus_message* made = nullptr;
  const int r = sd_bus_message_new_method_call(bus, &made, kBus, kBusPath, kBus, method);
  call.reset(made);
  return r;
}

// The filter needs no match in libsystemd to see the signals.
int tell_changes_of(sd_bus* bus, const std::string& name) {
  const std::string rule = std::string{"type='signal',sender='"} + kBus + "',path='" + kBusPath +
                           "',interface='" + kBus + "',member='NameOwnerChanged',arg0='" + name + "'";
  Message call;
  int r = new_call(bus, call, "AddMatch");
  if (r >= 0) r = sd_bus_message_append(call.get(), "s", rule.c_str());
  if (r >= 0) r = sd_bus_message_set_expect_reply(call.get(), 0);
  return r < 0 ? r : sd_bus_send(bus, call.get(), nullptr);
}

}  // namespace

int Peers::guard(sd_bus* bus, Use use, const std::vector<std::string>& services) {
  use_ = use;
  sd_bus_slot* slot = nullptr;
  int r = sd_bus_add_filter(bus, &slot, on_message, this);
  if (r < 0) return r;
  filter_.reset(slot);
  if (use == Use::asking) r = hide_numbers(bus);
  for (const std::string& name : services) {
    if (r >= 0) r = tell_changes_of(bus, name);
    if (r >= 0) r = ask_for_owner(services_.emplace_back(Service{bus, name}));
  }
  return r;
}

bool Peers::is_from_bus(sd_bus_message* message) {
  return sender_of(message) == kBus;
}

bool Peers::is_answer(sd_bus_message* reply, const std::string& service) const {
  return is_from_bus(reply) || std::ranges::any_of(services_, [&](const Service& each) {
           return each.name == service && !each.owner.empty() && each.owner == sender_of(reply);
         });
}

// libsystemd goes on counting from the number of a message that already has one.
int Peers::hide_numbers(sd_bus* bus) {
  std::uint32_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) return -errno;
  constexpr std::uint32_t kFirst = 1U << 20U;
  constexpr std::uint32_t kMask = (1U << 30U) - 1;  // leaves as many for the messages to come
  Message call;
  int r = new_call(bus, call, "GetId");
  if (r >= 0) r = sd_bus_message_set_expect_reply(call.get(), 0);
  if (r >= 0) r = sd_bus_message_seal(call.get(), kFirst + (random & kMask), 0);
  return r < 0 ? r : sd_bus_send(bus, call.get(), nullptr);
}

// After tell_changes_of(): the bus answers in the order of our questions, so no change is missed in between.
int Peers::ask_for_owner(Service& service) {
  Message call;
  int r = new_call(service.bus, call, "GetNameOwner");
  if (r >= 0) r = sd_bus_message_append(call.get(), "s", service.name.c_str());
  sd_bus_slot* slot = nullptr;
  // The reply may be read late: a client asks other things first, and somebody may type a password.
  if (r >= 0) r = sd_bus_call_async(service.bus, &slot, call.get(), on_owner, &service, UINT64_MAX);
  if (r >= 0) service.asked.reset(slot);
  return r;
}

void Peers::note_change(sd_bus_message* signal) {
  if (sd_bus_message_is_signal(signal, kBus, "NameOwnerChanged") <= 0) return;
  const char *name = nullptr, *before = nullptr, *now = nullptr;
  if (sd_bus_message_read(signal, "sss", &name, &before, &now) >= 0) {
    for (Service& service : services_) {
      if (service.name == name) service.owner = now;
    }
  }
  sd_bus_message_rewind(signal, 1);
}

int Peers::on_owner(sd_bus_message* reply, void* asked, sd_bus_error*) {
  auto& service = *static_cast<Service*>(asked);
  // Of somebody else: the bus has not answered yet.
  if (!is_from_bus(reply)) return ask_for_owner(service);
  const char* owner = nullptr;
  const bool known =
      sd_bus_message_is_method_error(reply, nullptr) == 0 && sd_bus_message_read(reply, "s", &owner) >= 0;
  service.owner = known ? owner : "";
  return 0;
}

// 1 means that the message was handled: nothing else sees it.
int Peers::on_message(sd_bus_message* message, void* self, sd_bus_error*) {
  auto& peers = *static_cast<Peers*>(self);
  std::uint8_t type = 0;
  sd_bus_message_get_type(message, &type);
  if (type == SD_BUS_MESSAGE_METHOD_CALL) return peers.use_ == Use::asking ? 1 : 0;
  if (type != SD_BUS_MESSAGE_SIGNAL || sender_of(message) == kLocal) return 0;
  if (is_from_bus(message)) {
    peers.note_change(message);
    return 0;
  }
  const bool known = std::ranges::any_of(peers.services_, [message](const Service& service) {
    return !service.owner.empty() && service.owner == sender_of(message);
  });
  return known ? 0 : 1;
}

}  // namespace netperfd::dbus
