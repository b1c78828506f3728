// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sampling/collector.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/unit/sampling/ring_bytes.hpp"

namespace netperfd::sampling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Functions of 16 bytes each.
enum Place : std::uint64_t {
  tcp_sendmsg = 0x1000,
  tcp_ack = 0x1010,
  hsr_xmit = 0x1020,
  do_idle = 0x1030,
  default_idle = 0x1040,
  asm_common_interrupt = 0x1050,
  net_rx_action = 0x1060,
  handle_softirqs = 0x1070,
  nowhere = 0x9000,
};

std::optional<analysis::FunctionName> name_of(std::uint64_t address) {
  static const std::map<std::uint64_t, analysis::FunctionName> names{
      {tcp_sendmsg, {"tcp_sendmsg", "", 0}},
      {tcp_ack, {"tcp_ack", "", 0}},
      {hsr_xmit, {"xmit", "hsr", 2}},
      {do_idle, {"do_idle", "", 0}},
      {default_idle, {"default_idle", "", 0}},
      {asm_common_interrupt, {"asm_common_interrupt", "", 0}},
      {net_rx_action, {"net_rx_action", "", 0}},
      {handle_softirqs, {"handle_softirqs", "", 0}},
  };
  const auto found = names.find(address & ~std::uint64_t{0xF});
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

Collector collector_of(std::vector<Process> workload, bool zero_is_idle = true, std::size_t most = 1'000) {
  return Collector{{.name_of = name_of,
                    .workload = std::move(workload),
                    .zero_is_idle = zero_is_idle,
                    .most_nodes = most}};
}

// "iperf3;tcp_sendmsg;tcp_ack 3" for each path with samples.
std::vector<std::string> stacks_of(const SampleProfile& profile) {
  std::vector<std::string> stacks;
  for (const SampleNode& node : profile.nodes) {
    if (node.samples == 0) continue;
    std::string path = name_of(profile.frames.at(node.frame));
    for (auto above = node.parent; above; above = profile.nodes.at(*above).parent) {
      path = name_of(profile.frames.at(profile.nodes.at(*above).frame)) + ";" + path;
    }
    stacks.push_back(fmt::format("{} {}", path, node.samples));
  }
  return stacks;
}

TEST(Collector, adds_up_equal_stacks_of_each_process_of_the_workload_and_of_all_others) {
  Collector collector = collector_of({{40, "iperf3"}, {41, "iperf3"}});
  read_records(RecordBytes{}
                   .sample(40, {tcp_ack + 4, tcp_sendmsg + 9})
                   .sample(40, {tcp_ack, tcp_sendmsg + 3})
                   .sample(40, {tcp_sendmsg})
                   .sample(41, {tcp_ack})
                   .sample(90, {tcp_ack})
                   .sample(91, {tcp_ack})
                   .bytes,
               collector);
  EXPECT_THAT(stacks_of(collector.profile()),
              UnorderedElementsAre("iperf3;tcp_sendmsg;tcp_ack 2", "iperf3;tcp_sendmsg 1", "iperf3;tcp_ack 1",
                                   "others;tcp_ack 2"));
  EXPECT_EQ(collector.profile().samples, 6U);
}

TEST(Collector, takes_a_caller_for_the_function_before_the_return_address) {
  Collector collector = collector_of({});
  read_records(RecordBytes{}.sample(9, {tcp_ack, hsr_xmit}).bytes, collector);  // returns behind tcp_ack
  EXPECT_THAT(stacks_of(collector.profile()), ElementsAre("others;tcp_ack;tcp_ack 1"));
}

// A program that a workload loads is in no list of names that was read before.
TEST(Collector, names_bpf_programs_that_are_loaded_meanwhile) {
  Collector collector = collector_of({{40, "xdp-bench"}});
  const auto read = [&collector](RecordBytes& records) {
    read_loaded_code(records.bytes, collector);
    read_records(records.bytes, collector);
  };
  read(RecordBytes{}.sample(40, {nowhere + 8}).code(nowhere, 64, "bpf_prog_6deef7357e7b4530_count"));
  read(RecordBytes{}.sample(40, {nowhere + 63}).sample(40, {nowhere + 64}));
  // Another one takes its place, and code of the kernel's own has no module.
  read(RecordBytes{}.code(nowhere + 16, 16, "bpf_prog_1111111111111111_next"));
  read(RecordBytes{}.sample(40, {nowhere + 8}).sample(40, {nowhere + 20}));
  read(RecordBytes{}.code(tcp_ack, 16, "kprobe_optinsn_page", false).sample(40, {tcp_ack + 4}));
  const SampleProfile profile = collector.profile();
  EXPECT_THAT(
      stacks_of(profile),
      UnorderedElementsAre("xdp-bench;bpf_prog_6deef7357e7b4530_count 2", "xdp-bench;[unknown] 2",
                           "xdp-bench;bpf_prog_1111111111111111_next 1", "xdp-bench;kprobe_optinsn_page 1"));
  for (const SampleFrame& frame : profile.frames) {
    if (frame.kind != FrameKind::function) continue;
    EXPECT_EQ(frame.module, frame.name.starts_with("bpf_prog_") ? "bpf" : "") << frame.name;
  }
  read(RecordBytes{}.code(~std::uint64_t{0}, 64, "beyond").code(0x100, 0, "empty").sample(40, {0x100}));
  EXPECT_EQ(collector.profile().unknown, 3U);
}

TEST(Collector, keeps_module_and_number_of_a_function_that_shares_its_name) {
  Collector collector = collector_of({});
  read_records(RecordBytes{}.sample(9, {hsr_xmit}).bytes, collector);
  EXPECT_THAT(collector.profile().frames,
              ElementsAre(SampleFrame{.kind = FrameKind::others, .name = "", .module = ""},
                          SampleFrame{.name = "xmit", .module = "hsr", .duplicate = 2}));
}

TEST(Collector, counts_idle_samples_and_keeps_interrupts_of_an_idle_cpu_as_work) {
  Collector collector = collector_of({{40, "iperf3"}});
  read_records(
      RecordBytes{}
          .sample(0, {default_idle, do_idle})
          .sample(0, {do_idle})
          .sample(0, {net_rx_action, handle_softirqs + 1, asm_common_interrupt + 1, default_idle + 1})
          .sample(0, {net_rx_action, handle_softirqs + 1, do_idle + 1})
          .bytes,
      collector);
  const SampleProfile profile = collector.profile();
  EXPECT_EQ(profile.samples, 4U);
  EXPECT_EQ(profile.idle, 2U);
  EXPECT_THAT(stacks_of(profile),
              UnorderedElementsAre("others;default_idle;asm_common_interrupt;handle_softirqs;net_rx_action 1",
                                   "others;do_idle;handle_softirqs;net_rx_action 1"));
}

TEST(Collector, in_a_pid_namespace_knows_the_idle_task_by_its_stack) {
  Collector collector = collector_of({}, false);
  read_records(RecordBytes{}
                   .sample(0, {default_idle, do_idle + 1})
                   .sample(0, {tcp_ack})
                   .sample(0, {}, kUserMode)
                   .bytes,
               collector);
  EXPECT_EQ(collector.profile().idle, 1U);
  EXPECT_THAT(stacks_of(collector.profile()), UnorderedElementsAre("others;tcp_ack 1", "others;[user] 1"));
}

TEST(Collector, names_programs_of_the_workload_only) {
  Collector collector = collector_of({{40, "netperfd"}});
  read_records(RecordBytes{}
                   .sample(40, {}, kUserMode)
                   .name(40, 40, "iperf3")
                   .name(90, 90, "secret")
                   .sample(90, {}, kUserMode)
                   .sample(40, {}, kUserMode)
                   .sample(90, {}, kGuestKernelMode)
                   .bytes,
               collector);
  EXPECT_THAT(stacks_of(collector.profile()),
              UnorderedElementsAre("iperf3;[user] 2", "others;[user] 1", "others;[guest] 1"));
}

TEST(Collector, shows_no_character_of_a_programs_name_that_is_not_printable) {
  Collector collector = collector_of({{40, "netperfd"}});
  read_records(RecordBytes{}.name(40, 40, "a\x1b[2J").sample(40, {}, kUserMode).bytes, collector);
  EXPECT_THAT(stacks_of(collector.profile()), ElementsAre("a?[2J;[user] 1"));
}

TEST(Collector, counts_samples_with_code_that_has_no_symbol) {
  Collector collector = collector_of({});
  read_records(
      RecordBytes{}.sample(9, {nowhere, nowhere + 64, tcp_ack + 1}).sample(9, {tcp_ack}).sample(9, {}).bytes,
      collector);
  EXPECT_EQ(collector.profile().unknown, 2U);
  EXPECT_THAT(stacks_of(collector.profile()), UnorderedElementsAre("others;tcp_ack;[unknown];[unknown] 1",
                                                                   "others;tcp_ack 1", "others;[unknown] 1"));
}

TEST(Collector, keeps_the_innermost_function_of_a_path_that_finds_no_room) {
  Collector collector = collector_of({{40, "iperf3"}}, true, 4);
  RecordBytes records;
  records.sample(40, {tcp_ack, tcp_sendmsg + 1});  // two roots and these two nodes: full
  for (int i = 0; i < 3; ++i) records.sample(40, {tcp_ack, hsr_xmit + 1, tcp_sendmsg + 1});
  records.sample(40, {tcp_ack, tcp_sendmsg + 1}).sample(90, {hsr_xmit});
  read_records(records.bytes, collector);
  const SampleProfile profile = collector.profile();
  EXPECT_EQ(profile.cut, 4U);
  EXPECT_THAT(stacks_of(profile), UnorderedElementsAre("iperf3;tcp_sendmsg;tcp_ack 2",
                                                       "iperf3;[more];tcp_ack 3", "others;[more];xmit 1"));
}

TEST(Collector, stays_within_its_memory_whatever_the_stacks) {
  Collector collector{{.name_of = [](std::uint64_t address) -> std::optional<analysis::FunctionName> {
                         return analysis::FunctionName{fmt::format("f{}", address), "", 0};
                       },
                       .workload = {},
                       .zero_is_idle = true,
                       .most_nodes = 100}};
  constexpr std::uint64_t kSamples = 20'000;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    const std::vector<std::uint64_t> addresses{i, i + 1};
    collector.sampled({.pid = 1, .in_kernel = true, .in_guest = false, .addresses = addresses});
  }
  const SampleProfile profile = collector.profile();
  EXPECT_LE(profile.nodes.size(), 100U + 8'192U + 1U);
  std::uint64_t sum = 0;
  for (const SampleNode& node : profile.nodes) sum += node.samples;
  EXPECT_EQ(sum, kSamples);
}

TEST(Collector, forgets_what_was_before_the_release_but_no_names) {
  Collector collector = collector_of({{40, "netperfd"}});
  read_records(RecordBytes{}.name(40, 40, "iperf3").sample(40, {tcp_ack}).lost(3).throttle().bytes,
               collector);
  collector.begin();
  EXPECT_EQ(collector.profile(), SampleProfile{});
  read_records(RecordBytes{}.sample(40, {tcp_ack}).lost(2).bytes, collector);
  EXPECT_THAT(stacks_of(collector.profile()), ElementsAre("iperf3;tcp_ack 1"));
  EXPECT_EQ(collector.profile().lost, 2U);
  EXPECT_EQ(collector.profile().throttled, 0U);
}

TEST(Collector, leaves_out_processes_and_frames_without_samples) {
  Collector collector = collector_of({{40, "iperf3"}});
  read_records(RecordBytes{}.sample(0, {default_idle, do_idle + 1}).sample(9, {tcp_ack}).bytes, collector);
  EXPECT_THAT(collector.profile().frames, testing::SizeIs(2));
  EXPECT_THAT(collector.profile().nodes, testing::SizeIs(2));
}

}  // namespace
}  // namespace netperfd::sampling
