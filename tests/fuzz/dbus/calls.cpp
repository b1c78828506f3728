// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "dbus/names.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::bus_fuzz {
namespace {

using system_test::Message;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestAnswer = system_test::Deadline::kLong;
constexpr std::size_t kMostBytes = std::size_t{32} << 20U;
constexpr std::size_t kLongestErrorText = 20'000;

void must(int result, const char* what) {
  if (result < 0) throw std::runtime_error(fmt::format("sd-bus: {}: errno {}", what, -result));
}

// Whether one of them is ready before `end`.
bool wait_until(Clock::time_point end, std::vector<pollfd> watched) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
  return left.count() > 0 && ::poll(watched.data(), watched.size(), static_cast<int>(left.count())) > 0;
}

pollfd readiness_of(sd_bus* bus) {
  const int events = sd_bus_get_events(bus);
  must(events, "what the connection waits for");
  return {sd_bus_get_fd(bus), static_cast<short>(events), 0};
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

Message new_call(const system_test::BusClient& client, const Method& method) {
  sd_bus_message* message = nullptr;
  must(sd_bus_message_new_method_call(client.raw(), &message, dbus::kService, method.path.c_str(),
                                      method.interface.c_str(), method.name.c_str()),
       "a new call");
  return Message{message};
}

bool read_all(int descriptor, std::size_t most_bytes, std::string& bytes) {
  const auto end = Clock::now() + kLongestAnswer;
  std::array<char, 65'536> part{};
  while (bytes.size() < most_bytes) {
    if (!wait_until(end, {{descriptor, POLLIN, 0}})) return false;
    const ssize_t got = ::read(descriptor, part.data(), std::min(part.size(), most_bytes - bytes.size()));
    if (got <= 0) break;
    bytes.append(part.data(), static_cast<std::size_t>(got));
  }
  return true;
}

void Calls::add_message(const Caller& caller, const Method& method, Message message, Appended appended,
                        const std::string& what) {
  if (std::exchange(were_answered_, false)) open_.clear();
  auto call = std::make_unique<Call>();
  call->caller = &caller;
  call->method = method;
  call->what = what;
  if (!appended.descriptors.empty()) {
    descriptors_ += appended.descriptors.size();
    call->what += fmt::format(" [{}]", fmt::join(appended.descriptors, "; "));
  }
  call->message = std::move(message);
  call->other_ends = std::move(appended.other_ends);
  // Not everybody reads what he asked for.
  call->most_bytes = random_.happens(3) ? random_.size(100'000) - 1 : kMostBytes;
  call->calls = this;
  open_.push_back(std::move(call));
}

void Calls::add(const Caller& caller, const Method& method) {
  Message message = new_call(*caller.client, method);
  const bool wrong = random_.happens(8);
  Appended appended;
  constexpr std::string_view kFiles = "ahas";
  if (!wrong && method.signature.starts_with(kFiles)) {
    appended = values_.append_files(message.get());
    if (random_.happens(4)) {
      (void)values_.append(message.get(), std::string_view{method.signature}.substr(kFiles.size()));
    } else {
      must(sd_bus_message_append(message.get(), "a{sv}", 0), "append no options");
    }
  } else {
    appended = values_.append(message.get(), wrong ? values_.signature() : method.signature);
  }
  add_message(caller, method, std::move(message), std::move(appended));
}

void Calls::add_property(const Caller& caller, const Property& property) {
  const bool sets = random_.happens(4);
  const Method method{property.path, "org.freedesktop.DBus.Properties", sets ? "Set" : "Get",
                      sets ? "ssv" : "ss"};
  Message message = new_call(*caller.client, method);
  must(sd_bus_message_append(message.get(), "ss", property.interface.c_str(), property.name.c_str()),
       "append a property");
  Appended appended;
  if (sets) appended = values_.append(message.get(), "v");
  add_message(caller, method, std::move(message), std::move(appended));
}

void Calls::add_large(const Caller& caller, const Method& method) {
  Message message = new_call(*caller.client, method);
  const std::string what = large_.append(message.get(), method.signature);
  ++large_count_;
  add_message(caller, method, std::move(message), {}, " " + what);
}

void Calls::add_options(const Caller& caller, const Method& method, std::size_t options) {
  constexpr std::string_view kOptions = "a{sv}";
  Message message = new_call(*caller.client, method);
  const std::string what = large_.append_many_options(message.get(), options, false);
  (void)values_.append(message.get(), std::string_view{method.signature}.substr(kOptions.size()));
  ++large_count_;
  add_message(caller, method, std::move(message), {}, " with " + what);
}

void Calls::send() {
  for (const auto& call : open_) {
    call->number = ++count_;
    const int sent = sd_bus_call_async(call->caller->client->raw(), &call->slot, call->message.get(),
                                       on_answer, call.get(), UINT64_MAX);
    if (sent < 0) throw std::runtime_error(fmt::format("{} cannot be sent: errno {}", text_of(*call), -sent));
  }
}

std::string Calls::last() const {
  std::string text;
  for (const auto& call : open_) text += text_of(*call) + "\n";
  return text;
}

void Calls::wait() {
  wait_for(false);
  for (const auto& call : open_) call->other_ends.clear();
  wait_for(true);
  for (const auto& call : open_) call->slot = sd_bus_slot_unref(call->slot);
  were_answered_ = true;
}

Calls::Call* Calls::next_open(bool with_other_ends) {
  const auto next = std::ranges::find_if(open_, [&](const auto& call) {
    return !call->answered && (with_other_ends || call->other_ends.empty());
  });
  return next != open_.end() ? next->get() : nullptr;
}

void Calls::wait_for(bool with_other_ends) {
  const auto end = Clock::now() + kLongestAnswer;
  while (Call* const next = next_open(with_other_ends)) {
    sd_bus* const bus = next->caller->client->raw();
    const int worked = sd_bus_process(bus, nullptr);
    must(worked, "process the connection");
    if (beside_ != nullptr && beside_->serve()) continue;
    if (worked > 0) continue;
    std::vector<pollfd> watched{readiness_of(bus)};
    if (beside_ != nullptr) watched.push_back(readiness_of(beside_->bus()));
    if (wait_until(end, std::move(watched))) continue;
    found(*next, "has no answer");
    stuck_ = true;
    return;
  }
}

int Calls::on_answer(sd_bus_message* answer, void* call, sd_bus_error* /*error*/) {
  auto* const of = static_cast<Call*>(call);
  of->answered = true;
  of->calls->judge(*of, answer);
  return 0;
}

void Calls::judge(const Call& call, sd_bus_message* answer) {
  const char* const sender = sd_bus_message_get_sender(answer);  // maybe the bus
  if (sender != nullptr && *sender == ':') (void)sd_bus_message_get_cookie(answer, &last_number_);
  Answers& answers = answers_[call.method.interface + "." + call.method.name];
  if (const sd_bus_error* const error = sd_bus_message_get_error(answer)) {
    ++answers.errors[error->name];
    return judge_error(call, error->name, error->message != nullptr ? error->message : "");
  }
  ++answers.replies;
  if (!call.caller->may_change && changes_something(call.method)) found(call, "is allowed to an outsider");
  if (sd_bus_message_has_signature(answer, "h") > 0) read_descriptor(call, answer);
}

void Calls::read_descriptor(const Call& call, sd_bus_message* answer) {
  int descriptor = -1;
  std::string bytes;
  must(sd_bus_message_read(answer, "h", &descriptor), "read a descriptor");
  if (!read_all(descriptor, call.most_bytes, bytes)) found(call, "gives a descriptor that does not end");
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

std::string Calls::text_of(const Call& call) {
  constexpr std::size_t kShown = 400;
  return fmt::format("call {}, {} of {} by {}{}", call.number, call.method.name, call.method.path,
                     call.caller->name, call.what.substr(0, kShown));
}

void Calls::found(const Call& call, const std::string& what) {
  findings_.push_back(fmt::format("{}: {}", text_of(call), what));
}

}  // namespace netperfd::bus_fuzz
