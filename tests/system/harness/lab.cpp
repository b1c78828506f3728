// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/lab.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd::system_test {
namespace {

// dbus-daemon rejects users that the account database does not know, so callers use accounts that every
// system has.
User account(const char* name, std::vector<gid_t> groups) {
  const passwd* entry = ::getpwnam(name);  // NOLINT(concurrency-mt-unsafe): no other thread asks
  if (entry == nullptr) throw std::runtime_error(fmt::format("this system has no account \"{}\"", name));
  return {entry->pw_uid, entry->pw_gid, std::move(groups)};
}

Users make_users(std::optional<gid_t> group) {
  // Ids without an account and not used by other tests: nobody looks up the group, and all processes of
  // `iperf3` and `readers` are ours. Below 65536, since a container may know no more.
  constexpr uid_t kFirst = 20'000;
  constexpr uid_t kProcesses = 15'000;
  const uid_t base = kFirst + 3 * (static_cast<uid_t>(::getpid()) % kProcesses);
  Users users;
  users.group = group.value_or(base);
  users.member = account("daemon", {users.group});
  users.other_member = account("bin", {users.group});
  users.outsider = account("nobody", {});
  users.iperf3 = {base + 1, base + 1, {}};
  users.readers = {base + 2, base + 2, {}};
  return users;
}

constexpr std::string_view kConfiguration = R"(scenarios: {scenarios}
shipped_scenarios: {shipped}
store:
  database: {database}
  min_free: {min_free}
iperf3:
  path: {iperf3}
  user: {user}
readers:
  user: {readers}
latency:
  path: {echo}
authorization:
  group: {group}
limits:
  queue: {queue}
{limits}log:
  level: debug
{more})";

// A copy that every user may run: the build directory may be closed to others.
const std::string& netperfctl_for_all() {
  static const ScratchDir directory;
  static const std::string program = [] {
    std::string copy = directory.path("netperfctl");
    std::filesystem::copy_file(NETPERFCTL_PROGRAM, copy);
    return copy;
  }();
  return program;
}

// The same of the prober, which iperf3's user runs.
const std::string& echo_for_all() {
  static const ScratchDir directory;
  static const std::string program = [] {
    std::string copy = directory.path("netperfd-echo");
    std::filesystem::copy_file(NETPERFD_ECHO, copy);
    return copy;
  }();
  return program;
}

// netperfd runs both sides.
constexpr std::string_view kLocalScenario = R"(name: local
description: a one-off server of netperfd's own
workload:
  iperf3:
    local: {{netns: {right}, bind: {address}}}
    netns: {left}
    protocol: tcp
    duration: 1s
limits: {{timeout: {hang}s}}
)";

// Ends at once: for tests that need a run, not a measurement.
constexpr std::string_view kQuickScenario = R"(name: quick
workload:
  iperf3:
    local: {{netns: {right}, bind: {address}}}
    netns: {left}
    bytes: 256M
limits: {{timeout: {hang}s}}
)";

// The server is not run by netperfd, or does not exist.
constexpr std::string_view kForeignScenario = R"(name: foreign
description: a server that is not netperfd's
workload:
  iperf3:
    server: {address}
    server_wait: 0s
    netns: {left}
    duration: 1s
limits: {{timeout: {hang}s}}
)";

}  // namespace

Lab::Lab(LabOptions options)
    : options_(std::move(options)), bus_(directory_, options_.bus), users_(make_users(options_.group)) {
  if (options_.gated) gate_.emplace(directory_);
  std::filesystem::create_directory(directory_.path("disk"));
  if (options_.disk_mib > 0) disk_.emplace(directory_.path("disk"), options_.disk_mib);
  configuration_ =
      directory_.write("netperfd.yaml", configuration_text(scenarios_dir(), users_.group, database_path()));
  write_scenarios();
  start_netperfd();
}

Lab::~Lab() {
  // The daemon first: its processes live in the namespaces.
  netperfd_.reset();
}

