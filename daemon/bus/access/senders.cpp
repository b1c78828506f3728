// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/senders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/bus/access/bus_driver.hpp"
#include "dbus/peers.hpp"

namespace netperfd::bus {
namespace {

void read_value(sd_bus_message* answer, std::string_view key, Senders::Sender& sender) {
  std::uint32_t uid = 0;
  const void* groups = nullptr;
  std::size_t bytes = 0;
  if (key == "UnixUserID" && sd_bus_message_read(answer, "v", "u", &uid) > 0) {
    sender.uid = uid;
  } else if (key == "UnixGroupIDs" && sd_bus_message_enter_container(answer, 'v', "au") > 0) {
    if (sd_bus_message_read_array(answer, 'u', &groups, &bytes) > 0) {
      const auto* const first = static_cast<const std::uint32_t*>(groups);
      sender.groups.assign(first, first + bytes / sizeof *first);
    }
    sd_bus_message_exit_container(answer);
  } else {
    sd_bus_message_skip(answer, "v");
  }
}

// Of the bus itself: a{sv}.
void read_credentials(sd_bus_message* answer, Senders::Sender& sender) {
  if (sd_bus_message_enter_container(answer, 'a', "{sv}") <= 0) return;
  const char* key = nullptr;
  while (sd_bus_message_enter_container(answer, 'e', "sv") > 0 &&
         sd_bus_message_read(answer, "s", &key) > 0) {
    read_value(answer, key, sender);
    if (sd_bus_message_exit_container(answer) < 0) return;
  }
}

}  // namespace

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
                                         "GetConnectionCredentials");
  if (r >= 0) r = sd_bus_message_append(call, "s", sender.name.c_str());
  if (r >= 0) r = sd_bus_call_async(questions_, &slot, call, on_credentials, &sender, UINT64_MAX);
  sd_bus_message_unref(call);
  if (r < 0) return;
  sender.asked = Clock::now();
  sender.question.reset(slot);
}

int Senders::on_credentials(sd_bus_message* answer, void* sender, sd_bus_error*) {
  auto& asked = *static_cast<Sender*>(sender);
  asked.question.reset();
  if (!dbus::Peers::is_from_bus(answer)) {  // somebody guessed the question's number
    asked.owner->ask_for(asked);
    return 0;
  }
  if (sd_bus_message_is_method_error(answer, nullptr) == 0) read_credentials(answer, asked);
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
