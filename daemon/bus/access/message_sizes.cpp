// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/message_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "daemon/bus/access/message_limits.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {
namespace {

std::size_t most_bytes(const dbus::MessageHead& head) {
  if (head.type != dbus::MessageType::call) return kMostAnswerBytes;
  return most_message_bytes(head.interface, head.member);
}

std::string_view or_empty(const char* text) {
  return text != nullptr ? text : "";
}

// The message was handled: nothing else sees it.
int refuse_call(sd_bus_message* call, const char* error, const std::string& why) {
  (void)sd_bus_reply_method_errorf(call, error, "%s", why.c_str());
  return 1;
}

}  // namespace

MessageSizes::MessageSizes(dbus::SocketGuard& guard, sd_bus* bus, Senders& senders)
    : guard_(guard), senders_(senders) {
  sd_bus_slot* slot = nullptr;
  if (const int r = sd_bus_add_filter(bus, &slot, on_message, this); r < 0)
    throw sdbus::createError(-r, "sd_bus_add_filter");
  filter_.reset(slot);
  guard_.set_sizes(
      {.most = most_bytes, .too_large = [this](const dbus::MessageHead* head, std::size_t bytes) {
         return refuse(head, bytes);
       }});
}

MessageSizes::~MessageSizes() {
  guard_.set_sizes({});
}

// Whether it is a call that on_message() is about to answer.
bool MessageSizes::refuse(const dbus::MessageHead* head, std::size_t bytes) {
  if (head == nullptr) {
    senders_.refuse("", fmt::format("sent {} bytes whose header cannot be read: they are ignored", bytes));
    return false;
  }
  const std::string why =
      fmt::format("the message has {} bytes; at most {} are read", bytes, most_bytes(*head));
  senders_.refuse(head->sender,
                  fmt::format("sent a {} {}: {}", dbus::to_string(head->type), head->member, why));
  return head->type == dbus::MessageType::call && answer(*head, dbus::error::kInvalidArgument, why);
}

bool MessageSizes::answer(const dbus::MessageHead& call, const char* error, const std::string& why) {
  if (cut_.size() >= kMostCut) return false;
  cut_.push_back({.sender = std::string{call.sender},
                  .serial = call.serial,
                  .error = error,
                  .why = fmt::format("{}: {}", call.member, why)});
  return true;
}

// If a sender has two calls under way with one number, the answers may be swapped: that is his own fault.
int MessageSizes::on_message(sd_bus_message* message, void* self, sd_bus_error*) {
  auto& sizes = *static_cast<MessageSizes*>(self);
  std::uint8_t type = 0;
  std::uint64_t serial = 0;
  sd_bus_message_get_type(message, &type);
  if (type != SD_BUS_MESSAGE_METHOD_CALL || sd_bus_message_get_cookie(message, &serial) < 0) return 0;
  const std::string_view sender = or_empty(sd_bus_message_get_sender(message));
  const auto cut = std::ranges::find_if(
      sizes.cut_, [&](const Cut& each) { return each.serial == serial && each.sender == sender; });
  if (cut != sizes.cut_.end()) {
    const Cut found = std::move(*cut);
    sizes.cut_.erase(sizes.cut_.begin(), cut + 1);
    return refuse_call(message, found.error, found.why);
  }
  const std::string_view member = or_empty(sd_bus_message_get_member(message));
  const std::string_view interface = or_empty(sd_bus_message_get_interface(message));
  const Status few = expect_few_entries(message, most_entries(interface, member));
  if (few) return 0;
  sizes.senders_.refuse(sender, fmt::format("sent a call {}: {}", member, few.error().message));
  return refuse_call(message, dbus::error::kInvalidArgument,
                     fmt::format("{}: {}", member, few.error().message));
}

}  // namespace netperfd::bus
