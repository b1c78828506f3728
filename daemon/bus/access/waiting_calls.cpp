// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/waiting_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "daemon/bus/access/message_limits.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

WaitingCalls::WaitingCalls(EventLoop& loop, dbus::SocketGuard& guard, sd_bus* bus, Senders& senders,
                           MessageSizes& sizes, UnderWay& under_way, KnownRights rights)
    : loop_(loop),
      guard_(guard),
      bus_(bus),
      senders_(senders),
      sizes_(sizes),
      under_way_(under_way),
      rights_(std::move(rights)) {
  sd_bus_slot* slot = nullptr;
  if (const int r = sd_bus_add_filter(bus, &slot, on_message, this); r < 0)
    throw sdbus::createError(-r, "sd_bus_add_filter");
  filter_.reset(slot);
  under_way_.on_change([this] { wake(); });
  guard_.set_calls(this);
}

WaitingCalls::~WaitingCalls() {
  guard_.set_calls(nullptr);
  under_way_.on_change(nullptr);
}

bool WaitingCalls::knows(const dbus::MessageHead& head) {
  Senders::Sender& sender = senders_.of(head.sender);
  return sender.uid || !senders_.waits_for(sender);
}

// Unknown senders are one user.
dbus::CallQueue::Room WaitingCalls::room_for(const dbus::MessageHead* head, std::size_t bytes) {
  under_way_.begin(nullptr);  // the last call was handed out: what nobody has claimed of it, nobody will
  coming_ = Who{};
  coming_.bytes = bytes;
  bool is_trusted = false;
  if (head != nullptr) {
    const Senders::Sender& sender = senders_.of(head->sender);
    coming_.sender = head->sender;
    coming_.serial = head->serial;
    coming_.user = sender.uid.value_or(coming_.user);
    coming_.may_measure = sender.uid && rights_.may_measure(sender);
    // What would have to be looked up is not, for every small call.
    is_trusted =
        coming_.may_measure || (sender.uid && bytes > kMostUntrustedBytes && rights_.has_jobs(*sender.uid));
  }
  if (bytes > kMostUntrustedBytes && !is_trusted) {
    return refuse(head, dbus::error::kInvalidArgument,
                  fmt::format("the message has {} bytes; at most {} are read of a user who is no member of "
                              "the group and owns no run",
                              bytes, kMostUntrustedBytes));
  }
  if (budget_.has_room(coming_.user, bytes, is_trusted)) return Room::is_here;
  return refuse(head, dbus::error::kBusy,
                fmt::format("{} KiB of calls of this user are not answered yet: try again then",
                            budget_.taken_by(coming_.user) / 1024));
}

dbus::CallQueue::Room WaitingCalls::refuse(const dbus::MessageHead* head, const char* error,
                                           const std::string& why) {
  if (head == nullptr) {
    senders_.refuse("", fmt::format("sent a call whose header cannot be read: {}", why));
    return Room::refused;
  }
  const bool is_answered = sizes_.answer(*head, error, why);
  senders_.refuse(head->sender, fmt::format("sent a call {}: {}", head->member, why));
  return is_answered ? Room::refused_with_answer : Room::refused;
}

void WaitingCalls::put(dbus::WaitingCall call) {
  const Place now{.user = coming_.user, .may_measure = coming_.may_measure};
  Place& place = places_.try_emplace(coming_.sender, now).first->second;
  ++place.calls;
  const auto of_call = std::make_shared<const UnderWay::OfCall>(
      UnderWay::OfCall{.user = place.user, .bytes = budget_.take(coming_.user, coming_.bytes)});
  round_.put(place.user, place.may_measure,
             {std::move(call), std::move(coming_.sender), coming_.serial, of_call});
  wake();
}

bool WaitingCalls::has_next() const {
  return round_.has_ready([this](uid_t user) { return under_way_.may_begin(user); });
}

dbus::WaitingCall WaitingCalls::next() {
  auto waiting = round_.next([this](uid_t user) { return under_way_.may_begin(user); });
  if (!waiting) return {};
  if (const auto place = places_.find(waiting->sender); --place->second.calls == 0) places_.erase(place);
  // Of others, nothing is kept once they are given.
  if (!waiting->sender.empty())
    given_.push_back({std::move(waiting->sender), waiting->serial, std::move(waiting->of_call)});
  return std::move(waiting->call);
}

// The socket tells of what is in it, but not of what waits here.
void WaitingCalls::wake() {
  if (awake_ || !has_next()) return;
  auto soon = loop_.after(std::chrono::microseconds{0}, [this] {
    awake_.reset();
    if (sd_bus_process(bus_, nullptr) >= 0) wake();
  });
  if (soon) awake_ = std::move(*soon);
}

// What libsystemd has dropped as malformed is never handed out.
int WaitingCalls::on_message(sd_bus_message* message, void* self, sd_bus_error*) {
  auto& calls = *static_cast<WaitingCalls*>(self);
  std::uint8_t type = 0;
  std::uint64_t serial = 0;
  sd_bus_message_get_type(message, &type);
  if (type != SD_BUS_MESSAGE_METHOD_CALL || sd_bus_message_get_cookie(message, &serial) < 0) return 0;
  const char* const name = sd_bus_message_get_sender(message);
  const std::string_view sender = name != nullptr ? name : "";
  const auto given = std::ranges::find_if(
      calls.given_, [&](const Given& each) { return each.serial == serial && each.sender == sender; });
  if (given == calls.given_.end()) {
    calls.under_way_.begin(nullptr);
    return 0;
  }
  calls.under_way_.begin(std::move(given->of_call));
  calls.given_.erase(calls.given_.begin(), given + 1);
  return 0;
}

}  // namespace netperfd::bus
