// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/senders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/bus/access/bus_driver.hpp"
#include "dbus/peers.hpp"

namespace netperfd::bus {

Senders::Sender& Senders::of(std::string_view name) {
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

// The loop waits for a millisecond and then goes on with others: the message stays in the socket. Somebody
// may send signals to this connection, so that there is always something to handle.
bool Senders::waits_for(Sender& sender) {
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

bool Senders::is_bus_late() const {
  return std::ranges::any_of(senders_, [before = Clock::now() - kPatience](const auto& each) {
    return each.second.question && each.second.asked < before;
  });
}

void Senders::refuse(std::string_view name, std::string what) {
  Sender& sender = of(name);
  ++sender.refused;
  sender.last = std::move(what);
  ask_for(sender);
  if (!sender.question) tell(sender);
  if (sender.has_left) senders_.erase(sender.name);  // nothing more comes from this name
}

// The bus answers sooner or later, and in the order of the questions.
void Senders::ask_for(Sender& sender) {
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

int Senders::on_user(sd_bus_message* answer, void* sender, sd_bus_error*) {
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
  if (asked.refused == 0) return 0;  // waits_for() has asked
  asked.owner->tell(asked);
  if (asked.has_left) asked.owner->senders_.erase(std::string{asked.name});
  return 0;
}

void Senders::tell(Sender& sender) {
  const std::uint64_t count = std::exchange(sender.refused, 0);
  if (count == 0) return;
  const std::string who = sender.uid            ? fmt::format("uid {} ({})", *sender.uid, sender.name)
                          : sender.name.empty() ? std::string{"somebody"}
                                                : fmt::format("{}, which has left the bus,", sender.name);
  refusals_.note(sender.uid.value_or(static_cast<uid_t>(-1)), sender.name,
                 fmt::format("{} {}", who, sender.last), count);
}

}  // namespace netperfd::bus
