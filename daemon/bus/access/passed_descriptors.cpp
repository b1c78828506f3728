// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/passed_descriptors.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/base/fd.hpp"
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

PassedDescriptors::PassedDescriptors(EventLoop& loop, dbus::SocketGuard& guard, Senders& senders)
    : guard_(guard), senders_(senders), received_(loop) {
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
    why_ = sender.has_left ? "" : " while the bus does not tell its user";
    return dbus::Wanted::no;
  }
  current_ = *sender.uid;
  if (received_.has_room(current_, head.descriptors)) return dbus::Wanted::yes;
  why_ = " while too many of this user's are here";
  return dbus::Wanted::no;
}

void PassedDescriptors::refuse(const dbus::MessageHead* head) {
  senders_.refuse(head != nullptr ? head->sender : "",
                  head == nullptr
                      ? "sent descriptors with a message whose header cannot be read: they are not received"
                      : fmt::format("sent {} descriptors with a {} {}{}: they are not received",
                                    head->descriptors, dbus::to_string(head->type), head->member, why_));
  why_.clear();
}

}  // namespace netperfd::bus