void Lab::fill_disk() const {
  const Fd file{
      ::open(directory_.path("disk/ballast").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
  const std::string page(4096, 'x');
  while (::write(file.get(), page.data(), page.size()) > 0) {
  }
  if (!file || errno != ENOSPC) throw std::system_error(errno, std::generic_category(), "fill the disk");
}

void Lab::free_disk() const {
  std::filesystem::remove(directory_.path("disk/ballast"));
}

void Lab::write_scenarios() const {
  const auto write = [this](const char* name, fmt::string_view text) {
    directory_.write(
        fmt::format("scenarios.d/{}.yaml", name),
        fmt::format(fmt::runtime(text), fmt::arg("left", net_.left()), fmt::arg("right", net_.right()),
                    fmt::arg("address", NetnsPair::kRightAddress),
                    fmt::arg("hang", Deadline::kLong.count())));
  };
  write("local", kLocalScenario);
  write("quick", kQuickScenario);
  write("foreign", kForeignScenario);
}

std::string Lab::configuration_text(const std::string& scenarios_dir, gid_t group,
                                    const std::string& database) const {
  return fmt::format(
      kConfiguration, fmt::arg("scenarios", scenarios_dir), fmt::arg("shipped", directory_.path("shipped.d")),
      fmt::arg("database", database), fmt::arg("iperf3", iperf3_program()), fmt::arg("echo", echo_for_all()),
      fmt::arg("user", users_.iperf3.uid), fmt::arg("readers", users_.readers.uid), fmt::arg("group", group),
      fmt::arg("queue", options_.queue_limit), fmt::arg("min_free", options_.min_free),
      fmt::arg("limits", options_.limits), fmt::arg("more", options_.more_configuration));
}

std::string Lab::iperf3_program() const {
  if (gate_) return gate_->program();
  if (options_.iperf3_script.empty()) return NETPERFD_IPERF3;
  std::string script = options_.iperf3_script;
  constexpr std::string_view kWord = "IPERF3";
  for (auto at = script.find(kWord); at != std::string::npos; at = script.find(kWord, at)) {
    script.replace(at, kWord.size(), NETPERFD_IPERF3);
  }
  std::string program = directory_.write("iperf3-script", script);
  std::filesystem::permissions(program,
                               std::filesystem::perms::owner_all | std::filesystem::perms::others_read |
                                   std::filesystem::perms::others_exec | std::filesystem::perms::group_read |
                                   std::filesystem::perms::group_exec);
  return program;
}

void Lab::start_netperfd() {
  netperfd_ = std::make_unique<NetperfdProcess>(directory_, bus_, configuration_, "netperfd",
                                                options_.environment, options_.before);
  netperfd_->wait_until_ready();
}

Exit Lab::end_netperfd(int signal_number) {
  const Exit end = netperfd_->end_by(signal_number);
  netperfd_.reset();
  return end;
}

Command Lab::ctl_command(std::vector<std::string> arguments, const User& user) const {
  arguments.insert(arguments.begin(), netperfctl_for_all());
  return {.argv = std::move(arguments),
          // So that the sentences which tests look for are not broken into lines.
          .environment = {bus_.environment(), "COLUMNS=1000"},
          .user = user,
          .netns = {},
          .stderr_file = {}};
}

Outcome Lab::ctl(std::vector<std::string> arguments, const User& user) const {
  return run(ctl_command(std::move(arguments), user));
}

Outcome Lab::narrow_ctl(std::vector<std::string> arguments) const {
  Command command = ctl_command(std::move(arguments), users_.member);
  command.environment.back() = "COLUMNS=40";
  return run(command);
}

StartedJob Lab::start(const std::string& scenario, const std::vector<std::string>& overrides,
                      const std::vector<std::string>& more) const {
  // Few tests need an answer.
  std::vector<std::string> arguments{"start", scenario, "--force", "--detach", "-o", "json"};
  for (const std::string& each : overrides)
    arguments.insert(arguments.end(), {"--set", "workload.iperf3." + each});
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = ctl(arguments);
  if (outcome.code != 0)
    throw std::runtime_error(fmt::format("start: exit code {}: {}", outcome.code, outcome.err));
  const auto job = nlohmann::json::parse(outcome.out).at("job");
  return {job.at("job").get<std::uint64_t>(), job.at("runs").get<std::vector<std::uint64_t>>()};
}

void Lab::stop(std::uint64_t job) const {
  const Outcome outcome = ctl({"stop", std::to_string(job)});
  if (outcome.code != 0)
    throw std::runtime_error(fmt::format("stop: exit code {}: {}", outcome.code, outcome.err));
}

std::unique_ptr<Process> Lab::foreign_iperf3(const std::string& netns,
                                             std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), NETPERFD_IPERF3);
  arguments.emplace_back("--forceflush");
  return std::make_unique<Process>(Command{
      .argv = std::move(arguments), .environment = {}, .user = {}, .netns = netns, .stderr_file = {}});
}

bool Lab::is_workload(const SeenProcess& process) const {
  if (process.parent == ::getpid()) return false;  // a foreign iperf3
  return process.uid == users_.iperf3.uid || process.uid == users_.readers.uid ||
         process.netns == netns_id(net_.left()) || process.netns == netns_id(net_.right());
}

std::vector<SeenProcess> Lab::workload() const {
  auto all = all_processes();
  std::erase_if(all, [this](const SeenProcess& process) { return !is_workload(process); });
  return all;
}

SeenProcess Lab::iperf3_with(const std::string& word) const {
  auto found = workload();
  std::erase_if(found, [&](const SeenProcess& process) {
    return !process.has_word(word) || process.has_word("--child");
  });
  if (found.size() != 1) throw std::runtime_error(fmt::format("{} processes with {}", found.size(), word));
  return found.front();
}

bool Lab::workload_ends() const {
  return wait_until_gone([this](const SeenProcess& process) { return is_workload(process); });
}

}  // namespace netperfd::system_test
