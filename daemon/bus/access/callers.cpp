// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/access/callers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/bus/access/bus_driver.hpp"
#include "dbus/peers.hpp"

namespace netperfd::bus {
namespace {

// What a reply to a question to the bus is.
enum class BusAnswer {
  given,
  refused,
  none  // it is another one's, or libsystemd made it because the bus did not answer in time
};

BusAnswer answer_of(sd_bus_message* reply) {
  const bool late = sd_bus_message_is_method_error(reply, SD_BUS_ERROR_TIMEOUT) > 0 ||
                    sd_bus_message_is_method_error(reply, SD_BUS_ERROR_NO_REPLY) > 0;
  if (late || !dbus::Peers::is_from_bus(reply)) return BusAnswer::none;
  return sd_bus_message_is_method_error(reply, nullptr) > 0 ? BusAnswer::refused : BusAnswer::given;
}

}  // namespace

Status Callers::subscribe(const std::string& unique_name, uid_t uid, bool may_measure) {
  const auto known = callers_.find(unique_name);
  if (known != callers_.end() && known->second->subscriber) return {};
  if (const auto own = subscribers_of(uid); uid != 0 && own >= kSubscribersOfUserLimit) {
    return fail(ErrorKind::busy, fmt::format("{} callers of uid {} are subscribed already", own, uid));
  }
  const bool is_full = subscribers_ >= kSubscribersLimit ||
                       (!may_measure && reading_subscribers() >= kReadingSubscribersLimit);
  if (uid != 0 && is_full) {
    return fail(ErrorKind::busy, fmt::format("{} callers are subscribed already", subscribers_));
  }
  auto caller = watched(unique_name);
  if (!caller) return std::unexpected(std::move(caller.error()));
  (*caller)->subscriber = uid;
  (*caller)->may_measure = may_measure;
  ++subscribers_;
  return {};
}

void Callers::unsubscribe(const std::string& unique_name) {
  const auto known = callers_.find(unique_name);
  if (known == callers_.end() || !known->second->subscriber) return;
  known->second->subscriber.reset();
  --subscribers_;
  forget_if_idle(unique_name);
}

Status Callers::tie(JobId job, const std::string& unique_name) {
  auto caller = watched(unique_name);
  if (!caller) return std::unexpected(std::move(caller.error()));
  (*caller)->tied.insert(job);
  return {};
}

void Callers::untie(JobId job) {
  for (const auto& [name, caller] : callers_) {
    if (caller->tied.erase(job) == 0) continue;
    const std::string copy = name;  // the entry owns the original
    forget_if_idle(copy);
    return;
  }
}

Status Callers::hold(const std::string& unique_name, std::shared_ptr<void> work) {
  if (is_holding(unique_name)) return fail(ErrorKind::busy, "other work of this caller's is under way");
  auto caller = watched(unique_name);
  if (!caller) return std::unexpected(std::move(caller.error()));
  (*caller)->held = std::move(work);
  return {};
}

bool Callers::is_holding(const std::string& unique_name) const {
  const auto known = callers_.find(unique_name);
  return known != callers_.end() && known->second->held != nullptr;
}

void Callers::let_go(const std::string& unique_name) {
  const auto known = callers_.find(unique_name);
  if (known == callers_.end()) return;
  const auto held = std::exchange(known->second->held, nullptr);  // destroyed last: it may own the name
  forget_if_idle(unique_name);
}

Result<std::uint64_t> Callers::on_leaving(const std::string& unique_name, Left left) {
  auto caller = watched(unique_name);
  if (!caller) return std::unexpected(std::move(caller.error()));
  (*caller)->leaving.emplace(++last_id_, std::move(left));
  return last_id_;
}

void Callers::forget(const std::string& unique_name, std::uint64_t id) {
  const auto known = callers_.find(unique_name);
  if (known == callers_.end() || known->second->leaving.erase(id) == 0) return;
  forget_if_idle(unique_name);
}

std::size_t Callers::subscribers_of(uid_t uid) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(callers_, [uid](const auto& entry) { return entry.second->subscriber == uid; }));
}

