// SPDX-License-Identifier: GPL-2.0-or-later
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "daemon/trace/tracefs/session.hpp"
#include "daemon/trace/tracefs/undo.hpp"
#include "tests/unit/trace/tracefs/fake_tracefs.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class CleanupTest : public ::testing::Test {
 protected:
  CleanupTest() : tracefs_(kernel_of_old()) {
    use_settings(tracefs_);
    before_ = tracefs_.snapshot();
  }

  // A session in the top instance that was tracing when its process was killed.
  void die_tracing() {
    ScratchDirectory dying;
    auto session = TraceSession::open(tracefs_, fake_settings(dying), whole_spec());
    ASSERT_TRUE(session) << session.error().message;
    ASSERT_TRUE((*session)->start({42}));
    left_ = tracefs_.clone();
    scratch_.write("journal", dying.read("journal"));
    ASSERT_NE(left_->snapshot(), before_);
  }

  [[nodiscard]] Result<std::vector<std::string>> clean(FakeTracefs& tracefs) const {
    return clean_up(tracefs, fake_settings(scratch_));
  }

  ScratchDirectory scratch_;
  FakeTracefs tracefs_;
  std::unique_ptr<FakeTracefs> left_;
  std::string before_;
};

TEST_F(CleanupTest, has_nothing_to_do_where_nothing_was_left) {
  const auto done = clean(tracefs_);
  ASSERT_TRUE(done);
  EXPECT_THAT(*done, IsEmpty());
  EXPECT_THAT(tracefs_.operations(), IsEmpty());
  EXPECT_FALSE(scratch_.has("journal"));
}

TEST_F(CleanupTest, puts_back_by_the_journal_what_a_dead_session_changed_at_the_top) {
  ASSERT_NO_FATAL_FAILURE(die_tracing());
  const auto done = clean(*left_);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, Contains("put back current_tracer"));
  EXPECT_EQ(left_->snapshot(), before_);
  // First recording stops, then the tracer is removed, before any filter is changed.
  EXPECT_EQ(describe(left_->operations()[0]), "write \"0\" to tracing_on");
  EXPECT_EQ(describe(left_->operations()[2]), "write \"nop\" to current_tracer");
}

TEST_F(CleanupTest, goes_on_where_a_step_fails_and_finishes_the_next_time) {
  ASSERT_NO_FATAL_FAILURE(die_tracing());
  left_->fail_path("trace_clock", EIO);
  const auto failed = clean(*left_);
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("trace_clock"));
  EXPECT_EQ(left_->get("current_tracer"), "nop\n");
  EXPECT_EQ(left_->get("tracing_on"), "1\n");
  EXPECT_TRUE(scratch_.has("journal"));
  left_->fail_path("trace_clock", 0);
  left_->forget_operations();
  const auto done = clean(*left_);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, ElementsAre("put back trace_clock"));
  EXPECT_EQ(left_->snapshot(), before_);
}

TEST_F(CleanupTest, leaves_alone_what_somebody_else_has_set_meanwhile) {
  ASSERT_NO_FATAL_FAILURE(die_tracing());
  left_->set("max_graph_depth", "5\n");
  const auto done = clean(*left_);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, Contains("left max_graph_depth at \"5\": somebody else has changed it meanwhile"));
  EXPECT_EQ(left_->get("max_graph_depth"), "5\n");
  EXPECT_EQ(left_->get("current_tracer"), "nop\n");
  EXPECT_FALSE(scratch_.has("journal"));
}

TEST_F(CleanupTest, puts_a_list_back_although_the_kernel_has_changed_it_meanwhile) {
  ASSERT_NO_FATAL_FAILURE(die_tracing());
  left_->set("set_event_pid", "42\n43\n44\n");
  ASSERT_TRUE(clean(*left_));
  EXPECT_EQ(left_->snapshot(), before_);
}

TEST_F(CleanupTest, passes_over_what_is_gone) {
  ASSERT_NO_FATAL_FAILURE(die_tracing());
  left_->erase("events/tcp");
  left_->erase("max_graph_depth");
  const auto done = clean(*left_);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(left_->get("current_tracer"), "nop\n");
  EXPECT_FALSE(scratch_.has("journal"));
}

TEST_F(CleanupTest, only_removes_a_journal_of_another_boot) {
  ASSERT_NO_FATAL_FAILURE(die_tracing());
  SessionSettings settings = fake_settings(scratch_);
  settings.boot_id = "boot-2";
  const std::string found = left_->snapshot();
  const auto done = clean_up(*left_, settings);
  ASSERT_TRUE(done);
  EXPECT_THAT(*done, ElementsAre("removed the journal of an earlier boot"));
  EXPECT_EQ(left_->snapshot(), found);
  EXPECT_FALSE(scratch_.has("journal"));
}

TEST_F(CleanupTest, does_what_a_damaged_journal_still_says) {
  ASSERT_NO_FATAL_FAILURE(die_tracing());
  std::string text = scratch_.read("journal");
  text.insert(text.find("change\tsetting\ttrace_clock"), "\x01\x02 rubbish\n");
  text += "change\tsetting\ttracing_th";
  scratch_.write("journal", text);
  const auto done = clean(*left_);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, Contains(HasSubstr("passed over 1 damaged line")));
  EXPECT_EQ(left_->snapshot(), before_);
}

