// SPDX-License-Identifier: GPL-2.0-or-later
// Decides which descriptors of others are received from the bus: those of an import or of a restored store,
// and only a limited number of each user. Whoever sends others is told of in the log, with his uid. The bus's
// own are received too: GetConnectionCredentials of dbus-daemon 1.16 has a pidfd (ProcessFD).
#pragma once

#include <systemd/sd-bus.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/event_loop.hpp"
#include "daemon/base/received_fds.hpp"
#include "daemon/bus/refusals.hpp"
#include "dbus/guarded_socket.hpp"

namespace netperfd::bus {

class PassedDescriptors {
 public:
  // Connections whose user is known or asked for. What others send is told of without a uid.
  static constexpr std::size_t kMostSenders = 256;

  // `bus` is borrowed, must outlive this object and be between two messages.
  PassedDescriptors(EventLoop& loop, sd_bus* bus, Refusals& refusals);
  PassedDescriptors(const PassedDescriptors&) = delete;
  PassedDescriptors& operator=(const PassedDescriptors&) = delete;

  [[nodiscard]] ReceivedFds& received() { return received_; }

 private:
  struct UnrefSlot {
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  struct Sender {
    PassedDescriptors* owner = nullptr;
    std::string name;
    std::optional<uid_t> uid;
    std::uint64_t refused = 0;  // messages that were not told of yet
    std::string last;           // what the last of them was
    std::unique_ptr<sd_bus_slot, UnrefSlot> question;
  };

  [[nodiscard]] bool wants(const dbus::MessageHead& head);
  [[nodiscard]] int replace(int number);
  void refuse(const dbus::MessageHead* head);

  [[nodiscard]] Sender& sender_of(std::string_view name);
  void ask_later();
  void ask_for_users();
  void tell(Sender& sender);
  static int on_user(sd_bus_message* answer, void* sender, sd_bus_error* error);

  EventLoop& loop_;
  sd_bus* bus_;
  Refusals& refusals_;
  ReceivedFds received_;
  std::map<std::string, Sender, std::less<>> senders_;
  EventSource turn_;
  ReceivedFds::Sender current_;  // of the message whose descriptors are being received
  bool is_of_bus_ = false;       // the message whose descriptors are being received
  bool is_full_ = false;         // the last message was refused only for their number
  dbus::SocketGuard guard_;
};

}  // namespace netperfd::bus
