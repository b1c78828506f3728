// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/passed_descriptors.hpp"

#include <fmt/format.h>

#include <cstdint>
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
  why_.reset();
  const Method* const method = find_method(head.interface, head.member);
  if (head.type != dbus::MessageType::call || method == nullptr) return dbus::Wanted::no;
  const std::uint32_t most = method->limits.descriptors;
  if (most == 0) return dbus::Wanted::no;
  if (head.descriptors > most)
    return refuse_with(ErrorKind::invalid_argument, fmt::format("a call may have at most {}", most));
  Senders::Sender& sender = senders_.of(head.sender);
  if (!sender.uid) {
    if (senders_.waits_for(sender)) return dbus::Wanted::not_yet;
    if (sender.has_left) return dbus::Wanted::no;
    return refuse_with(ErrorKind::busy, "the bus does not say in time whose they are");
  }
  current_ = *sender.uid;
  if (received_.has_room(current_, head.descriptors)) return dbus::Wanted::yes;
  return refuse_with(ErrorKind::busy,
                     fmt::format("too many of uid {} or of all users are not closed yet", current_));
}

dbus::Wanted PassedDescriptors::refuse_with(ErrorKind kind, std::string why) {
  why_ = Error{kind, std::move(why)};
  return dbus::Wanted::refused;
}

void PassedDescriptors::refuse(const dbus::MessageHead* head) {
  senders_.refuse(head != nullptr ? head->sender : "",
                  head == nullptr
                      ? "sent descriptors with a message whose header cannot be read: they are not received"
                      : fmt::format("sent {} descriptors with a {} {}: they are not received{}{}",
                                    head->descriptors, dbus::to_string(head->type), head->member,
                                    why_ ? ", as " : "", why_ ? why_->message : ""));
  if (head == nullptr || !why_) return;
  const bool is_busy = why_->kind == ErrorKind::busy;
  (void)sizes_.answer(
      *head, is_busy ? dbus::error::kBusy : dbus::error::kInvalidArgument,
      fmt::format("the descriptors were not received: {}{}", why_->message, is_busy ? ". Try again" : ""));
  why_.reset();
}

}  // namespace netperfd::bus
