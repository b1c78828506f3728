// SPDX-License-Identifier: GPL-2.0-or-later
// Access to the kernel's tracefs, and that the fake with the same interface behaves like the kernel.
#include "daemon/trace/tracefs/tracefs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/trace/tracefs/fake_tracefs.hpp"

namespace netperfd::trace {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class TracefsTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GetParam()) == "fake") {
      tracefs_ = std::make_unique<FakeTracefs>();
    } else {
      const auto root = find_tracefs();
      if (!root) GTEST_SKIP() << root.error().message;
      tracefs_ = make_real_tracefs(*root);
      if (!tracefs_->exists("instances")) GTEST_SKIP() << "needs root";
    }
    instance_ = fmt::format("instances/door-test-{}", ::getpid());
    ASSERT_TRUE(tracefs_->make_directory(instance_));
  }
  void TearDown() override {
    if (tracefs_ && tracefs_->exists(instance_)) {
      EXPECT_TRUE(tracefs_->remove_directory(instance_));
    }
  }

  [[nodiscard]] std::string in(const std::string& file) const { return instance_ + "/" + file; }
  [[nodiscard]] std::string read(const std::string& file) {
    const auto text = tracefs_->read(in(file));
    return text ? *text : text.error().message;
  }
  [[nodiscard]] ErrorKind refusal(const std::string& file, const std::string& text) {
    const auto status = tracefs_->write(in(file), text);
    EXPECT_FALSE(status) << file;
    return status ? ErrorKind::internal : status.error().kind;
  }

  std::unique_ptr<Tracefs> tracefs_;
  std::string instance_;
};

TEST_P(TracefsTest, settings_read_back_in_the_kernels_own_form) {
  EXPECT_EQ(read("tracing_on"), "1\n");
  ASSERT_TRUE(tracefs_->write(in("tracing_on"), "0"));
  EXPECT_EQ(read("tracing_on"), "0\n");
  ASSERT_TRUE(tracefs_->write(in("trace_clock"), "mono"));
  EXPECT_THAT(read("trace_clock"), HasSubstr(" [mono] "));
  ASSERT_TRUE(tracefs_->write(in("buffer_size_kb"), "5000"));
  EXPECT_EQ(read("buffer_size_kb"), "5000\n");
  ASSERT_TRUE(tracefs_->write(in("tracing_cpumask"), "1"));
  EXPECT_EQ(read("tracing_cpumask").back(), '\n');
  EXPECT_EQ(std::stoul(read("tracing_cpumask"), nullptr, 16), 1U);
  EXPECT_EQ(read("options/event-fork"), "0\n");
  ASSERT_TRUE(tracefs_->write(in("options/event-fork"), "1"));
  EXPECT_EQ(read("options/event-fork"), "1\n");
  EXPECT_EQ(read("current_tracer"), "nop\n");
}

TEST_P(TracefsTest, a_write_empties_a_list_and_an_append_adds_to_it) {
  ASSERT_TRUE(tracefs_->write(in("set_event_pid"), "1 2"));
  EXPECT_EQ(read("set_event_pid"), "1\n2\n");
  ASSERT_TRUE(tracefs_->append(in("set_event_pid"), "3"));
  EXPECT_EQ(read("set_event_pid"), "1\n2\n3\n");
  ASSERT_TRUE(tracefs_->write(in("set_event_pid"), "4"));
  EXPECT_EQ(read("set_event_pid"), "4\n");
  ASSERT_TRUE(tracefs_->write(in("set_event_pid"), ""));
  EXPECT_EQ(read("set_event_pid"), "");
}

TEST_P(TracefsTest, events_have_filters_and_triggers) {
  const std::string event = "events/tcp/tcp_retransmit_skb/";
  EXPECT_EQ(read(event + "filter"), "none\n");
  ASSERT_TRUE(tracefs_->write(in(event + "filter"), "sport > 1000"));
  EXPECT_EQ(read(event + "filter"), "sport > 1000\n");
  ASSERT_TRUE(tracefs_->append(in(event + "trigger"), "stacktrace if sport > 1000"));
  EXPECT_EQ(read(event + "trigger"), "stacktrace:unlimited if sport > 1000\n");
  EXPECT_FALSE(tracefs_->append(in(event + "trigger"), "stacktrace"));
  // O_TRUNC does not empty this file.
  ASSERT_TRUE(tracefs_->write(in(event + "trigger"), ""));
  EXPECT_EQ(read(event + "trigger"), "stacktrace:unlimited if sport > 1000\n");
  EXPECT_EQ(read(event + "enable"), "0*\n");
  ASSERT_TRUE(tracefs_->write(in(event + "enable"), "1"));
  EXPECT_EQ(read(event + "enable"), "1*\n");
  EXPECT_EQ(read("set_event"), "tcp:tcp_retransmit_skb\n");
  EXPECT_EQ(read("events/enable"), "X\n");
  ASSERT_TRUE(tracefs_->append(in(event + "trigger"), "!stacktrace"));
  EXPECT_THAT(read(event + "trigger"), ::testing::StartsWith("# Available triggers:\n"));
  EXPECT_EQ(read(event + "enable"), "1\n");
  ASSERT_TRUE(tracefs_->write(in(event + "enable"), "0"));
  ASSERT_TRUE(tracefs_->write(in(event + "filter"), "0"));
  EXPECT_EQ(read(event + "filter"), "none\n");
  EXPECT_EQ(read("events/enable"), "0\n");
}

