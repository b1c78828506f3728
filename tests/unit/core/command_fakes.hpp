// SPDX-License-Identifier: GPL-2.0-or-later
// A fake for the commands of a design: nothing is executed, and each command ends when the test says so.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports/boot_journal.hpp"
#include "daemon/core/ports/command_runner.hpp"
#include "daemon/core/ports/machine_parts.hpp"
#include "daemon/core/ports/side_journal.hpp"

namespace netperfd::core {

// Records every command that is started, and its outcome: "switch a", "killed switch a".
class FakeCommands final : public CommandRunner {
 public:
  Result<std::unique_ptr<ActiveCommand>> start(const std::vector<std::string>& argv,
                                               std::chrono::milliseconds timeout,
                                               std::function<void(const CommandEnd&)> done) override {
    if (refusal) return std::unexpected(*refusal);
    said.push_back(fmt::format("{}", fmt::join(argv, " ")));
    timeouts.push_back(timeout);
    done_ = std::move(done);
    return std::make_unique<Active>(*this, ++number_);
  }

  [[nodiscard]] bool is_running() const { return static_cast<bool>(done_); }
  void end(const std::string& error = {}, const std::string& output = {}) {
    const auto done = std::exchange(done_, nullptr);
    done({.error = error, .output = output});
  }
  // The current one, since its program could not be executed.
  void end_without_running(const std::string& error) {
    const auto done = std::exchange(done_, nullptr);
    done({.error = error, .ran = false});
  }
  std::vector<std::string> take() { return std::exchange(said, {}); }

  std::optional<Error> refusal;
  std::vector<std::string> said;
  std::vector<std::chrono::milliseconds> timeouts;

 private:
  class Active final : public ActiveCommand {
   public:
    Active(FakeCommands& commands, int number)
        : commands_(commands), number_(number), argv_(commands.said.back()) {}
    Active(const Active&) = delete;
    Active& operator=(const Active&) = delete;
    ~Active() override {
      if (commands_.number_ != number_ || !commands_.is_running()) return;
      commands_.done_ = nullptr;
      commands_.said.push_back("killed " + argv_);
    }

   private:
    FakeCommands& commands_;
    int number_;
    std::string argv_;
  };

  std::function<void(const CommandEnd&)> done_;  // of the most recent command
  int number_ = 0;
};

class FakeSideJournal final : public SideJournal {
 public:
  Result<std::vector<SideNote>> left() const override {
    if (unreadable) return std::unexpected(*unreadable);
    std::vector<SideNote> all = older;
    if (kept) all.push_back(*kept);
    return all;
  }
  Status write(const SideNote& note) override {
    if (refusal) return std::unexpected(*refusal);
    if (kept) older.push_back(*kept);
    kept = note;
    ++writes;
    return {};
  }
  Status clear(JobId job) override {
    std::erase_if(older, [job](const SideNote& note) { return note.job == job; });
    if (kept && kept->job == job) kept.reset();
    return {};
  }

  std::optional<Error> refusal, unreadable;
  std::vector<SideNote> older;   // before the last one
  std::optional<SideNote> kept;  // the last one
  int writes = 0;
};

// Everything is there but what `gone` has: "netns left", "device veth0@left", "program /x/switch".
class FakeMachineParts final : public MachineParts {
 public:
  bool lacks_netns(const std::string& name) const override { return gone.contains("netns " + name); }
  bool lacks_device(const std::string& name, const std::string& netns) const override {
    return gone.contains(fmt::format("device {}{}{}", name, netns.empty() ? "" : "@", netns));
  }
  bool lacks_program(const std::string& path) const override { return gone.contains("program " + path); }

  std::set<std::string> gone;
};

// `boot` is the boot of the machine, which a test changes to boot it.
class FakeBootJournal final : public BootJournal {
 public:
  const std::string& boot_id() const override { return boot; }
  const std::string& kernel() const override { return release; }
  Result<std::optional<BootNote>> read() const override { return kept; }
  Status write(const BootNote& note) override {
    if (refusal) return std::unexpected(*refusal);
    kept = note;
    return {};
  }
  Status clear() override {
    kept.reset();
    return {};
  }

  std::string boot = "boot-0", release = "6.1.0";
  std::optional<Error> refusal;
  std::optional<BootNote> kept;
};

}  // namespace netperfd::core