std::size_t Callers::reading_subscribers() const {
  return static_cast<std::size_t>(std::ranges::count_if(callers_, [](const auto& entry) {
    return entry.second->subscriber.has_value() && !entry.second->may_measure;
  }));
}

Result<Callers::Caller*> Callers::watched(const std::string& unique_name) {
  if (const auto known = callers_.find(unique_name); known != callers_.end()) return known->second.get();
  auto caller = std::make_unique<Caller>();
  caller->callers = this;
  caller->name = unique_name;
  if (auto watching = watch(*caller); !watching) return std::unexpected(std::move(watching.error()));
  return callers_.emplace(unique_name, std::move(caller)).first->second.get();
}

Status Callers::watch(Caller& caller) {
  const std::string rule = fmt::format(
      "type='signal',sender='{0}',path='{1}',interface='{0}',member='NameOwnerChanged',arg0='{2}',arg2=''",
      kBusService, kBusPath, caller.name);
  sd_bus_slot* slot = nullptr;
  // A handler must not wait for the bus. The bus answers in the order of our questions, so the second answer
  // reports every departure that the match was too late for.
  const int r = sd_bus_add_match_async(bus_, &slot, rule.c_str(), on_left, on_match_installed, &caller);
  if (r < 0) return fail_errno("sd_bus_add_match_async", -r);
  caller.leaves.reset(slot);
  return ask(caller);
}

Status Callers::ask(Caller& caller) {
  sd_bus_slot* slot = nullptr;
  const int r = sd_bus_call_method_async(bus_, &slot, kBusService, kBusPath, kBusService, "NameHasOwner",
                                         on_is_here, &caller, "s", caller.name.c_str());
  if (r < 0) return fail_errno("sd_bus_call_method_async NameHasOwner", -r);
  caller.is_here.reset(slot);
  return {};
}

void Callers::forget_if_idle(const std::string& unique_name) {
  const auto known = callers_.find(unique_name);
  const Caller& caller = *known->second;
  const bool idle = !caller.subscriber && caller.tied.empty() && !caller.held && caller.leaving.empty();
  if (idle) callers_.erase(known);
}

void Callers::gone(const std::string& unique_name) {
  const auto node = callers_.extract(unique_name);
  if (node.mapped()->subscriber) --subscribers_;
  for (const JobId job : node.mapped()->tied) caller_gone_(job);
  for (const auto& [id, left] : node.mapped()->leaving) left();
}

int Callers::on_left(sd_bus_message*, void* caller, sd_bus_error*) {
  auto* left = static_cast<Caller*>(caller);
  // on_is_here() decides.
  if (!left->callers->ask(*left)) left->callers->gone(left->name);
  return 0;
}

int Callers::on_match_installed(sd_bus_message* message, void* caller, sd_bus_error*) {
  auto* watched = static_cast<Caller*>(caller);
  switch (answer_of(message)) {
    case BusAnswer::given:
      break;
    case BusAnswer::refused:
      // A caller that cannot be watched must not keep the daemon busy forever.
      watched->callers->gone(watched->name);
      break;
    case BusAnswer::none:
      if (!watched->callers->watch(*watched)) watched->callers->gone(watched->name);
      break;
  }
  return 0;
}

int Callers::on_is_here(sd_bus_message* message, void* caller, sd_bus_error*) {
  auto* asked = static_cast<Caller*>(caller);
  const BusAnswer answer = answer_of(message);
  if (answer == BusAnswer::none) {
    if (!asked->callers->ask(*asked)) asked->callers->gone(asked->name);
    return 0;
  }
  int is_here = 0;
  if (answer == BusAnswer::refused || sd_bus_message_read(message, "b", &is_here) < 0 || is_here == 0)
    asked->callers->gone(asked->name);
  return 0;
}

}  // namespace netperfd::bus
