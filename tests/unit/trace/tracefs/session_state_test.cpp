// SPDX-License-Identifier: GPL-2.0-or-later
// Settings that others may have left in the top instance, jobs that must be refused, and the writes of a
// session for both.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/trace/tracefs/session.hpp"
#include "tests/unit/trace/tracefs/fake_tracefs.hpp"
#include "tests/unit/trace/tracefs/session_support.hpp"

namespace netperfd::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class SessionStateTest : public ::testing::Test {
 protected:
  [[nodiscard]] Result<std::unique_ptr<TraceSession>> open(FakeTracefs& tracefs,
                                                           const TraceSpec& spec) const {
    return TraceSession::open(tracefs, fake_settings(scratch_), spec);
  }
  [[nodiscard]] static TraceSpec graph(std::vector<std::string> functions, std::vector<std::string> exclude) {
    TraceSpec spec;
    spec.function_graph = FunctionGraphSpec{
        .module = "", .functions = std::move(functions), .exclude = std::move(exclude), .depth = {}};
    return spec;
  }
  [[nodiscard]] static TraceSpec filtered(const std::string& event, const std::string& filter) {
    TraceSpec spec;
    spec.events = {{.name = event, .filter = filter, .stacktrace = true}};
    return spec;
  }
  // A kernel with `count` functions of its own, "f0" and so on.
  [[nodiscard]] static FakeKernel kernel_of(std::size_t count) {
    FakeKernel kernel;
    kernel.functions[""].clear();
    for (std::size_t i = 0; i < count; ++i) kernel.functions[""].push_back(fmt::format("f{}", i));
    return kernel;
  }
  // Number of functions written into the filters, each followed by white space so that the kernel reads it.
  [[nodiscard]] static std::size_t ends_of_functions(const FakeTracefs& tracefs) {
    std::size_t functions = 0;
    for (const auto& operation : tracefs.operations()) {
      const bool filter =
          operation.path.ends_with("set_ftrace_filter") || operation.path.ends_with("set_ftrace_notrace");
      if (!filter || operation.text.empty()) continue;
      EXPECT_TRUE(operation.text.ends_with('\n')) << describe(operation);
      ++functions;
    }
    return functions;
  }

  ScratchDirectory scratch_;
};

TEST_F(SessionStateTest, does_not_inherit_the_tops_options) {
  FakeTracefs tracefs;
  tracefs.set("options/markers", "0\n");
  tracefs.set("options/overwrite", "0\n");
  tracefs.set("options/stacktrace", "1\n");
  tracefs.set("options/userstacktrace", "1\n");
  const std::string before = tracefs.snapshot();
  auto session = open(tracefs, event_spec());
  ASSERT_TRUE(session) << session.error().message;
  const std::string instance = "instances/netperfd-4711/options/";
  EXPECT_EQ(tracefs.get(instance + "markers"), "1\n");
  EXPECT_EQ(tracefs.get(instance + "overwrite"), "1\n");
  EXPECT_EQ(tracefs.get(instance + "stacktrace"), "0\n");
  EXPECT_EQ(tracefs.get(instance + "userstacktrace"), "0\n");
  session->reset();
  EXPECT_EQ(tracefs.snapshot(), before);
}

TEST_F(SessionStateTest, is_content_with_a_kernel_that_lacks_an_option) {
  FakeTracefs tracefs;
  tracefs.after_each([&](const FakeTracefs::Operation& operation) {
    if (operation.kind == FakeTracefs::Operation::Kind::make_directory) {
      tracefs.erase(operation.path + "/options/userstacktrace");
    }
  });
  EXPECT_TRUE(open(tracefs, event_spec()));
}

TEST_F(SessionStateTest, at_the_top_puts_aside_whom_and_where_others_chose_to_trace) {
  FakeTracefs tracefs(kernel_of_old());
  use_settings(tracefs);
  tracefs.set("set_event_notrace_pid", "21\n");
  tracefs.set("set_ftrace_notrace_pid", "22\n23\n");
  const std::string before = tracefs.snapshot();
  TraceSpec spec = whole_spec();
  spec.workload_only = false;
  spec.cpus.clear();
  auto session = open(tracefs, spec);
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_EQ((*session)->directory(), "");
  EXPECT_EQ(tracefs.get("set_event_pid"), "");
  EXPECT_EQ(tracefs.get("set_event_notrace_pid"), "");
  EXPECT_EQ(tracefs.get("set_ftrace_pid"), "no pid\n");
  EXPECT_EQ(tracefs.get("set_ftrace_notrace_pid"), "no pid\n");
  EXPECT_EQ(tracefs.get("tracing_cpumask"), "3\n");
  tracefs.forget_operations();
  ASSERT_TRUE((*session)->restore());
  EXPECT_EQ(tracefs.snapshot(), before);
  EXPECT_EQ(ends_of_functions(tracefs), 3U) << "two in the filter, one out of it";
}

