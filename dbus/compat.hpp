// SPDX-License-Identifier: GPL-2.0-or-later
// Makes one source build with sdbus-c++ 1.2 (Debian 12) and 2.x (Debian 13). No other file depends on the
// version.
//
// The generated proxies are alike in both. The versions differ in strong types for names, in the
// type of an asynchronous reply's error, and in the access to the sd-bus objects below. The event loop uses
// libsystemd directly, since 2.x's own attachSdEventLoop() throws through C frames when the bus goes away.
#pragma once

#include <sdbus-c++/sdbus-c++.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "dbus/guarded_socket.hpp"
#include "dbus/peers.hpp"

namespace netperfd::dbus {

#if NETPERFD_SDBUS_2
using ServiceName = sdbus::ServiceName;
using InterfaceName = sdbus::InterfaceName;
using PropertyName = sdbus::PropertyName;
using MethodName = sdbus::MethodName;
using SignalName = sdbus::SignalName;
using ErrorName = sdbus::Error::Name;
using ReplyError = std::optional<sdbus::Error>;  // argument of a reply callback; empty on success
#else
using ServiceName = std::string;
using InterfaceName = std::string;
using PropertyName = std::string;
using MethodName = std::string;
using SignalName = std::string;
using ErrorName = std::string;
using ReplyError = const sdbus::Error*;
#endif

using Row = std::map<std::string, sdbus::Variant>;           // a{sv}
using Rows = std::vector<Row>;                               // aa{sv}
using PropertyMap = std::map<PropertyName, sdbus::Variant>;  // PropertiesChanged, GetManagedObjects
using InterfaceMap = std::map<InterfaceName, PropertyMap>;   // InterfacesAdded

[[nodiscard]] inline sdbus::Error make_error(const char* name, const std::string& text) {
  return sdbus::Error{ErrorName{name}, text};
}

// The sd-bus message inside a wrapper: a protected member in every version so far, hence the derived type.
struct RawMessage : sdbus::Message {
  static sd_bus_message* of(const sdbus::Message& message) {
    return static_cast<sd_bus_message*>(message.*(&RawMessage::msg_));
  }
};

// The sd-bus connection behind `connection`, reached through a message that is never sent.
[[nodiscard]] inline sd_bus* raw(sdbus::IConnection& connection) {
  const auto proxy = sdbus::createProxy(connection, ServiceName{"org.freedesktop.DBus"},
                                        sdbus::ObjectPath{"/org/freedesktop/DBus"});
  const auto ping = proxy->createMethodCall(InterfaceName{"org.freedesktop.DBus.Peer"}, MethodName{"Ping"});
  return sd_bus_message_get_bus(RawMessage::of(ping));
}

// If the service is not on the bus, the call fails instead of starting it.
inline void start_nobody(sdbus::MethodCall& call) {
  sd_bus_message_set_auto_start(RawMessage::of(call), 0);
}

// A connection to the system bus that believes the bus itself and these services only. It receives
// descriptors of the bus only, until its guard has other rules.
struct Connection {
  std::unique_ptr<sdbus::IConnection> bus;
  std::unique_ptr<SocketGuard> guard;
  std::unique_ptr<Peers> peers = std::make_unique<Peers>();  // ends first
};

[[nodiscard]] inline Connection connect(Peers::Use use, const std::vector<std::string>& services) {
  Connection made{sdbus::createSystemBusConnection(), nullptr};
  // sdbus-c++ has waited for the greeting, so this is between two messages.
  made.guard = std::make_unique<SocketGuard>(sd_bus_get_fd(raw(*made.bus)));
  if (const int r = made.peers->guard(raw(*made.bus), use, services); r < 0) {
    throw sdbus::createError(-r, "guard the connection");
  }
  return made;
}

// Who sent a method call.
struct Sender {
  std::string name;          // unique name on the bus
  bool interactive = false;  // it permits that a person is asked for a password
};

[[nodiscard]] inline Sender sender_of(const sdbus::Message& call) {
  sd_bus_message* raw = RawMessage::of(call);
  const char* name = sd_bus_message_get_sender(raw);
  return {name != nullptr ? name : "", sd_bus_message_get_allow_interactive_authorization(raw) > 0};
}

// Serves `connection` from `loop`, after pending sources with a lower number than `priority`. When the bus
// goes away the loop ends with EXIT_FAILURE; the connection stays open while our own objects are torn down.
inline void attach(sd_bus* bus, sd_event* loop, int priority = SD_EVENT_PRIORITY_NORMAL) {
  if (const int r = sd_bus_attach_event(bus, loop, priority); r < 0) {
    throw sdbus::createError(-r, "sd_bus_attach_event");
  }
  sd_bus_set_exit_on_disconnect(bus, 1);
  sd_bus_set_close_on_exit(bus, 0);
}

inline void attach(sdbus::IConnection& connection, sd_event* loop, int priority = SD_EVENT_PRIORITY_NORMAL) {
  attach(raw(connection), loop, priority);
}

inline void detach(sdbus::IConnection& connection) {
  sd_bus_detach_event(raw(connection));
}

// Runs a handler, getter or callback: sdbus-c++ 1.2 lets any exception but its own unwind through libsystemd.
template <class Function>
auto guarded(Function&& function) -> decltype(function()) {
  try {
    return function();
  } catch (const sdbus::Error&) {
    throw;
  } catch (const std::exception& e) {
    throw make_error("org.netperfd1.Error.Internal", e.what());
  }
}

template <class Value>
[[nodiscard]] std::string signature_of_one() {
#if NETPERFD_SDBUS_2
  constexpr auto kSignature = sdbus::signature_of_v<Value>;
  return std::string{kSignature.begin(), kSignature.end()};
#else
  return sdbus::signature_of<Value>::str();
#endif
}
// The D-Bus signature of these types, one after another.
template <class... Values>
[[nodiscard]] std::string signature_of() {
  return (std::string{} + ... + signature_of_one<Values>());
}

// One interface of an object: what it has is collected first and announced together.
class Interface {
 public:
  using Names = std::vector<std::string>;

