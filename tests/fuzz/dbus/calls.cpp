// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/calls.hpp"

#include <fmt/format.h>
#include <systemd/sd-bus.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "dbus/names.hpp"

namespace netperfd::bus_fuzz {
namespace {

using system_test::Message;

// Far more than an answer takes, beside other tests and under sanitizers.
constexpr std::chrono::seconds kLongestAnswer{30};
constexpr std::size_t kLongestErrorText = 20'000;

void must(int result, const char* what) {
  if (result < 0) throw std::runtime_error(fmt::format("sd-bus: {}: errno {}", what, -result));
}

Message new_call(const Caller& caller, const Method& method) {
  sd_bus_message* message = nullptr;
  must(sd_bus_message_new_method_call(caller.client->raw(), &message, dbus::kService, method.path.c_str(),
                                      method.interface.c_str(), method.name.c_str()),
       "a new call");
  return Message{message};
}

// sd-bus accepts only UTF-8, so what may disturb a terminal are control characters.
bool may_be_shown(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  });
}

}  // namespace

bool changes_something(const Method& method) {
  if (!method.interface.starts_with("org.netperfd1.")) return method.name == "Set";
  constexpr std::array<std::string_view, 8> kQuestions{"List",  "Get",  "Compare",   "Plan",
                                                       "Check", "Open", "Subscribe", "Unsubscribe"};
  return std::ranges::none_of(kQuestions,
                              [&](std::string_view each) { return method.name.starts_with(each); });
}

void Calls::add_message(const Caller& caller, const Method& method, Message message) {
  auto call = std::make_unique<Call>();
  call->caller = &caller;
  call->method = method;
  call->message = std::move(message);
  call->calls = this;
  open_.push_back(std::move(call));
}

void Calls::add(const Caller& caller, const Method& method) {
  Message message = new_call(caller, method);
  const bool wrong = values_.happens(8);
  values_.append(message.get(), wrong ? values_.signature() : method.signature);
  add_message(caller, method, std::move(message));
}

void Calls::add_property(const Caller& caller, const Property& property) {
  Method method{property.path, "org.freedesktop.DBus.Properties", "Get", "ss"};
  const bool sets = values_.happens(4);
  if (sets) method = {property.path, "org.freedesktop.DBus.Properties", "Set", "ssv"};
  Message message = new_call(caller, method);
  must(sd_bus_message_append(message.get(), "ss", property.interface.c_str(), property.name.c_str()),
       "append a property");
  if (sets) values_.append(message.get(), "v");
  add_message(caller, method, std::move(message));
}

void Calls::flush() {
  for (const auto& call : open_) {
    ++count_;
    const int sent = sd_bus_call_async(call->caller->client->raw(), &call->slot, call->message.get(),
                                       on_answer, call.get(), 0);
    if (sent < 0) {
      throw std::runtime_error(fmt::format("call {}, {} with {}, by {}: errno {}", count_, call->method.name,
                                           sd_bus_message_get_signature(call->message.get(), 1),
                                           call->caller->name, -sent));
    }
  }
  const auto end = std::chrono::steady_clock::now() + kLongestAnswer;
  const auto is_open = [](const std::unique_ptr<Call>& call) { return !call->answered; };
  for (auto next = open_.begin(); (next = std::find_if(next, open_.end(), is_open)) != open_.end();) {
    sd_bus* const bus = (*next)->caller->client->raw();
    const int worked = sd_bus_process(bus, nullptr);
    must(worked, "process the connection");
    if (worked > 0) continue;
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      found(**next, "has no answer");
      break;
    }
    must(sd_bus_wait(bus, static_cast<std::uint64_t>(left.count())), "wait for the connection");
  }
  for (const auto& call : open_) sd_bus_slot_unref(call->slot);
  open_.clear();
}

int Calls::on_answer(sd_bus_message* answer, void* call, sd_bus_error* /*error*/) {
  auto* const of = static_cast<Call*>(call);
  of->answered = true;
  of->calls->judge(*of, answer);
  return 0;
}

void Calls::judge(const Call& call, sd_bus_message* answer) {
  Answers& answers = answers_[call.method.interface + "." + call.method.name];
  if (const sd_bus_error* const error = sd_bus_message_get_error(answer)) {
    ++answers.errors[error->name];
    return judge_error(call, error->name, error->message != nullptr ? error->message : "");
  }
  ++answers.replies;
  if (!call.caller->may_change && changes_something(call.method)) found(call, "is allowed to an outsider");
}

void Calls::judge_error(const Call& call, const std::string& name, const std::string& text) {
  const bool named =
      name.starts_with("org.netperfd1.Error.") || name.starts_with("org.freedesktop.DBus.Error.");
  // A missing reply is what the bus says when the daemon has died or has forgotten the call.
  const bool silent = name.ends_with(".NoReply") || name.ends_with(".Timeout") ||
                      name.ends_with(".Disconnected") || name.ends_with(".ServiceUnknown") ||
                      name.ends_with(".NameHasNoOwner");
  if (!named || silent || name == dbus::error::kInternal)
    found(call, fmt::format("fails with {}: {}", name, text));
  // libsystemd answers these before the daemon sees the call, and quotes what it was sent.
  if (name.starts_with("org.freedesktop.DBus.Error.Unknown")) return;
  if (!may_be_shown(text))
    found(call, fmt::format("fails with {} and control characters in {:?}", name, text));
  if (text.size() > kLongestErrorText)
    found(call, fmt::format("fails with {} and a text of {} bytes", name, text.size()));
  if (text.empty()) found(call, fmt::format("fails with {} without a text", name));
}

void Calls::found(const Call& call, const std::string& what) {
  findings_.push_back(fmt::format("call {}, {} of {} by {}: {}", count_, call.method.name, call.method.path,
                                  call.caller->name, what));
}

}  // namespace netperfd::bus_fuzz
