// SPDX-License-Identifier: GPL-2.0-or-later
// A fake for the commands of a design: nothing is executed, and each command ends when the test says so.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports/boot_journal.hpp"
#include "daemon/core/ports/command_runner.hpp"
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
    done({error, output});
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
  Status write(const SideNote& note) override {
    if (refusal) return std::unexpected(*refusal);
    kept = note;
    ++writes;
    return {};
  }
  Status clear() override {
    kept.reset();
    return {};
  }

  std::optional<Error> refusal;
  std::optional<SideNote> kept;
  int writes = 0;
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
