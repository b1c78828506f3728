// SPDX-License-Identifier: GPL-2.0-or-later
// Calls wait here for their turn before anything of them is decoded: libsystemd gets them one by one, in
// turns between users. How many bytes of a user may wait, or be at work, is limited; further calls are busy.
#pragma once

#include <systemd/sd-bus.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/bus/access/byte_budget.hpp"
#include "daemon/bus/access/message_sizes.hpp"
#include "daemon/bus/access/round.hpp"
#include "daemon/bus/access/senders.hpp"
#include "daemon/bus/access/under_way.hpp"
#include "dbus/call_queue.hpp"
#include "dbus/guarded_socket.hpp"

namespace netperfd::bus {

// What is known of a sender's rights without asking anybody. Must not throw, nor use the connection.
struct KnownRights {
  std::function<bool(const Senders::Sender& sender)> may_measure;
  std::function<bool(uid_t user)> has_jobs;  // in the store, of which it may ask for a bundle
};

class WaitingCalls final : public dbus::CallQueue {
 public:
  // All are borrowed and must outlive this object, but `rights`.
  WaitingCalls(EventLoop& loop, dbus::SocketGuard& guard, sd_bus* bus, Senders& senders, MessageSizes& sizes,
               UnderWay& under_way, KnownRights rights);
  WaitingCalls(const WaitingCalls&) = delete;
  WaitingCalls& operator=(const WaitingCalls&) = delete;
  ~WaitingCalls() override;

  [[nodiscard]] bool knows(const dbus::MessageHead& head) override;
  [[nodiscard]] Room room_for(const dbus::MessageHead* head, std::size_t bytes) override;
  void put(dbus::WaitingCall call) override;
  [[nodiscard]] bool has_next() const override;
  [[nodiscard]] dbus::WaitingCall next() override;

 private:
  struct UnrefSlot {
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  struct Who {
    std::string sender;  // empty: the header cannot be read
    std::uint64_t serial = 0;
    std::size_t bytes = 0;
    uid_t user = static_cast<uid_t>(-1);  // -1: the bus does not say
    bool may_measure = false;
  };
  // In the round, of a connection with calls in it. It stays the same until all of them are given, whatever
  // becomes known of the connection: they keep their order.
  struct Place {
    uid_t user;
    bool may_measure;
    std::size_t calls = 0;
  };
  struct Waiting {
    dbus::WaitingCall call;
    std::string sender;
    std::uint64_t serial = 0;
    std::shared_ptr<const UnderWay::OfCall> of_call;
  };
  // That libsystemd has, but has not handed out.
  struct Given {
    std::string sender;
    std::uint64_t serial = 0;
    std::shared_ptr<const UnderWay::OfCall> of_call;
  };

  [[nodiscard]] Room refuse(const dbus::MessageHead* head, const char* error, const std::string& why);
  void wake();
  static int on_message(sd_bus_message* message, void* self, sd_bus_error* error);

  EventLoop& loop_;
  dbus::SocketGuard& guard_;
  sd_bus* bus_;
  Senders& senders_;
  MessageSizes& sizes_;
  UnderWay& under_way_;
  KnownRights rights_;
  ByteBudget budget_;
  Round<Waiting> round_;
  std::map<std::string, Place> places_;  // by connection; empty: those whose header cannot be read
  Who coming_;                           // of the call that room_for() was asked for
  std::deque<Given> given_;
  EventSource awake_;
  std::unique_ptr<sd_bus_slot, UnrefSlot> filter_;
};

}  // namespace netperfd::bus
