// SPDX-License-Identifier: GPL-2.0-or-later
// Tracks the connections whose end the daemon must notice: subscribers, callers whose job is tied to them,
// and callers for whom work is under way that nobody else needs.
//
// Each connection has its own match rule while it is needed. A rule for all names would wake the daemon
// whenever any process joins or leaves the bus.
#pragma once

#include <sys/types.h>
#include <systemd/sd-bus.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::bus {

class Callers {
 public:
  // Called from the loop with a job whose caller has left. Must not throw.
  using CallerGone = std::function<void(JobId job)>;

  // In all, of those who may not measure, and of one user: nobody can keep the others from subscribing. Root
  // is not limited.
  static constexpr std::size_t kSubscribersLimit = 128;
  static constexpr std::size_t kReadingSubscribersLimit = 64;
  static constexpr std::size_t kSubscribersOfUserLimit = 16;

  // `bus` is borrowed and must outlive this object; it has a dbus::Peers.
  Callers(sd_bus* bus, CallerGone caller_gone) : bus_(bus), caller_gone_(std::move(caller_gone)) {}

  // Both are idempotent. `uid` is the caller's. busy if there are too many.
  [[nodiscard]] Status subscribe(const std::string& unique_name, uid_t uid, bool may_measure);
  void unsubscribe(const std::string& unique_name);
  [[nodiscard]] bool anyone_subscribed() const { return subscribers_ > 0; }

  // Calls `caller_gone(job)` once `unique_name` leaves, also if it has left already, until untie(job).
  [[nodiscard]] Status tie(JobId job, const std::string& unique_name);
  void untie(JobId job);

  // Keeps `work` until `unique_name` leaves (also if it has left already) or let_go(). Destroying `work` ends
  // it. One per caller: busy if there is one already.
  [[nodiscard]] Status hold(const std::string& unique_name, std::shared_ptr<void> work);
  [[nodiscard]] bool is_holding(const std::string& unique_name) const;
  void let_go(const std::string& unique_name);

  // Calls `left` once if `unique_name` leaves before forget(), also if it has left already. Must not throw.
  using Left = std::function<void()>;
  [[nodiscard]] Result<std::uint64_t> on_leaving(const std::string& unique_name, Left left);
  void forget(const std::string& unique_name, std::uint64_t id);

 private:
  struct UnrefSlot {
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  using Slot = std::unique_ptr<sd_bus_slot, UnrefSlot>;

  struct Caller {
    Callers* callers = nullptr;
    std::string name;
    std::optional<uid_t> subscriber;  // its user, if it is subscribed
    bool may_measure = false;         // the same
    std::set<JobId> tied;
    std::shared_ptr<void> held;
    std::map<std::uint64_t, Left> leaving;
    Slot leaves;   // the match
    Slot is_here;  // asks whether it has left
  };

  Result<Caller*> watched(const std::string& unique_name);
  [[nodiscard]] Status watch(Caller& caller);
  [[nodiscard]] Status ask(Caller& caller);
  [[nodiscard]] std::size_t subscribers_of(uid_t uid) const;
  [[nodiscard]] std::size_t reading_subscribers() const;
  void forget_if_idle(const std::string& unique_name);
  void gone(const std::string& unique_name);

  static int on_left(sd_bus_message* message, void* caller, sd_bus_error* error);
  static int on_match_installed(sd_bus_message* message, void* caller, sd_bus_error* error);
  static int on_is_here(sd_bus_message* message, void* caller, sd_bus_error* error);

  sd_bus* bus_;
  CallerGone caller_gone_;
  std::map<std::string, std::unique_ptr<Caller>> callers_;
  std::size_t subscribers_ = 0;
  std::uint64_t last_id_ = 0;  // of on_leaving()
};

}  // namespace netperfd::bus
