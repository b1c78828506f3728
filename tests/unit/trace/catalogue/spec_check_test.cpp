// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/spec_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "tests/unit/trace/catalogue/catalogue_support.hpp"

namespace netperfd::trace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SpecCheckTest : public testing::Test {
 protected:
  void use(const FakeKernel& kernel) { tracefs = std::make_unique<FakeTracefs>(kernel); }
  Status check(const TraceSpec& spec) {
    KernelCatalogue catalogue(*tracefs, machine.settings);
    return check_trace_spec(spec, *tracefs, catalogue);
  }
  static TraceSpec graph(FunctionGraphSpec functions) {
    TraceSpec spec;
    spec.function_graph = std::move(functions);
    return spec;
  }
  static TraceSpec event(EventSpec one) {
    TraceSpec spec;
    spec.events.push_back(std::move(one));
    return spec;
  }
  void expect(const TraceSpec& spec, ErrorKind kind, const std::string& words) {
    const Status status = check(spec);
    ASSERT_FALSE(status.has_value()) << words;
    EXPECT_EQ(status.error().kind, kind) << status.error().message;
    EXPECT_THAT(status.error().message, HasSubstr(words));
  }

  FakeMachine machine;
  std::unique_ptr<FakeTracefs> tracefs = std::make_unique<FakeTracefs>(able_kernel());
};

TEST_F(SpecCheckTest, a_job_that_the_kernel_can_do_passes_and_changes_nothing) {
  TraceSpec spec = graph({"", {"tcp_sendmsg", "ip_*"}, {"ip_output"}, 1});
  spec.events = {{"skb:kfree_skb", "reason == 2", true}};
  spec.cpus = {0, 1};
  const std::string before = tracefs->snapshot();
  const Status status = check(spec);
  EXPECT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(tracefs->snapshot(), before);
  EXPECT_TRUE(check(graph({"hsr", {}, {"hsr_get_node"}, {}})).has_value());
}

TEST_F(SpecCheckTest, names_what_is_nearest_to_a_wrong_name) {
  expect(
      graph({"", {"tcp_sendmgs"}, {}, {}}), ErrorKind::invalid_argument,
      "trace.function_graph.functions: no function tcp_sendmgs can be traced; the nearest is tcp_sendmsg.");
  expect(graph({"", {"nosuch_*"}, {}, {}}), ErrorKind::invalid_argument,
         "no traceable function fits nosuch_*.");
  expect(graph({"hsr", {}, {"tcp_sendmsg"}, {}}), ErrorKind::invalid_argument,
         "trace.function_graph.exclude: no function tcp_sendmsg of the module hsr");
  expect(event({"skb:kfree_sbk", "", false}), ErrorKind::invalid_argument,
         "trace.events[0].name: there is no event skb:kfree_sbk; did you mean skb:kfree_skb?");
  expect(event({"hsr:wholly_else", "", false}), ErrorKind::invalid_argument,
         "there is no event hsr:wholly_else; `netperfctl events 'hsr:*'` lists them.");
}

TEST_F(SpecCheckTest, a_module_must_be_loaded_and_have_functions) {
  expect(graph({"nf_tables", {}, {}, {}}), ErrorKind::invalid_argument, "modprobe nf_tables");
  expect(graph({"tcp_cubic", {}, {}, {}}), ErrorKind::invalid_argument, "built in");
  expect(graph({"hsx", {}, {}, {}}), ErrorKind::invalid_argument,
         "no module \"hsx\" here; the nearest is hsr.");
  machine.write("proc/modules", "crc8 65536 0 - Live 0xffffffffc0a00000\n");
  expect(graph({"crc8", {}, {}, {}}), ErrorKind::unsupported, "without ftrace's hooks");
}

TEST_F(SpecCheckTest, cpus_must_be_online) {
  TraceSpec spec = event({"skb:kfree_skb", "", false});
  spec.cpus = {1, 3, 9};
  expect(spec, ErrorKind::invalid_argument, "trace.cpus: CPU 3 is offline; online are 0, 1.");
  expect(spec, ErrorKind::invalid_argument, "trace.cpus: CPU 9 does not exist");
  machine.write("sys/devices/system/cpu/online", "0-1,3\n");
  spec.cpus = {3};
  EXPECT_TRUE(check(spec).has_value());
}

TEST_F(SpecCheckTest, a_filter_may_not_ask_for_addresses_or_for_what_is_not_there) {
  TraceSpec spec = event({"skb:kfree_skb", "reason == 2", false});
  spec.events.push_back({"skb:consume_skb", "skbaddr >= 0xffff800000000000", false});
  expect(spec, ErrorKind::invalid_argument,
         "trace.events[1].filter: skb:consume_skb: filter \"skbaddr >= 0xffff800000000000\" names skbaddr");
  expect(event({"skb:kfree_skb", "protcol == 8", false}), ErrorKind::invalid_argument,
         "a field protcol that the event does not have; the nearest is protocol.");
  EXPECT_TRUE(check(event({"skb:consume_skb", "skbaddr != 0", false})).has_value());
}

TEST_F(SpecCheckTest, a_filter_that_only_the_kernel_refuses_is_refused_with_its_words) {
  const std::string before = tracefs->snapshot();
  const TraceSpec spec = event({"skb:kfree_skb", "protocol == \"x\"", false});
  expect(spec, ErrorKind::invalid_argument,
         "trace.events[0].filter: skb:kfree_skb: event filter parse error: error: Expecting numeric field");
  EXPECT_EQ(tracefs->snapshot(), before);
  // The doctor's answers are known from before; nothing is tried while a job is being traced.
  tracefs->add_instance(machine.settings.own_instance);
  tracefs->forget_operations();
  EXPECT_TRUE(check(spec).has_value());
  EXPECT_TRUE(tracefs->operations().empty());
}

