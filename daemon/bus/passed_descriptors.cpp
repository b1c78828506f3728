// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/passed_descriptors.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/bus/bus_driver.hpp"
#include "daemon/core/importer.hpp"
#include "dbus/names.hpp"
#include "dbus/peers.hpp"

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

}  // namespace

PassedDescriptors::PassedDescriptors(EventLoop& loop, sd_bus* bus, Refusals& refusals)
    : loop_(loop),
      bus_(bus),
      refusals_(refusals),
      received_(loop),
      guard_(sd_bus_get_fd(bus), {.wants = [this](const dbus::MessageHead& head) { return wants(head); },
                                  .replace = [this](int number) { return replace(number); },
                                  .refused = [this](const dbus::MessageHead* head) { refuse(head); }}) {}

// The object is not examined: a call of an unknown one is answered like any other.
bool PassedDescriptors::wants(const dbus::MessageHead& head) {
  is_full_ = false;
  is_of_bus_ = head.sender == kBusService;
  if (is_of_bus_) return true;
  if (head.type != dbus::MessageType::call || head.descriptors > core::Importer::kMostFiles) return false;
  if (head.member != "ImportRun" && head.member != "RestoreStore") return false;
  if (!head.interface.empty() && head.interface != dbus::kManagerInterface) return false;
  const Sender& sender = sender_of(head.sender);
  current_ = {.name = sender.name, .uid = sender.uid};
  if (!sender.uid) ask_later();
  is_full_ = !received_.has_room(sender.uid, head.descriptors);
  return !is_full_;
}

int PassedDescriptors::replace(int number) {
  if (is_of_bus_) return number;
  return received_.token_for(Fd{number}, current_);
}

void PassedDescriptors::refuse(const dbus::MessageHead* head) {
  Sender& sender = sender_of(head != nullptr ? head->sender : "");
  ++sender.refused;
  sender.last = head == nullptr
                    ? "descriptors with a message whose header cannot be read"
                    : fmt::format("{} descriptors with a {} {}{}", head->descriptors, name_of(head->type),
                                  head->member, is_full_ ? " while too many of this user's are here" : "");
  is_full_ = false;
  ask_later();
}

// An empty name stands for all that are too many.
PassedDescriptors::Sender& PassedDescriptors::sender_of(std::string_view name) {
  if (const auto known = senders_.find(name); known != senders_.end()) return known->second;
  if (senders_.size() >= kMostSenders) {
    std::erase_if(senders_, [](const auto& each) {
      return each.second.uid && each.second.refused == 0 && !each.second.question;
    });
  }
  const std::string entry{senders_.size() < kMostSenders ? name : ""};
  Sender& sender = senders_[entry];
  sender.owner = this;
  sender.name = entry;
  return sender;
}

// This is within recvmsg(), where the connection cannot be used.
void PassedDescriptors::ask_later() {
  if (turn_) return;
  if (auto turn = loop_.after(std::chrono::microseconds{0}, [this] { ask_for_users(); })) {
    turn_ = std::move(*turn);
  }
}

void PassedDescriptors::ask_for_users() {
  turn_.reset();
  for (auto& [name, sender] : senders_) {
    if (sender.question) continue;
    sd_bus_slot* slot = nullptr;
    if (name.empty() || sender.uid ||
        sd_bus_call_method_async(bus_, &slot, kBusService, kBusPath, kBusService, "GetConnectionUnixUser",
                                 on_user, &sender, "s", name.c_str()) < 0) {
      tell(sender);
      continue;
    }
    sender.question.reset(slot);
  }
}

int PassedDescriptors::on_user(sd_bus_message* answer, void* sender, sd_bus_error*) {
  auto& asked = *static_cast<Sender*>(sender);
  if (!dbus::Peers::is_from_bus(answer)) {  // somebody guessed the question's number
    asked.question.reset();
    asked.owner->ask_later();
    return 0;
  }
  std::uint32_t uid = 0;
  if (sd_bus_message_is_method_error(answer, nullptr) == 0 && sd_bus_message_read(answer, "u", &uid) > 0) {
    asked.uid = uid;
    asked.owner->received_.identify(asked.name, uid);
  }
  asked.owner->tell(asked);
  asked.question.reset();
  // It has left: nothing more comes from this name.
  if (!asked.uid) asked.owner->senders_.erase(std::string{asked.name});
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