TEST_F(CleanupTest, removes_instances_whose_process_is_gone_or_another_one) {
  for (const char* name : {"netperfd-100", "netperfd-200", "netperfd-300", "netperfd-x", "rasdaemon"}) {
    tracefs_.add_instance(name);
  }
  add_process(scratch_, 100, "netperfd", {});
  add_process(scratch_, 200, "bash", {});
  const auto done = clean(tracefs_);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_THAT(*done, ElementsAre("removed instances/netperfd-200", "removed instances/netperfd-300"));
  EXPECT_EQ(tracefs_.list("instances").value_or(std::vector<std::string>{}),
            (std::vector<std::string>{"netperfd-100", "netperfd-x", "rasdaemon"}));
}

TEST_F(CleanupTest, takes_a_dead_ones_number_that_is_now_its_own_for_a_dead_one) {
  const std::string own = "netperfd-" + std::to_string(::getpid());
  tracefs_.add_instance(own);
  add_process(scratch_, ::getpid(), "netperfd", {});
  ASSERT_TRUE(clean(tracefs_));
  EXPECT_FALSE(tracefs_.exists("instances/" + own));
}

TEST_F(CleanupTest, leaves_an_instance_alone_that_somebody_uses_and_removes_it_the_next_time) {
  tracefs_.add_instance("netperfd-300");
  tracefs_.add_instance("netperfd-400");
  // Simulates a netperfd in another PID namespace.
  tracefs_.set("instances/netperfd-300/current_tracer", "function_graph\n");
  add_process(scratch_, 9, "cat", {"/sys/kernel/tracing/instances/netperfd-300/trace_pipe"});
  auto pipe = tracefs_.open("instances/netperfd-300/trace_pipe", OpenMode::read);
  const auto held = clean(tracefs_);
  ASSERT_TRUE(held) << held.error().message;
  EXPECT_THAT(*held, ElementsAre("left instances/netperfd-300 alone: it is in use by cat (pid 9)",
                                 "removed instances/netperfd-400"));
  EXPECT_EQ(tracefs_.get("instances/netperfd-300/tracing_on"), "1\n");
  EXPECT_EQ(tracefs_.get("instances/netperfd-300/current_tracer"), "function_graph\n");
  pipe->reset();
  EXPECT_TRUE(clean(tracefs_));
  EXPECT_EQ(tracefs_.snapshot(), before_);
}

TEST_F(CleanupTest, keeps_what_there_is_to_do_where_tracefs_cannot_be_seen) {
  ASSERT_NO_FATAL_FAILURE(die_tracing());
  const std::string journal = scratch_.read("journal");
  FakeTracefs hidden;
  hidden.erase("");
  for (const auto& entry : hidden.list("").value_or(std::vector<std::string>{})) hidden.erase(entry);
  const auto refused = clean(hidden);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("tracefs cannot be seen"));
  const auto session = TraceSession::open(hidden, fake_settings(scratch_), event_spec());
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().kind, ErrorKind::unsupported);
  EXPECT_EQ(scratch_.read("journal"), journal);
  ASSERT_TRUE(clean(*left_));
  EXPECT_EQ(left_->snapshot(), before_);
}

TEST_F(CleanupTest, is_refused_beside_a_living_session) {
  auto session = TraceSession::open(tracefs_, fake_settings(scratch_), whole_spec());
  ASSERT_TRUE(session);
  const std::string during = tracefs_.snapshot();
  const auto done = clean(tracefs_);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::busy);
  EXPECT_EQ(tracefs_.snapshot(), during);
}

TEST(Undo, knows_how_each_kind_of_file_is_put_back) {
  EXPECT_EQ(text_to_restore("trace_clock", "local [global] mono\n"), "global");
  EXPECT_EQ(text_to_restore("buffer_size_kb", "1408\n"), "1408");
  EXPECT_EQ(text_to_restore("buffer_size_kb", "7 (expanded: 1408)\n"), "1408");
  EXPECT_EQ(text_to_restore("buffer_size_kb", "X\n"), "");
  EXPECT_EQ(text_to_restore("events/a/b/filter", "none\n"), "0");
  EXPECT_EQ(text_to_restore("events/a/b/filter", "x > 1\n   ^\nparse_error: Field not found\n"), "0");
  EXPECT_EQ(text_to_restore("events/a/b/filter", "x > 1\n"), "x > 1");
  EXPECT_EQ(text_to_restore("events/a/b/enable", "1*\n"), "1");
  EXPECT_EQ(text_to_restore("tracing_cpumask", "ffffffff,00000003\n"), "ffffffff,00000003");
}

TEST(Undo, writes_a_list_as_the_kernel_takes_it) {
  EXPECT_THAT(list_items("set_ftrace_filter", "ip_rcv\nhsr_get_node [hsr]\n"),
              ElementsAre("ip_rcv", "hsr_get_node:mod:hsr"));
  EXPECT_THAT(list_items("set_ftrace_filter", "#### all functions enabled ####\n"), IsEmpty());
  EXPECT_THAT(list_items("set_ftrace_pid", "no pid\n"), IsEmpty());
  EXPECT_THAT(list_items("set_event_pid", "1\n2\n"), ElementsAre("1", "2"));
  EXPECT_THAT(list_items("set_graph_function", "hsr_get_node [hsr]\n"), ElementsAre("hsr_get_node"));
}

}  // namespace
}  // namespace netperfd::trace
