// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/polkit.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

namespace netperfd::bus {
namespace {

constexpr const char* kPath = "/org/freedesktop/PolicyKit1/Authority";
constexpr const char* kInterface = "org.freedesktop.PolicyKit1.Authority";

constexpr std::uint32_t kAllowUserInteraction = 1;

struct UnrefMessage {
  void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
};
using OwnedMessage = std::unique_ptr<sd_bus_message, UnrefMessage>;

int append_details(sd_bus_message* message, const std::map<std::string, std::string>& details) {
  int r = sd_bus_message_open_container(message, 'a', "{ss}");
  for (const auto& [key, value] : details) {
    if (r >= 0) r = sd_bus_message_append(message, "{ss}", key.c_str(), value.c_str());
  }
  return r < 0 ? r : sd_bus_message_close_container(message);
}

// The bus reports these names if nobody owns the service and nothing is there to start it. Every other error
// means that polkit is installed.
bool means_not_installed(std::string_view name) {
  return name == SD_BUS_ERROR_SERVICE_UNKNOWN || name == SD_BUS_ERROR_NAME_HAS_NO_OWNER;
}

PolkitAnswer read_answer(sd_bus_message* message) {
  using Kind = PolkitAnswer::Kind;
  if (const sd_bus_error* error = sd_bus_message_get_error(message); error != nullptr) {
    if (means_not_installed(error->name)) return {Kind::not_installed};
    return {Kind::failed, error->message != nullptr ? error->message : error->name};
  }
  int allowed = 0;
  int challenge = 0;
  int r = sd_bus_message_enter_container(message, 'r', "bba{ss}");
  if (r > 0) r = sd_bus_message_read(message, "bb", &allowed, &challenge);
  if (r <= 0) return {Kind::failed, "its answer is not of the type that polkit documents"};
  if (allowed != 0) return {Kind::allowed};
  return {challenge != 0 ? Kind::needs_person : Kind::denied};
}

}  // namespace

int Polkit::send(const PolkitQuestion& question, Pending& pending) {
  sd_bus_message* raw = nullptr;
  int r = sd_bus_message_new_method_call(bus_, &raw, kService, kPath, kInterface, "CheckAuthorization");
  const OwnedMessage message{raw};
  if (r >= 0) {
    r = sd_bus_message_append(raw, "(sa{sv})s", "system-bus-name", 1, "name", "s", question.caller.c_str(),
                              question.action.c_str());
  }
  if (r >= 0) r = append_details(raw, question.details);
  if (r >= 0) {
    const std::uint32_t flags = question.interactive ? kAllowUserInteraction : 0;
    r = sd_bus_message_append(raw, "us", flags, pending.cancellation.c_str());
  }
  if (r < 0) return r;
  const std::chrono::microseconds timeout = question.interactive ? timeouts_.interactive : timeouts_.plain;
  sd_bus_slot* slot = nullptr;
  r = sd_bus_call_async(bus_, &slot, raw, on_answer, &pending, static_cast<std::uint64_t>(timeout.count()));
  pending.slot.reset(slot);
  return r;
}

void Polkit::ask(const PolkitQuestion& question, Done done) {
  const auto added = pending_.emplace(pending_.end());
  Pending& pending = *added;
  pending.owner = this;
  pending.self = added;
  pending.done = std::move(done);
  pending.caller = question.caller;
  if (question.interactive) pending.cancellation = fmt::format("netperfd-{}", ++last_cancellation_);
  if (const int r = send(question, pending); r < 0) {
    return finish(pending, {PolkitAnswer::Kind::failed, std::generic_category().message(-r)});
  }
  if (!question.interactive) return;
  // Nobody waits for the password any more if the caller leaves. polkit then answers with an error.
  auto watch = callers_.on_leaving(pending.caller,
                                   [this, cancellation = pending.cancellation] { cancel(cancellation); });
  if (watch) pending.watch = *watch;  // else the timeout ends the question
}

void Polkit::cancel(const std::string& cancellation) {
  // No answer is requested: the answer of the question itself tells.
  sd_bus_message* raw = nullptr;
  int r = sd_bus_message_new_method_call(bus_, &raw, kService, kPath, kInterface, "CancelCheckAuthorization");
  const OwnedMessage message{raw};
  if (r >= 0) r = sd_bus_message_append(raw, "s", cancellation.c_str());
  if (r >= 0) (void)sd_bus_send(bus_, raw, nullptr);
}

void Polkit::finish(Pending& pending, const PolkitAnswer& answer) {
  const auto node = pending.self;
  std::list<Pending> ended;  // the slot must outlive its own callback
  ended.splice(ended.end(), pending_, node);
  if (pending.watch) callers_.forget(pending.caller, *pending.watch);
  pending.done(answer);
}

int Polkit::on_answer(sd_bus_message* message, void* pending, sd_bus_error*) {
  auto& asked = *static_cast<Pending*>(pending);
  // libsystemd itself makes the error of a timeout.
  const bool timed_out = sd_bus_message_is_method_error(message, SD_BUS_ERROR_TIMEOUT) > 0 ||
                         sd_bus_message_is_method_error(message, SD_BUS_ERROR_NO_REPLY) > 0;
  // The question was answered by its number, so polkit's own answer will find nobody.
  const bool forged = !asked.owner->peers_.is_answer(message, kService);
  if ((timed_out || forged) && !asked.cancellation.empty()) asked.owner->cancel(asked.cancellation);
  asked.owner->finish(
      asked, forged ? PolkitAnswer{PolkitAnswer::Kind::failed, "another program answered in its place"}
                    : read_answer(message));
  return 0;
}

}  // namespace netperfd::bus
