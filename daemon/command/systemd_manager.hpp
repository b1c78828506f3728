// SPDX-License-Identifier: GPL-2.0-or-later
// What calls of systemd's manager have in common.
#pragma once

#include <systemd/sd-bus.h>

#include <memory>
#include <string>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "dbus/guarded_socket.hpp"
#include "dbus/peers.hpp"

namespace netperfd::command {

inline constexpr const char* kService = "org.freedesktop.systemd1";
inline constexpr const char* kPath = "/org/freedesktop/systemd1";
inline constexpr const char* kManager = "org.freedesktop.systemd1.Manager";

struct UnrefMessage {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using Message = std::unique_ptr<sd_bus_message, UnrefMessage>;

struct UnrefSlot {
  void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
};
using Slot = std::unique_ptr<sd_bus_slot, UnrefSlot>;

// A connection that only asks systemd, believes nobody else, and receives no descriptor of others.
class ManagerBus {
 public:
  [[nodiscard]] Status open() {
    sd_bus* made = nullptr;
    if (const int r = sd_bus_open_system(&made); r < 0) return fail_errno("the system bus", -r);
    bus_.reset(made);
    // Waits for the greeting: the guard of the socket begins between two messages.
    const char* name = nullptr;
    int r = sd_bus_get_unique_name(made, &name);
    if (r < 0) return fail_errno("the system bus", -r);
    guard_ = std::make_unique<dbus::SocketGuard>(sd_bus_get_fd(made));
    guard_->set_sizes(dbus::sizes_of_service(kMostAnswer, dbus::SocketGuard::kMostBytes));
    r = peers_.guard(made, dbus::Peers::Use::asking, {kService});
    return r < 0 ? Status{fail_errno("the system bus", -r)} : Status{};
  }
  [[nodiscard]] sd_bus* get() const { return bus_.get(); }

  // Bytes: a list of some thousand units.
  static constexpr std::size_t kMostAnswer = std::size_t{1} << 20U;

 private:
  struct Close {
    void operator()(sd_bus* bus) const {
      sd_bus_detach_event(bus);
      sd_bus_flush_close_unref(bus);
    }
  };
  std::unique_ptr<sd_bus, Close> bus_;
  std::unique_ptr<dbus::SocketGuard> guard_;
  dbus::Peers peers_;
};

// A ManagerBus in the loop, which all units of an owner share: systemd checks the caller's rights when it
// reads a call, so the connection must outlive the call.
class ManagerConnection {
 public:
  // The loop must outlive this object.
  explicit ManagerConnection(EventLoop& loop) : loop_(loop) {}

  // Connects for the first time, or anew if the bus was restarted.
  [[nodiscard]] Status open() {
    if (bus_ && sd_bus_is_open(bus_->get()) > 0) return {};
    auto made = std::make_unique<ManagerBus>();
    if (auto opened = made->open(); !opened) return opened;
    if (const int r = sd_bus_attach_event(made->get(), loop_.raw(), SD_EVENT_PRIORITY_NORMAL); r < 0)
      return fail_errno("sd_bus_attach_event", -r);
    bus_ = std::move(made);
    ++number_;
    return {};
  }
  // After open() has failed, calls through it fail too.
  [[nodiscard]] sd_bus* get() {
    (void)open();
    return bus_ ? bus_->get() : nullptr;
  }
  // Of the connection: systemd forgets the units of the one before.
  [[nodiscard]] unsigned number() const { return number_; }

 private:
  EventLoop& loop_;
  std::unique_ptr<ManagerBus> bus_;
  unsigned number_ = 0;
};

inline std::string words_of(const sd_bus_error& error) {
  return error.message != nullptr ? error.message : error.name != nullptr ? error.name : "no reason given";
}

}  // namespace netperfd::command