  Interface(sdbus::IObject& object, std::string name) : object_(object), name_(std::move(name)) {}

  // `work` gets the call undecoded, and may keep it to answer later. It must not throw.
  void method(const char* method, const std::string& takes, const Names& takes_names,
              const std::string& gives, const Names& gives_names, sdbus::method_callback work) {
#if NETPERFD_SDBUS_2
    parts_.emplace_back(sdbus::MethodVTableItem{sdbus::MethodName{method},
                                                sdbus::Signature{takes},
                                                takes_names,
                                                sdbus::Signature{gives},
                                                gives_names,
                                                std::move(work),
                                                {}});
#else
    object_.registerMethod(name_, method, takes, takes_names, gives, gives_names, std::move(work));
#endif
  }

  // `get` returns its value. Its exceptions are the answer.
  template <class Get>
  void property(const char* property, sdbus::Flags::PropertyUpdateBehaviorFlags change, Get get) {
    const std::string signature = signature_of<decltype(get())>();
    sdbus::Flags flags;
    flags.set(change);
    const auto give = [get = std::move(get)](sdbus::PropertyGetReply& reply) {
      guarded([&] { reply << get(); });
    };
#if NETPERFD_SDBUS_2
    parts_.emplace_back(sdbus::PropertyVTableItem{
        sdbus::PropertyName{property}, sdbus::Signature{signature}, give, {}, flags});
#else
    object_.registerProperty(name_, property, signature, give, flags);
#endif
  }

  template <class... Values>
  void signal(const char* signal, const Names& names) {
#if NETPERFD_SDBUS_2
    parts_.emplace_back(sdbus::SignalVTableItem{
        sdbus::SignalName{signal}, sdbus::Signature{signature_of<Values...>()}, names, {}});
#else
    object_.registerSignal(name_, signal, signature_of<Values...>(), names);
#endif
  }

  // Once, after the last of them; throws sdbus::Error.
  void announce() {
#if NETPERFD_SDBUS_2
    object_.addVTable(sdbus::InterfaceName{name_}, std::move(parts_));
#else
    object_.finishRegistration();
#endif
  }

  template <class... Values>
  void emit(const char* signal, const Values&... values) {
    auto message = object_.createSignal(InterfaceName{name_}, SignalName{signal});
    static_cast<void>((message << ... << values));
    object_.emitSignal(message);
  }

  void emit_changed(const std::vector<PropertyName>& properties) {
    object_.emitPropertiesChangedSignal(InterfaceName{name_}, properties);
  }

 private:
  sdbus::IObject& object_;
  std::string name_;
#if NETPERFD_SDBUS_2
  std::vector<sdbus::VTableItem> parts_;
#endif
};

// Keeps `handler`, a callable of `auto&& message`, called for messages that match `rule`.
template <class Handler>
[[nodiscard]] sdbus::Slot match(sdbus::IConnection& connection, const std::string& rule, Handler handler) {
#if NETPERFD_SDBUS_2
  return connection.addMatch(rule, std::move(handler), sdbus::return_slot);
#else
  return connection.addMatch(rule, std::move(handler));
#endif
}

// The answer to a method call: only the first one is sent. If no path gives one, the destructor answers.
class Reply {
 public:
  explicit Reply(sdbus::MethodCall call) : call_(std::move(call)) {}
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  ~Reply() {
    if (!call_) return;
    try {
      fail(make_error("org.netperfd1.Error.Internal", "the request was dropped"));
    } catch (...) {
      return;  // The bus is gone, and with it the caller.
    }
  }

  [[nodiscard]] sdbus::MethodCall& call() { return *call_; }
  template <class... Values>
  void ok(const Values&... values) {
    auto reply = call_->createReply();
    static_cast<void>((reply << ... << values));
    reply.send();
    call_.reset();
  }
  void fail(const sdbus::Error& error) {
    const auto call = std::exchange(call_, std::nullopt);
    call->createErrorReply(error).send();
  }

 private:
  std::optional<sdbus::MethodCall> call_;
};

}  // namespace netperfd::dbus
