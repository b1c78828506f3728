// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/passed_descriptors.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/bus/call/method.hpp"
#include "daemon/log/log.hpp"
#include "dbus/names.hpp"
#include "dbus/shed_descriptors.hpp"

namespace netperfd::bus {
namespace {

// Runs go on meanwhile, and nobody can be told but root.
void tell_of_hold_up(bool held_up) {
  log::warn(held_up
                ? fmt::format(
                      "nobody on the bus is answered: {} messages had descriptors that do not close. End the "
                      "processes of the users who sent them, which the lines before this one name",
                      dbus::kMostSheds)
                : "the bus is answered again");
}

}  // namespace

PassedDescriptors::PassedDescriptors(EventLoop& loop, dbus::SocketGuard& guard, Senders& senders,
                                     MessageSizes& sizes)
    : guard_(guard), senders_(senders), sizes_(sizes), received_(loop) {
  guard_.set_rules({.wants = [this](const dbus::MessageHead& head) { return wants(head); },
                    .replace = [this](int number) { return received_.token_for(Fd{number}, current_); },
                    .refused = [this](const dbus::MessageHead* head) { refuse(head); },
                    .held_up = tell_of_hold_up});
}

PassedDescriptors::~PassedDescriptors() {
  guard_.set_rules({});
}

// The object is not examined: a call of an unknown one is answered like any other.
dbus::Wanted PassedDescriptors::wants(const dbus::MessageHead& head) {
  why_.clear();
  const Method* const method = find_method(head.interface, head.member);
  if (head.type != dbus::MessageType::call || method == nullptr) return dbus::Wanted::no;
  if (head.descriptors > method->limits.descriptors) return dbus::Wanted::no;
  Senders::Sender& sender = senders_.of(head.sender);
  if (!sender.uid) {
    if (senders_.waits_for(sender)) return dbus::Wanted::not_yet;
    if (sender.has_left) return dbus::Wanted::no;
    why_ = "the bus does not say in time whose they are";
    return dbus::Wanted::refused;
  }
  current_ = *sender.uid;
  if (received_.has_room(current_, head.descriptors)) return dbus::Wanted::yes;
  why_ = fmt::format("too many of uid {} or of all users are not closed yet", current_);
  return dbus::Wanted::refused;
}

void PassedDescriptors::refuse(const dbus::MessageHead* head) {
  senders_.refuse(
      head != nullptr ? head->sender : "",
      head == nullptr
          ? "sent descriptors with a message whose header cannot be read: they are not received"
          : fmt::format("sent {} descriptors with a {} {}: they are not received{}{}", head->descriptors,
                        dbus::to_string(head->type), head->member, why_.empty() ? "" : ", as ", why_));
  if (head == nullptr || why_.empty()) return;
  (void)sizes_.answer(*head, dbus::error::kBusy,
                      fmt::format("the descriptors were not received: {}. Try again", why_));
  why_.clear();
}

}  // namespace netperfd::bus
