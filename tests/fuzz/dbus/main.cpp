// SPDX-License-Identifier: GPL-2.0-or-later
// Calls every method and property that the real daemon describes on a bus of its own, with random values of
// the right and of wrong types, as an outsider, two members and root. The daemon must answer each call with a
// reply or an error that has a name and a text that can be shown, must not let an outsider change anything,
// must not fill up, and must end as it should, without a report of a sanitizer. Between the calls come
// signals and replies that nobody asked for, past the bus policy, which would keep most of them from the
// daemon.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "dbus/names.hpp"
#include "tests/fuzz/dbus/calls.hpp"
#include "tests/fuzz/dbus/forged.hpp"
#include "tests/fuzz/dbus/introspection.hpp"
#include "tests/fuzz/dbus/values.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/lab.hpp"

namespace netperfd::bus_fuzz {
namespace {

using system_test::Lab;
using system_test::User;

constexpr const char* kIntrospectable = "org.freedesktop.DBus.Introspectable";
constexpr std::size_t kAtOnce = 6;
// What answers may keep: documents and connections that the daemon has not let go of.
constexpr std::size_t kMoreDescriptors = 24;
// Under AddressSanitizer, which holds freed memory back.
constexpr std::size_t kMoreMemoryMib = 512;

struct Settings {
  std::uint64_t calls = 1'500;
  std::uint64_t seed = 1;
};

std::size_t descriptors_of(pid_t process) {
  const std::filesystem::directory_iterator all(fmt::format("/proc/{}/fd", process));
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

std::size_t memory_mib_of(pid_t process) {
  const std::string status = system_test::read_text(fmt::format("/proc/{}/status", process));
  std::istringstream rest(status.substr(status.find("VmRSS:") + 6));
  std::size_t kib = 0;
  rest >> kib;
  return kib / 1024;
}

class Fuzzing {
 public:
  explicit Fuzzing(const Settings& settings)
      : settings_(settings), lab_({.environment = {}, .bus = system_test::PrivateBus::Rules::lax}) {
    const auto& users = lab_.users();
    add_caller("an outsider", users.outsider, false);
    add_caller("a member", users.member, true);
    add_caller("another member", users.other_member, true);
    add_caller("root", User{}, true);
    measure_once();
    measured_ = number("SELECT max(id) FROM runs");
    job_ = start_waiting_job();
    describe();
    values_.emplace(settings.seed,
                    Known{.numbers = {measured_, job_}, .texts = {"quick", "foreign", "local"}});
    calls_.emplace(*values_, findings_);
    forger_.emplace(*values_, unique_names());
  }

  // The findings, each a line.
  std::vector<std::string> run() {
    const pid_t daemon = lab_.netperfd().process().pid();
    refuse_the_outsider();
    as_outsider(settings_.calls / 3);
    const std::size_t descriptors = descriptors_of(daemon), memory = memory_mib_of(daemon);
    as_anybody(settings_.calls - settings_.calls / 3);
    if (!has_died()) end_all_jobs();
    if (!has_died()) compare("descriptors", descriptors, descriptors_of(daemon), kMoreDescriptors);
    if (!has_died()) compare("MiB of memory", memory, memory_mib_of(daemon), kMoreMemoryMib);
    end_daemon();
    return findings_;
  }

  [[nodiscard]] const Calls& calls() const { return *calls_; }
  [[nodiscard]] std::uint64_t forged() const { return forger_->count(); }

 private:
  void add_caller(const char* name, const User& user, bool may_change) {
    callers_.push_back({name, std::make_unique<system_test::BusClient>(lab_.connect(user)), may_change});
  }
  [[nodiscard]] const Caller& outsider() const { return callers_[0]; }
  [[nodiscard]] const system_test::BusClient& member() const { return *callers_[1].client; }
  [[nodiscard]] const system_test::BusClient& root() const { return *callers_[3].client; }

  [[nodiscard]] std::uint64_t number(const char* sql) const {
    return static_cast<std::uint64_t>(lab_.database().number(sql));
  }
  [[nodiscard]] std::vector<system_test::Database::Row> live_jobs() const {
    return lab_.database().rows(
        "SELECT DISTINCT job FROM runs WHERE state IN ('pending', 'preparing', 'running', 'collecting')");
  }

  void measure_once() {
    system_test::JobWatch watch{lab_.bus().address()};
    const auto reply = member().manager("StartScenario", "sa{sv}", "quick", 0);
    if (!reply.error_name.empty()) throw std::runtime_error("StartScenario: " + reply.error_text);
    (void)watch.wait_for_end(number("SELECT max(id) FROM jobs"));
  }
  [[nodiscard]] std::vector<std::string> unique_names() const {
    std::vector<std::string> names;
    for (const Caller& caller : callers_) {
      const char* name = nullptr;
      if (sd_bus_get_unique_name(caller.client->raw(), &name) < 0) throw std::runtime_error("no unique name");
      names.emplace_back(name);
    }
    return names;
  }

  // Waits for a server that never comes, and would end with its caller. Returns its number; 0 if none is
  // accepted now.
  std::uint64_t start_waiting_job() {
    const auto reply = member().manager("StartScenario", "sa{sv}", "foreign", 2, "overrides", "as", 1,
                                        "workload.iperf3.server_wait=1h", "tie_to_caller", "b", 1);
    return reply.error_name.empty() ? number("SELECT max(id) FROM jobs") : 0;
  }

  void describe() {
    for (const std::string& path : {std::string(dbus::kManagerPath), dbus::job_path(job_)}) {
      const auto reply = root().call(path.c_str(), kIntrospectable, "Introspect", "");
      const char* xml = nullptr;
      if (!reply.error_name.empty() || sd_bus_message_read_basic(reply.message.get(), 's', &xml) <= 0)
        throw std::runtime_error("Introspect: " + reply.error_text);
      auto found = read_introspection(xml, path);
      std::ranges::move(found.methods, std::back_inserter(described_.methods));
      std::ranges::move(found.properties, std::back_inserter(described_.properties));
    }
    constexpr std::size_t kFewest = 60;  // an answer without most of them would test nothing
    if (described_.methods.size() < kFewest) throw std::runtime_error("the introspection lacks methods");
  }

  // Arguments that the daemon accepts from a member.
  void append_valid(sd_bus_message* message, const Method& method) const {
    const bool of_run = method.name == "DeleteRun" || method.name == "SetNote";
    for (std::string_view rest = method.signature; !rest.empty();) {
      int appended = 0;
      if (rest.starts_with("a{sv}")) {
        appended = sd_bus_message_append(message, "a{sv}", 0);
        rest.remove_prefix(4);
      } else if (rest.front() == 't') {
        appended = sd_bus_message_append(message, "t", of_run ? measured_ : job_);
      } else if (rest.front() == 'h') {
        appended = sd_bus_message_append(message, "h", STDIN_FILENO);
      } else {
        appended = sd_bus_message_append(message, "s", method.name == "StartScenario" ? "quick" : "text");
      }
      if (appended < 0) throw std::runtime_error("no valid arguments are known of " + method.name);
      rest.remove_prefix(1);
    }
  }

  // With valid arguments, nothing but the caller is a reason to refuse.
  void refuse_the_outsider() {
    for (const Method& method : described_.methods) {
      const bool of_netperfd = method.interface.starts_with("org.netperfd1.");
      if (!of_netperfd || !changes_something(method) || method.name == "ImportRun") continue;
      sd_bus_message* raw = nullptr;
      if (sd_bus_message_new_method_call(outsider().client->raw(), &raw, dbus::kService, method.path.c_str(),
                                         method.interface.c_str(), method.name.c_str()) < 0)
        throw std::runtime_error("a new call");
      const system_test::Message message{raw};
      append_valid(raw, method);
      const std::string name = outsider().client->send(message).error_name;
      if (name != dbus::error::kAccessDenied) {
        findings_.push_back(fmt::format("{} of an outsider is not denied, but: {}", method.name, name));
      }
      ++refused_;
    }
    constexpr std::size_t kFewest = 11;
    if (refused_ < kFewest) findings_.emplace_back("fewer methods change something than are known");
  }

  // Without what changes by itself, while the job waits for its server.
  [[nodiscard]] std::string state() const {
    std::string text;
    for (const char* sql :
         {"SELECT * FROM jobs ORDER BY id", "SELECT id, job, note, error FROM runs ORDER BY id"}) {
      for (const auto& row : lab_.database().rows(sql)) text += fmt::format("{}\n", fmt::join(row, "|"));
    }
    for (const char* property : {"State", "Label"}) {
      const auto reply = root().call(dbus::job_path(job_).c_str(), "org.freedesktop.DBus.Properties", "Get",
                                     "ss", dbus::kJobInterface, property);
      const char* value = "";
      if (!reply.error_name.empty() || sd_bus_message_read(reply.message.get(), "v", "s", &value) <= 0)
        value = "unknown";
      text += fmt::format("{} {}\n", property, value);
    }
    return text;
  }

  void add_call(const Caller& caller) {
    if (values_->happens(4)) forger_->send(caller);
    if (values_->happens(8)) {
      return calls_->add_property(caller, values_->one_of(std::span<const Property>(described_.properties)));
    }
    Method method = values_->one_of(std::span<const Method>(described_.methods));
    if (method.path != dbus::kManagerPath) method.path = dbus::job_path(job_);
    calls_->add(caller, method);
  }

  void as_outsider(std::uint64_t calls) {
    const std::string before = state();
    for (std::uint64_t done = 0; done < calls && !has_died(); done += kAtOnce) {
      for (std::size_t i = 0; i < kAtOnce; ++i) add_call(outsider());
      calls_->flush();
    }
    if (has_died()) return;
    const std::string after = state();
    if (before != after) findings_.push_back(fmt::format("an outsider changed {}\nto {}", before, after));
  }

  void as_anybody(std::uint64_t calls) {
    constexpr std::uint64_t kOften = 10 * kAtOnce;
    for (std::uint64_t done = 0; done < calls && !has_died(); done += kAtOnce) {
      if (done % kOften == 0) {
        if (const std::uint64_t job = start_waiting_job(); job != 0) job_ = job;
      }
      for (std::size_t i = 0; i < kAtOnce; ++i) add_call(callers_[values_->below(callers_.size())]);
      calls_->flush();
    }
  }

  void end_all_jobs() {
    system_test::JobWatch watch{lab_.bus().address()};
    for (const auto& row : live_jobs()) {
      const std::uint64_t job = std::stoull(row.front());
      // One that has ended meanwhile is not found.
      if (root().manager("StopJob", "t", job).error_name.empty()) (void)watch.wait_for_end(job);
    }
  }

  bool has_died() {
    if (!dead_) dead_ = lab_.netperfd().process().ends_before(system_test::Deadline{std::chrono::seconds(0)});
    return dead_;
  }

  void compare(const char* what, std::size_t before, std::size_t after, std::size_t more) {
    fmt::print("{}: {} before, {} after\n", what, before, after);
    if (after > before + more) findings_.push_back(fmt::format("{}: {} became {}", what, before, after));
  }

  void end_daemon() {
    const auto end = dead_ ? lab_.netperfd().process().wait() : lab_.netperfd().end_by(SIGTERM);
    const std::string log = lab_.netperfd().log();
    const bool reported =
        log.find("Sanitizer") != std::string::npos || log.find("runtime error:") != std::string::npos;
    if (!dead_ && end.code == 0 && !reported) return;
    constexpr std::size_t kShown = 6'000;
    auto from = std::min(log.find("=================="), log.find("runtime error:"));
    if (from == std::string::npos) from = log.size() - std::min(log.size(), kShown);
    findings_.push_back(fmt::format("the daemon ended {}, with code {} and signal {}:\n{}",
                                    dead_ ? "by itself" : "when it was told to", end.code, end.signal_number,
                                    log.substr(from, kShown)));
  }

  Settings settings_;
  Lab lab_;
  std::vector<Caller> callers_;
  std::uint64_t measured_ = 0, job_ = 0;
  Described described_;
  std::vector<std::string> findings_;
  std::optional<Values> values_;
  std::optional<Calls> calls_;
  std::optional<Forger> forger_;
  std::size_t refused_ = 0;
  bool dead_ = false;
};

void print_table(const Calls& calls) {
  std::map<std::string, std::uint64_t> names;
  std::uint64_t replies = 0;
  for (const auto& [method, answers] : calls.answers()) {
    replies += answers.replies;
    std::uint64_t errors = 0;
    for (const auto& [name, count] : answers.errors) {
      names[name] += count;
      errors += count;
    }
    fmt::print("{:>7} replies {:>7} errors  {}\n", answers.replies, errors, method);
  }
  fmt::print("{} calls of {} methods: {} replies", calls.count(), calls.answers().size(), replies);
  for (const auto& [name, count] : names) fmt::print(", {} {}", count, name.substr(name.rfind('.') + 1));
  fmt::print("\n");
}

std::optional<Settings> parse(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
    auto& to = option == "--calls" ? settings.calls : settings.seed;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), to);
    const bool known = option == "--calls" || option == "--seed";
    if (!known || error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  }
  return settings;
}

int run(int argc, char** argv) {
  const auto settings = parse(argc, argv);
  if (!settings || ::geteuid() != 0) {
    fmt::print(stderr, "usage, as root: {} [--calls NUMBER] [--seed NUMBER]\n", argv[0]);
    return 2;
  }
  Fuzzing fuzzing(*settings);
  const auto findings = fuzzing.run();
  print_table(fuzzing.calls());
  fmt::print("{} signals and replies that nobody asked for\n", fuzzing.forged());
  for (const std::string& each : findings) fmt::print("FOUND: {}\n", each);
  fmt::print("seed {}: {} found\n", settings->seed, findings.size());
  return findings.empty() ? 0 : 1;
}

}  // namespace
}  // namespace netperfd::bus_fuzz

int main(int argc, char** argv) {
  try {
    return netperfd::bus_fuzz::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
