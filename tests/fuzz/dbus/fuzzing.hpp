// SPDX-License-Identifier: GPL-2.0-or-later
// The real daemon on a bus of its own, with everybody who calls it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/fuzz/dbus/authority.hpp"
#include "tests/fuzz/dbus/calls.hpp"
#include "tests/fuzz/dbus/descriptors.hpp"
#include "tests/fuzz/dbus/forged.hpp"
#include "tests/fuzz/dbus/introspection.hpp"
#include "tests/fuzz/dbus/random.hpp"
#include "tests/fuzz/dbus/stores.hpp"
#include "tests/fuzz/dbus/values.hpp"
#include "tests/system/harness/lab.hpp"

namespace netperfd::bus_fuzz {

struct Settings {
  std::uint64_t calls = 1'500;
  std::uint64_t seed = 1;
};

[[nodiscard]] std::size_t descriptors_of(pid_t process);

class Fuzzing {
 public:
  explicit Fuzzing(const Settings& settings);

  // The findings, each a line.
  std::vector<std::string> run();

  [[nodiscard]] const Calls& calls() const { return *calls_; }
  [[nodiscard]] std::uint64_t forged() const { return forger_->count(); }
  [[nodiscard]] std::uint64_t asked_polkit() const { return authority_->asked(); }

 private:
  using Rules = system_test::PrivateBus::Rules;

  // Before the first random call.
  void add_caller(const char* name, const system_test::User& user, bool may_change);
  void measure_once();
  void take_bundle();
  void describe();
  [[nodiscard]] std::vector<std::string> names_of_callers() const;
  [[nodiscard]] std::vector<std::string> names_of_daemon();
  [[nodiscard]] std::uint64_t start_waiting_job();

  void append_valid(sd_bus_message* message, const Method& method) const;
  void refuse_the_outsider();

  void change_rules(Rules rules);
  void make_calls(const std::vector<const Caller*>& callers);
  void add_call(const Caller& caller);
  void add_valid_change(const Caller& caller);
  void leave_at_once(bool may_change);
  void fill();
  void as_outsider(std::uint64_t calls);
  void as_anybody(std::uint64_t calls);

  void end_all_jobs();
  void import_at_last();
  void ask_at_last();
  void wait_for_descriptors();
  void compare(const char* what, std::size_t before, std::size_t after, std::size_t more);
  void end_daemon();

  [[nodiscard]] const Caller& outsider() const { return callers_[0]; }
  [[nodiscard]] const Caller& member() const { return callers_[1]; }
  [[nodiscard]] const Caller& root() const { return callers_[3]; }
  [[nodiscard]] std::uint64_t number(const char* sql) const;
  [[nodiscard]] std::string state() const;
  [[nodiscard]] bool is_over();

  Settings settings_;
  Random random_;
  system_test::Lab lab_;
  std::vector<Caller> callers_;
  Descriptors descriptors_;
  std::uint64_t measured_ = 0, job_ = 0;
  Described described_;
  std::vector<std::string> findings_;
  std::optional<Stores> stores_;
  std::optional<Values> values_;
  std::optional<Calls> calls_;
  std::optional<Forger> forger_;
  std::optional<Authority> authority_;
  std::vector<std::string> sent_beside_;  // with the calls that were sent last
  std::vector<Fd> other_ends_;            // of those who have left
  std::size_t refused_ = 0, idle_descriptors_ = 0;
  bool dead_ = false, has_authority_ = false;
};

}  // namespace netperfd::bus_fuzz
