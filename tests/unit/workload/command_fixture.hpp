// SPDX-License-Identifier: GPL-2.0-or-later
// Runs of commands, with real processes.
#pragma once

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/workload/command/figures.hpp"
#include "daemon/workload/command/workload.hpp"
#include "tests/unit/workload/iperf3_fixture.hpp"

namespace netperfd::workload::test {

// Reads in this process, but in a later turn of the loop.
class FakeFigures : public core::FigureReading {
 public:
  explicit FakeFigures(EventLoop& loop) : loop_(loop) {}
  Result<std::shared_ptr<void>> read_figures(const std::vector<DeclaredFigure>& figures,
                                             const std::vector<core::FigureText>& texts, Done done) override {
    const auto reading = std::make_shared<EventSource>();
    if (is_endless) return reading;
    Values values = refusal.empty() ? read_command_figures(figures, texts)
                                    : Values{fail(ErrorKind::invalid_argument, refusal)};
    auto turn = loop_.after(std::chrono::milliseconds{0},
                            [values = std::move(values), done = std::move(done)] { done(values); });
    EXPECT_TRUE(turn);
    if (turn) *reading = *std::move(turn);
    return reading;
  }
  bool is_endless = false;
  std::string refusal;

 private:
  EventLoop& loop_;
};

class CommandFixture : public testing::Test {
 protected:
  void SetUp() override { REQUIRE_ROOT(); }
  void TearDown() override {
    listener.active.reset();
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
  }

  Status prepare(const JobSpec& job) {
    CommandWorkload workload{loop, figures, settings};
    auto active = workload.prepare(job, listener);
    if (!active) return std::unexpected(active.error());
    listener.active = *std::move(active);
    return {};
  }
  // Runs it to its end; what went wrong, or nothing.
  std::string run(const JobSpec& job) {
    if (const Status prepared = prepare(job); !prepared) return "not prepared: " + prepared.error().message;
    listener.on_prepared = [this] { listener.active->release(); };
    if (!turn_until(loop, [this] { return listener.result.has_value(); })) return "no end";
    if (!listener.result->error.empty()) {
      EXPECT_THAT(listener.result->figures, testing::IsEmpty()) << "a figure of a run that failed";
    }
    return listener.result->error;
  }

  EventLoop loop = make_loop();
  FakeFigures figures{loop};
  ProgramSettings settings{.path = "", .uid = kNobody, .gid = kNogroup};
  Listener listener;
};

}  // namespace netperfd::workload::test
