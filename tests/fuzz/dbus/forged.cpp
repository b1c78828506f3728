// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/forged.hpp"

#include <fmt/format.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <span>
#include <stdexcept>

#include "dbus/names.hpp"

namespace netperfd::bus_fuzz {
namespace {

using system_test::Message;

struct Sample {
  const char* path;
  const char* interface;
  const char* member;
  const char* signature;
};

constexpr const char* kBusPath = "/org/freedesktop/DBus";
constexpr const char* kBus = "org.freedesktop.DBus";
constexpr const char* kOwnerChanged = "NameOwnerChanged";
constexpr std::array<Sample, 9> kSignals{{
    {kBusPath, kBus, kOwnerChanged, "sss"},
    {kBusPath, kBus, "NameLost", "s"},
    {kBusPath, kBus, "NameAcquired", "s"},
    {"/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "JobRemoved", "uoss"},
    {"/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority", "Changed", ""},
    {"/org/netperfd1", "org.netperfd1.Manager", "RunEnded", "ttss"},
    {"/org/netperfd1", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved", "oas"},
    {"/org/netperfd1/job/1", "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as"},
    {"/", "org.example.Any", "Any", "v"},
}};
constexpr int kMostDescriptors = 16;  // that the bus lets through in a message
constexpr std::uint64_t kCookies = 300;

void must(int result, const char* what) {
  if (result < 0) throw std::runtime_error(fmt::format("sd-bus: {}: errno {}", what, -result));
}

void append_many_descriptors(sd_bus_message* message) {
  must(sd_bus_message_open_container(message, 'a', "h"), "open a list");
  for (int i = 0; i < kMostDescriptors; ++i) {
    must(sd_bus_message_append(message, "h", STDIN_FILENO), "append a descriptor");
  }
  must(sd_bus_message_close_container(message), "close a list");
}

}  // namespace

void Forger::append(sd_bus_message* message, const std::string& signature) {
  if (values_.happens(4)) return append_many_descriptors(message);
  values_.append(message, values_.happens(4) ? values_.signature() : signature);
}

Message Forger::signal(const Caller& caller) {
  const Sample& known = values_.one_of(std::span<const Sample>(kSignals));
  sd_bus_message* raw = nullptr;
  must(sd_bus_message_new_signal(caller.client->raw(), &raw, known.path, known.interface, known.member),
       "a new signal");
  Message message{raw};
  if (known.member == kOwnerChanged && values_.happens(2)) {
    const std::string& name = values_.one_of(std::span<const std::string>(names_));
    must(sd_bus_message_append(raw, "sss", name.c_str(), name.c_str(), ""), "append a name");
  } else {
    append(raw, known.signature);
  }
  return message;
}

// libsystemd makes a reply only of a call that it has, so it gets one with the number of the daemon's.
Message Forger::reply(const Caller& caller) {
  sd_bus_message* raw = nullptr;
  must(sd_bus_message_new_method_call(caller.client->raw(), &raw, dbus::kService, "/", kBus, "Forged"),
       "a new call");
  const Message call{raw};
  must(sd_bus_message_seal(raw, 1 + values_.below(kCookies), 0), "seal a call");
  sd_bus_message* answer = nullptr;
  if (values_.happens(3)) {
    must(sd_bus_message_new_method_errorf(raw, &answer, "org.netperfd1.Error.Forged", "%s", "forged"),
         "a new error");
    return Message{answer};
  }
  must(sd_bus_message_new_method_return(raw, &answer), "a new reply");
  Message message{answer};
  append(answer, "a{sv}");
  return message;
}

void Forger::send(const Caller& caller) {
  const Message message = values_.happens(4) ? reply(caller) : signal(caller);
  must(sd_bus_message_set_destination(message.get(), dbus::kService), "set the destination");
  must(sd_bus_send(caller.client->raw(), message.get(), nullptr), "send");
  ++count_;
}

}  // namespace netperfd::bus_fuzz