TEST_F(SessionStateTest, ends_each_function_so_that_the_kernel_tells_of_a_miss) {
  FakeTracefs tracefs;
  const auto session = open(tracefs, graph({"tcp_*", "nobody"}, {"tcp_recvmsg"}));
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ((*session)->missing_functions(), std::vector<std::string>{"nobody"});
  EXPECT_EQ(ends_of_functions(tracefs), 3U);
}

// For each name the kernel would compare the names of all its functions.
TEST_F(SessionStateTest, writes_names_as_line_numbers) {
  FakeTracefs tracefs;
  tracefs.load_module("bridge", {"hsr_get_node"});
  const auto session = open(tracefs, graph({"hsr_get_node", "nobody", "ip_rcv", "tcp_s*"}, {}));
  ASSERT_TRUE(session) << session.error().message;
  const std::string filter = (*session)->path("set_ftrace_filter");
  EXPECT_EQ(tracefs.get(filter), "hsr_get_node [bridge]\nhsr_get_node [hsr]\nip_rcv\ntcp_sendmsg\n");
  EXPECT_EQ((*session)->missing_functions(), std::vector<std::string>{"nobody"});
  std::vector<std::string> written;
  for (const auto& operation : tracefs.operations()) {
    if (operation.path == filter) written.push_back(operation.text);
  }
  EXPECT_THAT(written, ElementsAre("", "6\n", "9\n", "nobody\n", "3\n", "tcp_s*\n"));
}

TEST_F(SessionStateTest, a_module_that_comes_while_the_filter_is_written_changes_nothing) {
  FakeTracefs tracefs;
  bool loaded = false;
  tracefs.after_each([&](const FakeTracefs::Operation& operation) {
    if (loaded || !operation.path.ends_with("set_ftrace_filter")) return;
    loaded = true;
    tracefs.load_module("bridge", {"br_forward"});  // listed before those of hsr
  });
  const auto session = open(tracefs, graph({"hsr_dev_xmit", "hsr_get_node", "nobody", "ip_rcv"}, {}));
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE(loaded);
  EXPECT_EQ(tracefs.get((*session)->path("set_ftrace_filter")),
            "hsr_dev_xmit [hsr]\nhsr_get_node [hsr]\nip_rcv\n");
  EXPECT_EQ((*session)->missing_functions(), std::vector<std::string>{"nobody"});
}

