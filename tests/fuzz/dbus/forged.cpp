// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/forged.hpp"

#include <fmt/format.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "dbus/names.hpp"
#include "tests/support/forgery.hpp"

namespace netperfd::bus_fuzz {
namespace {

using forgery::kBus;
using forgery::kBusPath;
using system_test::Message;

constexpr const char* kOwnerChanged = "NameOwnerChanged";
constexpr const char* kPolkit = "org.freedesktop.PolicyKit1";
constexpr const char* kSystemd = "org.freedesktop.systemd1";
constexpr const char* kSystemdPath = "/org/freedesktop/systemd1";
constexpr const char* kSystemdManager = "org.freedesktop.systemd1.Manager";
constexpr const char* kProperties = "org.freedesktop.DBus.Properties";
constexpr const char* kObjects = "org.freedesktop.DBus.ObjectManager";

std::vector<Signal> signals_of_others() {
  return {
      {kBusPath, kBus, kOwnerChanged, "sss"},
      {kBusPath, kBus, "NameLost", "s"},
      {kBusPath, kBus, "NameAcquired", "s"},
      {kSystemdPath, kSystemdManager, "JobRemoved", "uoss"},
      {kSystemdPath, kSystemdManager, "JobNew", "uos"},
      {kSystemdPath, kSystemdManager, "UnitRemoved", "so"},
      {kSystemdPath, kSystemdManager, "Reloading", "b"},
      {"/org/freedesktop/systemd1/unit/netperfd_2dside_2eservice", kProperties, "PropertiesChanged",
       "sa{sv}as"},
      {"/org/freedesktop/PolicyKit1/Authority", "org.freedesktop.PolicyKit1.Authority", "Changed", ""},
      {dbus::kManagerPath, kObjects, "InterfacesAdded", "oa{sa{sv}}"},
      {dbus::kManagerPath, kObjects, "InterfacesRemoved", "oas"},
      {"/org/netperfd1/job/1", kProperties, "PropertiesChanged", "sa{sv}as"},
      {"/", "org.example.Any", "Any", "v"},
  };
}

constexpr int kMostDescriptors = 16;  // that the bus lets through in a message
constexpr std::size_t kCookies = 300;

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

// libsystemd makes a reply only of a call that it has, so it gets one with the number of the daemon's.
Message call_with(sd_bus* bus, std::uint64_t number) {
  sd_bus_message* raw = nullptr;
  must(sd_bus_message_new_method_call(bus, &raw, dbus::kService, "/", kBus, "Forged"), "a new call");
  Message call{raw};
  must(sd_bus_message_seal(raw, number, 0), "seal a call");
  return call;
}

}  // namespace

Forger::Forger(Random& random, Values& values, Connections connections, const std::vector<Signal>& signals)
    : random_(random), values_(values), connections_(std::move(connections)), signals_(signals_of_others()) {
  std::ranges::copy(signals, std::back_inserter(signals_));
}

void Forger::append(sd_bus_message* message, const std::string& signature) {
  if (random_.happens(4)) return append_many_descriptors(message);
  (void)values_.append(message, random_.happens(4) ? values_.signature() : signature);
}

// Of whom a signal may tell that he has come or gone.
std::string Forger::name() {
  switch (random_.below(5)) {
    case 0:
      return dbus::kService;
    case 1:
      return kPolkit;
    case 2:
      return random_.happens(2) ? kSystemd
                                : random_.one_of(std::span<const std::string>(connections_.daemon));
    default:
      return random_.one_of(std::span<const std::string>(connections_.callers));
  }
}

// Somebody has left, or the sender, or another one, has become somebody.
void Forger::append_owner_change(sd_bus_message* message, const Caller& caller) {
  if (random_.happens(3)) {
    const std::string own = forgery::unique_name(caller.client->raw());
    return must(
        sd_bus_message_append(message, "sss", random_.happens(2) ? kPolkit : kSystemd, "", own.c_str()),
        "append a name");
  }
  const std::string changed = name();
  const std::string before = random_.happens(2) ? changed : name();
  const std::string now = random_.happens(3) ? name() : "";
  must(sd_bus_message_append(message, "sss", changed.c_str(), before.c_str(), now.c_str()), "append a name");
}

Message Forger::signal(const Caller& caller) {
  // More depends on this one than on all others.
  const Signal& known =
      random_.happens(3) ? signals_.front() : random_.one_of(std::span<const Signal>(signals_));
  sd_bus_message* raw = nullptr;
  must(sd_bus_message_new_signal(caller.client->raw(), &raw, known.path.c_str(), known.interface.c_str(),
                                 known.name.c_str()),
       "a new signal");
  Message message{raw};
  if (known.name == kOwnerChanged && !random_.happens(4)) {
    append_owner_change(raw, caller);
  } else {
    append(raw, known.signature);
  }
  return message;
}

// What the bus, systemd and polkit answer to the daemon's questions: this caller is root, or may.
void Forger::append_answer(sd_bus_message* message) {
  switch (random_.below(5)) {
    case 0:
      return must(sd_bus_message_append(message, "a{sv}", 2, "UnixUserID", "u", 0U, "ProcessID", "u", 1U),
                  "append credentials");
    case 1:
      return must(sd_bus_message_append(message, "(bba{ss})", 1, 0, 0), "append polkit's answer");
    case 2:
      return must(sd_bus_message_append(message, "u", 0U), "append a uid");
    case 3: {
      const std::string owner = name();
      return must(sd_bus_message_append(message, "s", owner.c_str()), "append an owner");
    }
    default:
      return append(message, "a{sv}");
  }
}

Message Forger::reply(const Caller& caller, std::uint64_t number) {
  const Message call = call_with(caller.client->raw(), number);
  sd_bus_message* answer = nullptr;
  if (random_.happens(3)) {
    constexpr std::array<const char*, 5> kErrors{
        "org.netperfd1.Error.Forged", "org.freedesktop.DBus.Error.ServiceUnknown",
        "org.freedesktop.DBus.Error.NameHasNoOwner", "org.freedesktop.DBus.Error.NoReply",
        "org.freedesktop.PolicyKit1.Error.Failed"};
    must(sd_bus_message_new_method_errorf(
             call.get(), &answer, random_.one_of(std::span<const char* const>(kErrors)), "%s", "forged"),
         "a new error");
    return Message{answer};
  }
  must(sd_bus_message_new_method_return(call.get(), &answer), "a new reply");
  Message message{answer};
  append_answer(answer);
  return message;
}

std::string Forger::send(const Caller& caller, std::uint64_t last_number) {
  const bool is_reply = random_.happens(3);
  const std::uint64_t number =
      random_.happens(2) ? last_number + 1 + random_.below(8) : 1 + random_.below(kCookies);
  const Message message = is_reply ? reply(caller, number) : signal(caller);
  const bool is_for_all = !is_reply && random_.happens(3);
  if (!is_for_all) {
    // libsystemd takes no reply to a name that is not its own.
    const std::string to = !is_reply && random_.happens(2)
                               ? dbus::kService
                               : random_.one_of(std::span<const std::string>(connections_.daemon));
    must(sd_bus_message_set_destination(message.get(), to.c_str()), "set the destination");
  }
  must(sd_bus_send(caller.client->raw(), message.get(), nullptr), "send");
  ++count_;
  const char* const signature = sd_bus_message_get_signature(message.get(), 1);
  if (is_reply) return fmt::format("a reply to {} with {} by {}", number, signature, caller.name);
  return fmt::format("a signal {} with {} by {}", sd_bus_message_get_member(message.get()), signature,
                     caller.name);
}

void Forger::tell_of_departures(const Caller& caller) {
  for (const std::string& connection : connections_.daemon) {
    for (const std::string& left : connections_.callers) {
      forgery::send_departure(caller.client->raw(), connection, left, left);
      ++count_;
    }
  }
}

void Forger::answer_for_bus(const Caller& caller, std::uint64_t last_number) {
  constexpr std::uint64_t kNext = 24;
  for (const std::string& connection : connections_.daemon) {
    for (std::uint64_t number = last_number + 1; number <= last_number + kNext; ++number) {
      forgery::send_reply(caller.client->raw(), connection, number, "a{sv}", 2, "UnixUserID", "u", 0U,
                          "ProcessID", "u", 1U);
      ++count_;
    }
  }
  forgery::settle(caller.client->raw());
}

void Forger::answer_for_polkit(const Caller& caller, const std::string& to, std::uint64_t number,
                               bool allows) {
  const Message call = call_with(caller.client->raw(), number);
  sd_bus_message* answer = nullptr;
  if (allows) {
    must(sd_bus_message_new_method_return(call.get(), &answer), "a new reply");
    must(sd_bus_message_append(answer, "(bba{ss})", 1, 0, 0), "append polkit's answer");
  } else {
    must(sd_bus_message_new_method_errorf(call.get(), &answer, "org.freedesktop.DBus.Error.ServiceUnknown",
                                          "%s", "there is no polkit"),
         "a new error");
  }
  const Message message{answer};
  must(sd_bus_message_set_destination(answer, to.c_str()), "set the destination");
  must(sd_bus_send(caller.client->raw(), answer, nullptr), "send");
  forgery::settle(caller.client->raw());
  ++count_;
}

}  // namespace netperfd::bus_fuzz