TEST_P(TracefsTest, a_bad_filter_is_explained_in_error_log_and_stays_in_the_file) {
  const std::string filter = "events/tcp/tcp_retransmit_skb/filter";
  EXPECT_EQ(refusal(filter, "nosuch > 10"), ErrorKind::invalid_argument);
  EXPECT_THAT(read("error_log"), HasSubstr("] event filter parse error: error: Field not found\n"
                                           "  Command: nosuch > 10\n"));
  EXPECT_THAT(read(filter), HasSubstr("parse_error: Field not found"));
}

TEST_P(TracefsTest, an_instance_goes_with_events_filters_and_triggers_set) {
  const std::string event = "events/tcp/tcp_retransmit_skb/";
  ASSERT_TRUE(tracefs_->write(in(event + "filter"), "sport > 1000"));
  ASSERT_TRUE(tracefs_->append(in(event + "trigger"), "stacktrace"));
  ASSERT_TRUE(tracefs_->write(in(event + "enable"), "1"));
  ASSERT_TRUE(tracefs_->remove_directory(instance_));
  EXPECT_FALSE(tracefs_->exists(instance_));
}

TEST_P(TracefsTest, an_instance_stays_while_one_of_its_files_is_open) {
  auto pipe = tracefs_->open(in("trace_pipe"), OpenMode::read);
  ASSERT_TRUE(pipe);
  const auto held = tracefs_->remove_directory(instance_);
  ASSERT_FALSE(held);
  EXPECT_EQ(held.error().kind, ErrorKind::busy);
  pipe->reset();
  EXPECT_TRUE(tracefs_->remove_directory(instance_));
}

TEST_P(TracefsTest, refusals_are_of_their_errno_and_name_path_and_value) {
  const auto status = tracefs_->write(in("trace_clock"), "sundial\n");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(status.error().message,
            fmt::format("write \"sundial\" to {}/trace_clock: Invalid argument", instance_));
  EXPECT_EQ(refusal("nothing", "1"), ErrorKind::not_found);
  EXPECT_EQ(refusal("current_tracer", "nobody"), ErrorKind::invalid_argument);
  EXPECT_EQ(refusal("buffer_size_kb", "0"), ErrorKind::invalid_argument);
  EXPECT_EQ(refusal("tracing_cpumask", "100000001"), ErrorKind::io);  // EOVERFLOW
  EXPECT_EQ(tracefs_->read(in("nothing")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(tracefs_->list(in("nothing")).error().kind, ErrorKind::not_found);
  EXPECT_EQ(tracefs_->open(in("nothing"), OpenMode::read).error().kind, ErrorKind::not_found);
  EXPECT_EQ(tracefs_->make_directory(instance_).error().kind, ErrorKind::io);  // EEXIST
  EXPECT_EQ(tracefs_->make_directory(in("below")).error().kind, ErrorKind::access_denied);
  EXPECT_EQ(tracefs_->remove_directory("instances/nobody-here").error().kind, ErrorKind::not_found);
}

TEST_P(TracefsTest, lists_names_in_order) {
  const auto names = tracefs_->list(instance_);
  ASSERT_TRUE(names);
  EXPECT_TRUE(std::ranges::is_sorted(*names));
  EXPECT_THAT(*names, Contains("events"));
  EXPECT_THAT(*names, Contains("tracing_on"));
  EXPECT_THAT(tracefs_->list("instances").value_or(std::vector<std::string>{}),
              Contains(instance_.substr(instance_.find('/') + 1)));
}

TEST_P(TracefsTest, a_mark_is_refused_while_tracing_is_off) {
  const auto marker = tracefs_->open(in("trace_marker"), OpenMode::write);
  ASSERT_TRUE(marker) << marker.error().message;
  EXPECT_TRUE((*marker)->write("here"));
  ASSERT_TRUE(tracefs_->write(in("tracing_on"), "0"));
  EXPECT_FALSE((*marker)->write("there"));
}

TEST_P(TracefsTest, reading_an_empty_ring_does_not_wait) {
  const auto pipe = tracefs_->open(in("per_cpu/cpu0/trace_pipe_raw"), OpenMode::read);
  ASSERT_TRUE(pipe);
  std::array<std::byte, 4096> bytes{};
  const auto got = (*pipe)->read(bytes);
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(*got, 0U);
}

INSTANTIATE_TEST_SUITE_P(Doors, TracefsTest, ::testing::Values("kernel", "fake"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Tracefs, is_found_where_it_is_mounted) {
  const auto root = find_tracefs();
  if (!root) {
    EXPECT_EQ(root.error().kind, ErrorKind::unsupported);
    GTEST_SKIP() << root.error().message;
  }
  EXPECT_TRUE(make_real_tracefs(*root)->exists("trace_clock"));
}

TEST(FakeTracefs, gives_sub_buffers_one_a_read_and_keeps_marks) {
  FakeTracefs tracefs;
  tracefs.feed("per_cpu/cpu0/trace_pipe_raw", {to_bytes("first"), to_bytes("second")});
  const auto pipe = tracefs.open("per_cpu/cpu0/trace_pipe_raw", OpenMode::read);
  ASSERT_TRUE(pipe);
  std::array<std::byte, 64> bytes{};
  EXPECT_EQ((*pipe)->read(bytes), 5U);
  EXPECT_EQ((*pipe)->read(bytes), 6U);
  EXPECT_EQ((*pipe)->read(bytes), 0U);
  const auto marker = tracefs.open("trace_marker", OpenMode::write);
  ASSERT_TRUE(marker && (*marker)->write("here"));
  EXPECT_THAT(tracefs.marks(""), ::testing::ElementsAre("here"));
  EXPECT_EQ(tracefs.open_files(), 2U);
}

}  // namespace
}  // namespace netperfd::trace
