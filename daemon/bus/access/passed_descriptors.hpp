// SPDX-License-Identifier: GPL-2.0-or-later
// Decides which descriptors of others are received from the bus: those of an import or of a restored store,
// and only a limited number of each user. Whoever sends others is told of in the log, with his uid.
//
// What was received may never be closed again, so its user must be known before.
#pragma once

#include <optional>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/received_fds.hpp"
#include "daemon/bus/access/message_sizes.hpp"
#include "daemon/bus/access/senders.hpp"
#include "dbus/guarded_socket.hpp"

namespace netperfd::bus {

class PassedDescriptors {
 public:
  // All are borrowed and must outlive this object. If the bus does not tell a user for Senders::kPatience, no
  // descriptor of an unknown one is received, until it does. `sizes` answers the calls that are refused.
  PassedDescriptors(EventLoop& loop, dbus::SocketGuard& guard, Senders& senders, MessageSizes& sizes);
  PassedDescriptors(const PassedDescriptors&) = delete;
  PassedDescriptors& operator=(const PassedDescriptors&) = delete;
  ~PassedDescriptors();

  [[nodiscard]] ReceivedFds& received() { return received_; }

 private:
  [[nodiscard]] dbus::Wanted wants(const dbus::MessageHead& head);
  [[nodiscard]] dbus::Wanted refuse_with(ErrorKind kind, std::string why);
  void refuse(const dbus::MessageHead* head);

  dbus::SocketGuard& guard_;
  Senders& senders_;
  MessageSizes& sizes_;
  ReceivedFds received_;
  uid_t current_ = 0;              // of the message whose descriptors are being received
  std::optional<Error> why_ = {};  // what the last call is answered with, as its descriptors are not received
};

}  // namespace netperfd::bus
