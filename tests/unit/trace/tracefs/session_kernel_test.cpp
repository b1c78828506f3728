// SPDX-License-Identifier: GPL-2.0-or-later
// The trace session on the kernel's own tracefs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "daemon/trace/tracefs/session.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SessionKernelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto root = find_tracefs();
    if (!root) GTEST_SKIP() << root.error().message;
    tracefs_ = make_real_tracefs(*root);
    if (!tracefs_->exists("instances")) GTEST_SKIP() << "needs root";
    before_ = kernel_snapshot(*tracefs_);
  }

  [[nodiscard]] Result<std::unique_ptr<TraceSession>> open(const TraceSpec& spec) {
    return TraceSession::open(*tracefs_, kernel_settings(scratch_), spec);
  }
  [[nodiscard]] std::string read(const TraceSession& session, const std::string& file) {
    return tracefs_->read(session.path(file)).value_or("unreadable");
  }
  // A pid whose process, with this name, has ended.
  static pid_t pass_away() {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return pid;
  }

  std::unique_ptr<Tracefs> tracefs_;
  ScratchDirectory scratch_;
  std::string before_;
};

TEST_F(SessionKernelTest, applies_all_that_this_kernel_can_do_and_puts_it_back) {
  auto session = open(event_spec());
  ASSERT_TRUE(session) << session.error().message;
  const TraceSession& held = **session;
  EXPECT_EQ(held.directory(), fmt::format("instances/netperfd-{}", ::getpid()));
  EXPECT_EQ(held.clock(), "mono");
  EXPECT_THAT(read(held, "trace_clock"), HasSubstr("[mono]"));
  EXPECT_GE(held.buffer_bytes(), 1U << 20);
  EXPECT_LT(held.buffer_bytes(), 1100U << 10);
  EXPECT_THAT(read(held, "tracing_cpumask"), ::testing::MatchesRegex("0*1\n"));
  EXPECT_EQ(read(held, "options/event-fork"), "1\n");
  EXPECT_EQ(read(held, "events/tcp/tcp_retransmit_skb/filter"), "sport > 1000\n");
  EXPECT_THAT(read(held, "events/tcp/tcp_retransmit_skb/trigger"),
              HasSubstr("stacktrace:unlimited if sport > 1000"));
  EXPECT_EQ(read(held, "events/tcp/tcp_retransmit_skb/enable"), "1*\n");
  EXPECT_EQ(read(held, "tracing_on"), "0\n");
  ASSERT_TRUE((*session)->start({::getpid()}));
  EXPECT_EQ(read(held, "set_event_pid"), fmt::format("{}\n", ::getpid()));
  EXPECT_EQ(read(held, "tracing_on"), "1\n");
  EXPECT_EQ((*session)->disturbance(), "");
  ASSERT_TRUE((*session)->stop());
  EXPECT_EQ(read(held, "tracing_on"), "0\n");
  const auto restored = (*session)->restore();
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(kernel_snapshot(*tracefs_), before_);
  EXPECT_FALSE(scratch_.has("journal"));
}

TEST_F(SessionKernelTest, gives_the_kernels_own_words_on_a_filter_and_leaves_nothing) {
  TraceSpec spec;
  spec.events = {{.name = "tcp:tcp_retransmit_skb", .filter = "sport == \"x\"", .stacktrace = false}};
  const auto session = open(spec);
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(session.error().message, HasSubstr("tcp:tcp_retransmit_skb: filter \"sport == \"x\"\": "));
  EXPECT_THAT(session.error().message, HasSubstr("Expecting numeric field"));
  EXPECT_THAT(session.error().message, HasSubstr("\n  Command: sport == \"x\"\n"));
  EXPECT_EQ(kernel_snapshot(*tracefs_), before_);
}

TEST_F(SessionKernelTest, takes_stacks_only_of_events_that_pass_the_filter) {
  TraceSpec spec;
  spec.events = {{.name = "sched:sched_process_exit", .filter = "", .stacktrace = true}};
  const pid_t absent = pass_away();
  spec.events[0].filter = fmt::format("pid == {}", absent);
  auto session = open(spec);
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE((*session)->start({}));
  const pid_t other = pass_away();
  ASSERT_NE(other, absent);
  ASSERT_TRUE((*session)->stop());
  EXPECT_THAT(read(**session, "trace"), Not(HasSubstr("<stack trace>")));
  ASSERT_TRUE((*session)->restore());

  // The same with a filter that accepts the event: otherwise a test without any stack would prove nothing.
  spec.events[0].filter = "pid > 0";
  session = open(spec);
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE((*session)->start({}));
  (void)pass_away();
  ASSERT_TRUE((*session)->stop());
  EXPECT_THAT(read(**session, "trace"), HasSubstr("<stack trace>"));
}

TEST_F(SessionKernelTest, follows_the_workloads_children_and_nobody_else) {
  TraceSpec spec;
  spec.events = {{.name = "sched:sched_process_exit", .filter = "", .stacktrace = false}};
  spec.workload_only = true;
  auto session = open(spec);
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE((*session)->start({::getpid()}));
  const pid_t child = pass_away();
  ASSERT_TRUE((*session)->stop());
  EXPECT_THAT(read(**session, "trace"), HasSubstr(fmt::format("pid={} ", child)));
  ASSERT_TRUE((*session)->restore());

  session = open(spec);
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE((*session)->start({child}));  // no longer alive
  const pid_t stranger = pass_away();
  ASSERT_TRUE((*session)->stop());
  EXPECT_THAT(read(**session, "trace"), Not(HasSubstr(fmt::format("pid={} ", stranger))));
}

TEST_F(SessionKernelTest, a_second_session_is_refused_and_harms_nothing) {
  auto first = open(event_spec());
  ASSERT_TRUE(first) << first.error().message;
  const std::string during = kernel_snapshot(*tracefs_);
  EXPECT_NE(during, before_);
  const auto second = open(event_spec());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::busy);
  EXPECT_EQ(kernel_snapshot(*tracefs_), during);
  EXPECT_EQ((*first)->disturbance(), "");
  // A clean-up is refused as well while a session is alive.
  const auto cleaned = clean_up(*tracefs_, kernel_settings(scratch_));
  ASSERT_FALSE(cleaned);
  EXPECT_EQ(cleaned.error().kind, ErrorKind::busy);
  EXPECT_EQ(kernel_snapshot(*tracefs_), during);
}

TEST_F(SessionKernelTest, function_graph_is_traced_or_refused_in_words_and_leaves_nothing) {
  TraceSpec spec;
  spec.function_graph =
      FunctionGraphSpec{.module = "", .functions = {"tcp_sendmsg"}, .exclude = {}, .depth = 1};
  auto session = open(spec);
  if (session) {
    EXPECT_EQ((*session)->functions(), 1U);
    EXPECT_EQ(read(**session, "current_tracer"), "function_graph\n");
    EXPECT_TRUE((*session)->restore());
  } else {
    EXPECT_EQ(session.error().kind, ErrorKind::unsupported) << session.error().message;
  }
  EXPECT_EQ(kernel_snapshot(*tracefs_), before_);
}

}  // namespace
}  // namespace netperfd::trace
