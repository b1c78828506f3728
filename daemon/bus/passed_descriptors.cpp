// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/passed_descriptors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/bus/bus_driver.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/log/log.hpp"
#include "dbus/names.hpp"
#include "dbus/peers.hpp"
#include "dbus/shed_descriptors.hpp"

namespace netperfd::bus {
namespace {

constexpr std::string_view name_of(dbus::MessageType type) {
  switch (type) {
    case dbus::MessageType::call:
      return "call";
    case dbus::MessageType::reply:
      return "reply";
    case dbus::MessageType::error:
      return "error";
    case dbus::MessageType::signal:
      return "signal";
  }
  return "message";
}

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

PassedDescriptors::PassedDescriptors(EventLoop& loop, dbus::SocketGuard& guard, sd_bus* questions,
                                     Refusals& refusals)
    : guard_(guard), questions_(questions), refusals_(refusals), received_(loop) {
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
  if (head.type != dbus::MessageType::call || head.descriptors > core::Importer::kMostFiles)
    return dbus::Wanted::no;
  if (head.member != "ImportRun" && head.member != "RestoreStore") return dbus::Wanted::no;
  if (!head.interface.empty() && head.interface != dbus::kManagerInterface) return dbus::Wanted::no;
  Sender& sender = sender_of(head.sender);
  if (!sender.uid) {
    if (waits_for(sender)) return dbus::Wanted::not_yet;
    why_ = sender.has_left ? "" : " while the bus does not tell its user";
    return dbus::Wanted::no;
  }
  current_ = *sender.uid;
  if (received_.has_room(current_, head.descriptors)) return dbus::Wanted::yes;
  why_ = " while too many of this user's are here";
  return dbus::Wanted::no;
}

// The loop waits for a millisecond and then goes on with others: the message stays in the socket. Somebody
// may send signals to this connection, so that there is always something to handle.
bool PassedDescriptors::waits_for(Sender& sender) {
  if (sender.has_left || is_bus_late()) return false;
  ask_for(sender);
  if (!sender.question && !sender.name.empty()) return false;
  constexpr std::chrono::microseconds kMoment{1000};
  const auto end = Clock::now() + kMoment;
  (void)sd_bus_wait(questions_, kMoment.count());
  while (sd_bus_process(questions_, nullptr) > 0 && Clock::now() < end) {
  }
  return true;
}

bool PassedDescriptors::is_bus_late() const {
  return std::ranges::any_of(senders_, [before = Clock::now() - kPatience](const auto& each) {
    return each.second.question && each.second.asked < before;
  });
}

void PassedDescriptors::refuse(const dbus::MessageHead* head) {
  Sender& sender = sender_of(head != nullptr ? head->sender : "");
  ++sender.refused;
  sender.last = head == nullptr ? "descriptors with a message whose header cannot be read"
                                : fmt::format("{} descriptors with a {} {}{}", head->descriptors,
                                              name_of(head->type), head->member, why_);
  why_.clear();
  ask_for(sender);
  if (!sender.question) tell(sender);
  if (sender.has_left) senders_.erase(sender.name);  // nothing more comes from this name
}

// An empty name stands for all that are too many.
PassedDescriptors::Sender& PassedDescriptors::sender_of(std::string_view name) {
  if (const auto known = senders_.find(name); known != senders_.end()) return known->second;
  if (senders_.size() >= kMostSenders) {
    std::erase_if(senders_, [](const auto& each) {
      return (each.second.uid || each.second.has_left) && each.second.refused == 0;
    });
  }
  const std::string entry{senders_.size() < kMostSenders ? name : ""};
  Sender& sender = senders_[entry];
  sender.owner = this;
  sender.name = entry;
  return sender;
}

// The bus answers sooner or later, and in the order of the questions.
void PassedDescriptors::ask_for(Sender& sender) {
  if (sender.name.empty() || sender.uid || sender.has_left || sender.question) return;
  sd_bus_message* call = nullptr;
  sd_bus_slot* slot = nullptr;
  int r = sd_bus_message_new_method_call(questions_, &call, kBusService, kBusPath, kBusService,
                                         "GetConnectionUnixUser");
  if (r >= 0) r = sd_bus_message_append(call, "s", sender.name.c_str());
  if (r >= 0) r = sd_bus_call_async(questions_, &slot, call, on_user, &sender, UINT64_MAX);
  sd_bus_message_unref(call);
  if (r < 0) return;
  sender.asked = Clock::now();
  sender.question.reset(slot);
}

int PassedDescriptors::on_user(sd_bus_message* answer, void* sender, sd_bus_error*) {
  auto& asked = *static_cast<Sender*>(sender);
  asked.question.reset();
  if (!dbus::Peers::is_from_bus(answer)) {  // somebody guessed the question's number
    asked.owner->ask_for(asked);
    return 0;
  }
  std::uint32_t uid = 0;
  if (sd_bus_message_is_method_error(answer, nullptr) == 0 && sd_bus_message_read(answer, "u", &uid) > 0) {
    asked.uid = uid;
  }
  asked.has_left = !asked.uid;
  if (asked.refused == 0) return 0;  // wants() has asked
  asked.owner->tell(asked);
  if (asked.has_left) asked.owner->senders_.erase(std::string{asked.name});
  return 0;
}

void PassedDescriptors::tell(Sender& sender) {
  const std::uint64_t count = std::exchange(sender.refused, 0);
  if (count == 0) return;
  const std::string who = sender.uid            ? fmt::format("uid {} ({})", *sender.uid, sender.name)
                          : sender.name.empty() ? std::string{"somebody"}
                                                : fmt::format("{}, which has left the bus,", sender.name);
  refusals_.note(sender.uid.value_or(static_cast<uid_t>(-1)), sender.name,
                 fmt::format("{} sent {}: they are not received", who, sender.last), count);
}

}  // namespace netperfd::bus