TEST(DefaultBuffer, takes_a_small_share_of_the_machine) {
  constexpr std::uint64_t kMib = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kGib = std::uint64_t{1} << 30U;
  EXPECT_EQ(default_buffer_bytes(64 * kGib, 8), 32 * kMib);
  EXPECT_EQ(default_buffer_bytes(512 * kGib, 64), 8 * kMib);  // 512 MiB in total
  EXPECT_EQ(default_buffer_bytes(2000 * kMib, 2), 20 * kMib);
  EXPECT_EQ(default_buffer_bytes(64 * kMib, 4), kMib);
}

TEST_F(SpecCheckTest, the_rings_of_all_cpus_together_have_a_limit) {
  TraceSpec spec = event({"skb:kfree_skb", "", false});
  spec.buffer_bytes = std::uint64_t{1} << 30U;
  expect(spec, ErrorKind::invalid_argument,
         "trace.buffer: 1024 MiB on each of 2 CPUs is 2048 MiB in all; at most 512 MiB in all are taken here "
         "(whatever the memory), so 256 MiB a CPU.");
  spec.buffer_bytes = std::uint64_t{256} << 20U;
  EXPECT_TRUE(check(spec).has_value());
  machine.write("proc/meminfo", "MemTotal:        1048576 kB\nMemFree:  1 kB\n");
  expect(spec, ErrorKind::invalid_argument,
         "at most 256 MiB in all are taken here (a quarter of the memory), so 128 MiB a CPU.");
  spec.buffer_bytes = std::uint64_t{128} << 20U;
  EXPECT_TRUE(check(spec).has_value());
  machine.write("sys/devices/system/cpu/online", "0-15\n");
  expect(spec, ErrorKind::invalid_argument, "on each of 16 CPUs");
}

TEST_F(SpecCheckTest, a_kernel_that_cannot_is_unsupported_with_the_doctors_words_and_advice) {
  FakeKernel kernel = able_kernel();
  kernel.lockdown = true;
  use(kernel);
  const auto doctor =
      capability(KernelCatalogue(*tracefs, machine.settings).capabilities(true), "function_graph");
  expect(graph({"", {"tcp_sendmsg"}, {}, {}}), ErrorKind::unsupported, doctor.detail);
  expect(graph({"hsr", {}, {}, {}}), ErrorKind::unsupported, doctor.advice);
  expect(graph({"hsr", {}, {}, {}}), ErrorKind::unsupported, ", or `optional: true` measures without it.");
  EXPECT_THAT(check(graph({"hsr", {}, {}, {}})).error().message, Not(HasSubstr("\n"))) << "said once";
}

TEST_F(SpecCheckTest, wrong_names_count_for_more_than_what_the_kernel_cannot_do) {
  FakeKernel kernel = able_kernel();
  kernel.function_graph = false;
  use(kernel);
  TraceSpec spec = graph({"", {"tcp_sendmsg"}, {}, {}});
  expect(spec, ErrorKind::unsupported, "function_graph");
  spec.events.push_back({"skb:nosuch", "", false});
  expect(spec, ErrorKind::invalid_argument, "skb:nosuch");
  EXPECT_THAT(check(spec).error().message, HasSubstr("trace.function_graph cannot be had here"));
}

TEST_F(SpecCheckTest, every_complaint_has_a_line) {
  TraceSpec spec = graph({"", {"nosuch", "tcp_sendmsg", "nor*this"}, {}, {}});
  spec.events = {{"a:b", "", false}, {"skb:kfree_skb", "", false}};
  spec.cpus = {7};
  const std::string text = check(spec).error().message;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST_F(SpecCheckTest, without_tracefs_it_is_unsupported_and_says_how_to_mount_it) {
  tracefs->erase("current_tracer");
  expect(event({"skb:kfree_skb", "", false}), ErrorKind::unsupported, "mount -t tracefs");
}

TEST(KernelsSpecCheck, refuses_function_graph_where_the_kernel_does_not_list_it) {
  const ScratchDirectory scratch;
  const auto tracefs = make_real_tracefs("/sys/kernel/tracing");
  const auto tracers = tracefs->read("available_tracers");
  ASSERT_TRUE(tracers.has_value()) << "needs root and tracefs: " << tracers.error().message;
  KernelCatalogue catalogue(*tracefs, real_settings(scratch));
  TraceSpec spec;
  spec.events = {{"skb:kfree_skb", "protocol == 1", true}};
  spec.cpus = {0};
  const Status events = check_trace_spec(spec, *tracefs, catalogue);
  EXPECT_TRUE(events.has_value()) << events.error().message;
  spec.events[0].filter = "protocol == \"x\"";
  const Status words = check_trace_spec(spec, *tracefs, catalogue);
  ASSERT_FALSE(words.has_value());
  EXPECT_EQ(words.error().kind, ErrorKind::invalid_argument);
  EXPECT_THAT(words.error().message, HasSubstr("event filter parse error"));
  spec.events[0].filter = "location >= 0xffffffff82000000";
  const Status address = check_trace_spec(spec, *tracefs, catalogue);
  ASSERT_FALSE(address.has_value());
  EXPECT_THAT(address.error().message, HasSubstr("names location, which is a kernel address"));
  spec.events[0].filter = "";
  if (tracers->find("function_graph") != std::string::npos) return;
  spec.function_graph = FunctionGraphSpec{"", {"tcp_sendmsg"}, {}, {}};
  const Status refused = check_trace_spec(spec, *tracefs, catalogue);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::unsupported);
}

}  // namespace
}  // namespace netperfd::trace
