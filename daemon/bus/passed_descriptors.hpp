// SPDX-License-Identifier: GPL-2.0-or-later
// Decides which descriptors of others are received from the bus: those of an import or of a restored store,
// and only a limited number of each user. Whoever sends others is told of in the log, with his uid.
//
// What was received may never be closed again, so its user must be known before. The connection that has the
// message cannot be asked, since the answer would come after the message: there is another one for questions.
#pragma once

#include <systemd/sd-bus.h>

#include <chrono>
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
  // If the bus does not tell a user for so long, no descriptor of an unknown one is received, until it does.
  static constexpr std::chrono::seconds kPatience{1};

  // `guard` and `questions`, which the loop serves too, are borrowed and must outlive this object.
  PassedDescriptors(EventLoop& loop, dbus::SocketGuard& guard, sd_bus* questions, Refusals& refusals);
  PassedDescriptors(const PassedDescriptors&) = delete;
  PassedDescriptors& operator=(const PassedDescriptors&) = delete;
  ~PassedDescriptors();

  [[nodiscard]] ReceivedFds& received() { return received_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct UnrefSlot {
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  struct Sender {
    PassedDescriptors* owner = nullptr;
    std::string name;
    std::optional<uid_t> uid;
    bool has_left = false;      // the bus does not know it
    std::uint64_t refused = 0;  // messages that were not told of yet
    std::string last;           // what the last of them was
    Clock::time_point asked;
    std::unique_ptr<sd_bus_slot, UnrefSlot> question;
  };

  [[nodiscard]] dbus::Wanted wants(const dbus::MessageHead& head);
  void refuse(const dbus::MessageHead* head);

  [[nodiscard]] Sender& sender_of(std::string_view name);
  // Whether the user may become known soon, after which this must be asked again.
  [[nodiscard]] bool waits_for(Sender& sender);
  [[nodiscard]] bool is_bus_late() const;
  void ask_for(Sender& sender);
  void tell(Sender& sender);
  static int on_user(sd_bus_message* answer, void* sender, sd_bus_error* error);

  dbus::SocketGuard& guard_;
  sd_bus* questions_;
  Refusals& refusals_;
  ReceivedFds received_;
  std::map<std::string, Sender, std::less<>> senders_;
  uid_t current_ = 0;     // of the message whose descriptors are being received
  std::string why_ = {};  // the last message was refused, if for more than its kind
};

}  // namespace netperfd::bus
