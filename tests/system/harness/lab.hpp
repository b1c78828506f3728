// SPDX-License-Identifier: GPL-2.0-or-later
// Everything that a system test needs: a bus, two namespaces, users, a configured daemon, and its client.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/system/harness/bus_client.hpp"
#include "tests/system/harness/database.hpp"
#include "tests/system/harness/gate.hpp"
#include "tests/system/harness/netns_pair.hpp"
#include "tests/system/harness/netperfd_process.hpp"
#include "tests/system/harness/private_bus.hpp"
#include "tests/system/harness/process.hpp"
#include "tests/system/harness/process_table.hpp"
#include "tests/system/harness/scratch_dir.hpp"
#include "tests/system/harness/small_disk.hpp"

namespace netperfd::system_test {

struct LabOptions {
  bool gated = false;  // iperf3 behind a Gate
  std::uint32_t queue_limit = 64;
  std::string iperf3_script =
      {};  // instead of iperf3; the word IPERF3 in it becomes the path of the real one
  std::vector<std::string> environment;  // of the daemon
  std::vector<std::string> before = {};  // the words of a program that executes the daemon
  std::optional<gid_t> group = {};       // that may measure; absent: one that nobody looks up
  std::uint32_t disk_mib = 0;            // size of a file system for the database alone; 0: none
  std::string min_free = "1M";
  std::string limits = {};              // more lines below `limits:`
  std::string more_configuration = {};  // lines for the end of the daemon's configuration
  PrivateBus::Rules bus = PrivateBus::Rules::as_shipped;
};

struct Users {
  User member;        // may measure
  User other_member;  // may measure too
  User outsider;      // a member of no relevant group
  User iperf3;        // runs the workload
  User readers;       // reads its output, and answers queries
  gid_t group = 0;    // whose members may measure
};

struct StartedJob {
  std::uint64_t id = 0;
  std::vector<std::uint64_t> runs;
};

class Lab {
 public:
  explicit Lab(LabOptions options);
  Lab(const Lab&) = delete;
  Lab& operator=(const Lab&) = delete;
  ~Lab();

  [[nodiscard]] const ScratchDir& directory() const { return directory_; }
  [[nodiscard]] const PrivateBus& bus() const { return bus_; }
  [[nodiscard]] const NetnsPair& net() const { return net_; }
  [[nodiscard]] const Users& users() const { return users_; }
  [[nodiscard]] Gate& gate() { return gate_.value(); }

  // ---- The daemon -----------------------------------------------------------------------------------------
  // Each start appends to the same log and continues with the same database.
  void start_netperfd();
  [[nodiscard]] NetperfdProcess& netperfd() { return *netperfd_; }
  [[nodiscard]] bool is_running() const { return netperfd_ != nullptr; }
  Exit end_netperfd(int signal_number);
  [[nodiscard]] const std::string& configuration() const { return configuration_; }
  // The text of a configuration with these values instead of its own.
  [[nodiscard]] std::string configuration_text(const std::string& scenarios_dir, gid_t group,
                                               const std::string& database) const;
  [[nodiscard]] std::string scenarios_dir() const { return directory_.path("scenarios.d"); }
  [[nodiscard]] std::string database_path() const { return directory_.path("disk/netperfd.db"); }
  // Takes all free space of the database's file system until free_disk().
  void fill_disk() const;
  void free_disk() const;
  [[nodiscard]] const SmallDisk& disk() const { return disk_.value(); }
  [[nodiscard]] Database database() const { return Database{database_path()}; }

  // ---- The client -----------------------------------------------------------------------------------------
  [[nodiscard]] Command ctl_command(std::vector<std::string> arguments, const User& user) const;
  [[nodiscard]] Outcome ctl(std::vector<std::string> arguments, const User& user) const;
  [[nodiscard]] Outcome ctl(std::vector<std::string> arguments) const {
    return ctl(std::move(arguments), users_.member);
  }
  // On a screen of 40 columns, where pages are narrower and data are the same.
  [[nodiscard]] Outcome narrow_ctl(std::vector<std::string> arguments) const;
  // Starts a job as a member, without following it; throws if netperfctl fails. `overrides` are below
  // workload.iperf3.
  StartedJob start(const std::string& scenario, const std::vector<std::string>& overrides = {},
                   const std::vector<std::string>& more = {}) const;

  void stop(std::uint64_t job) const;
  [[nodiscard]] BusClient connect(const User& user) const { return {bus_.address(), user}; }

  // ---- The workload ---------------------------------------------------------------------------------------
  // Runs the daemon's iperf3 program, but as somebody else's process.
  [[nodiscard]] std::unique_ptr<Process> foreign_iperf3(const std::string& netns,
                                                        std::vector<std::string> arguments) const;
  // Living processes of the daemon's runs, whoever their parent is.
  [[nodiscard]] std::vector<SeenProcess> workload() const;
  // The only process that has this word in its argv and has already become iperf3; throws if there is not
  // exactly one.
  [[nodiscard]] SeenProcess iperf3_with(const std::string& word) const;
  // Waits for all of them to end; returns whether they did.
  [[nodiscard]] bool workload_ends() const;

 private:
  [[nodiscard]] std::string iperf3_program() const;
  [[nodiscard]] bool is_workload(const SeenProcess& process) const;
  void write_scenarios() const;

  LabOptions options_;
  ScratchDir directory_;
  std::optional<SmallDisk> disk_;
  PrivateBus bus_;
  NetnsPair net_;
  Users users_;
  std::optional<Gate> gate_;
  std::string configuration_;
  std::unique_ptr<NetperfdProcess> netperfd_;
};

}  // namespace netperfd::system_test