TEST_F(SessionStateTest, traces_no_more_functions_than_anybody_can_want) {
  FakeTracefs tracefs(kernel_of(5001));
  const std::string before = tracefs.snapshot();
  const auto refused = open(tracefs, graph({"f*"}, {}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(refused.error().message, HasSubstr("functions: 5001 fit, at most 5000 are traced"));
  EXPECT_EQ(tracefs.snapshot(), before);
  const auto session = open(tracefs, graph({"f*"}, {"f17"}));
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ((*session)->functions(), 5000U);
}

TEST_F(SessionStateTest, traces_a_module_however_many_functions_it_has) {
  FakeKernel kernel = kernel_of(5001);
  kernel.functions["hsr"] = kernel.functions[""];
  FakeTracefs tracefs(kernel);
  TraceSpec spec = graph({}, {});
  spec.function_graph->module = "hsr";
  const auto session = open(tracefs, spec);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ((*session)->functions(), 5001U);
}

TEST_F(SessionStateTest, keeps_the_journal_short_however_many_functions_are_named) {
  FakeTracefs tracefs(kernel_of_old());
  TraceSpec spec = graph({}, {});
  for (int i = 0; i < 100; ++i) spec.function_graph->functions.push_back("tcp_*");
  const auto session = open(tracefs, spec);
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_EQ((*session)->directory(), "");
  const std::string journal = scratch_.read("journal");
  EXPECT_THAT(journal, HasSubstr("change\tlist\tset_ftrace_filter"));
  EXPECT_THAT(journal, Not(HasSubstr("again\tset_ftrace_filter")));
  EXPECT_THAT(journal, Not(HasSubstr("left\tset_ftrace_filter")));
  EXPECT_THAT(journal, HasSubstr("left\tcurrent_tracer"));
}

TEST_F(SessionStateTest, lets_no_filter_ask_for_an_address) {
  FakeTracefs tracefs;
  for (const char* filter : {"skbaddr >= 1", "skbaddr != 0 && skbaddr > 0xffff888000000000"}) {
    const auto refused = open(tracefs, filtered("skb:consume_skb", filter));
    ASSERT_FALSE(refused) << filter;
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
    EXPECT_THAT(refused.error().message, HasSubstr("skb:consume_skb"));
  }
  for (const auto& operation : tracefs.operations()) {
    EXPECT_EQ(operation.text.find("skbaddr"), std::string::npos) << describe(operation);
  }
}

TEST_F(SessionStateTest, takes_no_filter_where_the_events_format_cannot_be_read) {
  FakeTracefs tracefs;
  tracefs.fail_path("instances/netperfd-4711/events/skb/kfree_skb/format", EIO);
  EXPECT_FALSE(open(tracefs, filtered("skb:kfree_skb", "reason == 2")));
  EXPECT_TRUE(open(tracefs, filtered("skb:kfree_skb", "")));
}

TEST_F(SessionStateTest, gives_the_kernels_own_words_on_a_filter_whatever_its_errno) {
  FakeTracefs tracefs;
  const auto refused = open(tracefs, filtered("tcp:tcp_retransmit_skb", "sport == \"x\""));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(refused.error().message,
            "tcp:tcp_retransmit_skb: filter \"sport == \"x\"\": event filter parse error: error: Expecting "
            "numeric field\n  Command: sport == \"x\"");
}

TEST_F(SessionStateTest, takes_no_old_error_for_the_kernels_words_on_a_filter) {
  FakeTracefs tracefs(kernel_of_old());
  tracefs.set("error_log", "[   1.0] somebody's error\n");
  TraceSpec spec = whole_spec();
  tracefs.fail_path("events/tcp/tcp_retransmit_skb/filter", EIO);
  const auto refused = open(tracefs, spec);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, Not(HasSubstr("somebody")));
}

TEST_F(SessionStateTest, goes_without_a_watermark_where_the_kernel_has_none_or_does_not_let_it_be_set) {
  FakeTracefs older;
  older.erase("buffer_percent");
  EXPECT_TRUE(TraceSession::open(older, fake_settings(scratch_), {}));
  FakeTracefs strict(kernel_of_old());
  strict.set("buffer_size_kb", "1410\n");  // already used: otherwise the kernel makes it this large itself
  strict.fail_path("buffer_percent", EACCES);
  const std::string before = strict.snapshot();
  auto session = TraceSession::open(strict, fake_settings(scratch_), whole_spec());
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE((*session)->restore());
  EXPECT_EQ(strict.snapshot(), before);
}

TEST_F(SessionStateTest, leaves_out_what_is_over_the_budget_with_its_clones) {
  FakeKernel kernel;
  kernel.functions["hsr"].emplace_back("hsr_get_node.isra.0");
  FakeTracefs tracefs(kernel);
  TraceSpec spec = whole_spec();
  spec.function_graph->exclude.clear();
  spec.function_graph->over_budget = {"hsr_get_node"};
  const auto session = open(tracefs, spec);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ((*session)->functions(), 2U);
}

TEST_F(SessionStateTest, keeps_only_the_named_functions_of_a_module_with_their_clones) {
  FakeTracefs tracefs;
  TraceSpec spec = whole_spec();
  spec.function_graph->exclude.clear();
  spec.function_graph->only = {"hsr_get_node", "hsr_dev_xmit"};
  {
    const auto session = open(tracefs, spec);
    ASSERT_TRUE(session) << session.error().message;
    EXPECT_EQ((*session)->functions(), 2U);
    EXPECT_EQ(tracefs.get("instances/netperfd-4711/set_ftrace_notrace"), "hsr_forward_skb [hsr]\n");
  }
  spec.function_graph->only = {"tcp_sendmsg"};
  const auto none = open(tracefs, spec);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message,
              testing::HasSubstr("only: none of tcp_sendmsg is among the functions to trace"));
}

}  // namespace
}  // namespace netperfd::trace
