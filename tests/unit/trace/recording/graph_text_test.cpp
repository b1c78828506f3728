// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/graph_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "daemon/model/text.hpp"
#include "tests/unit/trace/ring/recorded_graph.hpp"
#include "tests/unit/trace/ring/subbuffer_maker.hpp"

namespace netperfd::trace::test {
namespace {

constexpr std::uint16_t kEntryId = 11;
constexpr std::uint16_t kExitId = 10;
constexpr std::uint16_t kHitId = 1;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

using Cpus = std::vector<std::pair<std::uint32_t, std::span<const std::byte>>>;

std::vector<std::string> written(const GraphTextInput& input, const Cpus& cpus) {
  std::string text;
  write_graph_text(input, cpus, input.layout.size(), [&](std::string_view piece) {
    EXPECT_TRUE(piece.ends_with('\n'));
    text += piece;
  });
  return lines_of(text);
}

// Without arguments, return addresses and return values, which our text does not contain, and without the
// arrow of sched_switch, since our text lists the fields of an event.
std::string without_values(const std::string& line) {
  static const std::regex hit_arguments(R"(\([^()]*\) <-)");
  static const std::regex arguments(R"(\(\w+=[^()]*\))");
  static const std::regex behind_call(R"(([;{]) /\* [^*]*\*/$)");
  static const std::regex return_value(R"( ret=\S+ \*/$)");
  static const std::regex between_fields(R"(^(.*/\* sched_switch: .*) ==> )");
  auto result = std::regex_replace(line, hit_arguments, " <-");
  result = std::regex_replace(result, arguments, "()");
  result = std::regex_replace(result, behind_call, "$1");
  result = std::regex_replace(result, return_value, " */");
  return std::regex_replace(result, between_fields, "$1 ");
}

// The kernel's lines without the number of events, which is unknown here.
std::vector<std::string> kernel_lines(const GraphRecording& recording) {
  auto lines = lines_of(recording.text);
  const auto counted =
      std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("# entries-in-"); });
  if (counted != lines.end()) lines.erase(counted, counted + 2);
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("##### CPU"); });
  std::ranges::transform(lines, lines.begin(), without_values);
  return lines;
}

// Removes expected differences: the file `trace` shows no losses, and 6.1 forgets the name of the task that
// leaves.
void level(std::vector<std::string>& ours, const std::vector<std::string>& kernels) {
  std::erase_if(ours, [](const std::string& line) { return line.starts_with("CPU:"); });
  static const std::regex name(" prev_comm=.* prev_pid=");
  for (std::size_t i = 0; i < std::min(ours.size(), kernels.size()); ++i) {
    if (kernels[i].find(" prev_comm= prev_pid=") != std::string::npos)
      ours[i] = std::regex_replace(ours[i], name, " prev_comm= prev_pid=");
  }
}

class GraphText : public testing::TestWithParam<GraphCase> {};

INSTANTIATE_TEST_SUITE_P(Kernels, GraphText, testing::ValuesIn(graph_cases()),
                         [](const auto& which) { return test_name(which.param); });

std::vector<std::string> text_of(const GraphRecording& recording) {
  const bool tail = recording.options.find(" funcgraph-tail ") != std::string::npos;
  const bool overruns = recording.options.find(" funcgraph-overrun ") != std::string::npos;
  Cpus cpus;
  for (const auto& [cpu, bytes] : recording.cpus) cpus.emplace_back(cpu, bytes);
  return written(
      {recording.layout, recording.events, recording.symbols, recording.task_names, {tail, overruns, {}}},
      cpus);
}

TEST_P(GraphText, tells_what_each_ring_lost) {
  const auto recording = graph_recording(GetParam());
  std::map<std::uint32_t, std::string> told;
  for (const auto& line : text_of(recording)) {
    static const std::regex loss(R"(^CPU:(\d+) (\[LOST .*EVENTS\])$)");
    std::smatch match;
    if (!std::regex_match(line, match, loss)) continue;
    EXPECT_TRUE(told.emplace(std::stoul(match[1]), match[2]).second) << line;
  }
  for (const auto& [cpu, overrun] : recording.overruns) {
    if (overrun == 0) {
      EXPECT_FALSE(told.contains(cpu)) << told[cpu];
    } else if (told[cpu] != "[LOST EVENTS]") {  // 6.1 does not give the number here
      EXPECT_EQ(told[cpu], "[LOST " + std::to_string(overrun) + " EVENTS]");
    }
  }
}

TEST_P(GraphText, is_the_kernels_own_line_by_line) {
  const auto recording = graph_recording(GetParam());
  auto ours = text_of(recording);
  const auto kernels = kernel_lines(recording);
  level(ours, kernels);
  for (std::size_t i = 0; i < std::min(ours.size(), kernels.size()); ++i) {
    ASSERT_EQ(ours[i], kernels[i]) << "line " << i;
  }
  EXPECT_EQ(ours.size(), kernels.size());
}

std::vector<KnownEvent> graph_events() {
  auto events = known_events();
  events.push_back(make_event("ftrace", "funcgraph_entry", kEntryId,
                              "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
                              "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"));
  events.push_back(make_event("ftrace", "funcgraph_exit", kExitId,
                              "\tfield:unsigned long func;\toffset:8;\tsize:8;\tsigned:0;\n"
                              "\tfield:int depth;\toffset:16;\tsize:4;\tsigned:1;\n"
                              "\tfield:unsigned int overrun;\toffset:20;\tsize:4;\tsigned:0;\n"
                              "\tfield:unsigned long long calltime;\toffset:24;\tsize:8;\tsigned:0;\n"
                              "\tfield:unsigned long long rettime;\toffset:32;\tsize:8;\tsigned:0;\n\n"
                              "print fmt: \"\"\n"));
  events.push_back(make_event("ftrace", "function", kHitId,
                              "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                              "\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
                              "print fmt: \"\"\n"));
  return events;
}

Bytes entry(std::uint64_t function, std::int32_t depth, std::int32_t pid) {
  return RecordMaker(kEntryId, pid).put(8, function).put(16, depth);
}
Bytes exit(std::uint64_t function, std::int32_t depth, std::int32_t pid, std::uint64_t ns) {
  return RecordMaker(kExitId, pid)
      .put(8, function)
      .put(16, depth)
      .put(20, std::uint32_t{3})
      .put(24, std::uint64_t{1'000'000})
      .put(32, 1'000'000 + ns);
}

// The text of synthetic sub-buffers, without its header.
class MadeGraphText : public testing::Test {
 protected:
  std::vector<std::string> text(const std::vector<std::pair<std::uint32_t, Bytes>>& subbuffers) {
    Cpus cpus;
    for (const auto& [cpu, bytes] : subbuffers) cpus.emplace_back(cpu, bytes);
    auto lines = written({layout_, events_, symbols_, tasks_, options_}, cpus);
    EXPECT_GE(lines.size(), 4U);
    lines.erase(lines.begin(), lines.begin() + 4);
    return lines;
  }

  SubbufferLayout layout_;
  std::vector<KnownEvent> events_ = graph_events();
  Symbols symbols_ = Symbols::parse(kKallsyms, 1);
  std::map<std::int32_t, std::string> tasks_ = {{7, "iperf3"}};
  GraphTextOptions options_;
};

using Lines = std::vector<std::string>;

TEST_F(MadeGraphText, folds_a_call_only_where_its_exit_comes_next_on_its_cpu) {
  SubbufferMaker first(1'000'000);
  first.add(1'000'000, entry(kIpRcv + 4, 0, 7));
  first.add(4'000'000, exit(kIpRcv + 4, 0, 7, 2'500));
  SubbufferMaker second(2'000'000);
  second.add(2'000'000, entry(kIpRcv, 0, 7));
  second.add(3'000'000, exit(kUdpRcv, 0, 7, 9));
  EXPECT_EQ(text({{1, first.finish()}, {0, second.finish()}}),
            (Lines{"    0.001000 |   1)    iperf3-7    |   2.500 us    |  ip_rcv();",
                   "    0.002000 |   0)    iperf3-7    |               |  ip_rcv() {",
                   "    0.003000 |   0)    iperf3-7    |   0.009 us    |  } /* udp_rcv */"}));
}

TEST_F(MadeGraphText, tells_losses_before_the_first_record_after_them) {
  SubbufferMaker made(1'000'000);
  made.add(1'000'000, entry(kIpRcv, 0, 7));
  SubbufferMaker after(2'000'000);
  after.add(2'000'000, exit(kIpRcv, 0, 7, 1'000));
  auto bytes = made.finish();
  const auto more = after.finish(42);
  bytes.insert(bytes.end(), more.begin(), more.end());
  const auto last = SubbufferMaker(3'000'000).finish(-1);
  bytes.insert(bytes.end(), last.begin(), last.end());
  EXPECT_EQ(
      text({{0, bytes}}),
      (Lines{"    0.001000 |   0)    iperf3-7    |               |  ip_rcv() {", "CPU:0 [LOST 42 EVENTS]",
             "    0.002000 |   0)    iperf3-7    |   1.000 us    |  } /* ip_rcv */", "CPU:0 [LOST EVENTS]"}));
}

TEST_F(MadeGraphText, says_where_a_subbuffer_is_damaged_and_goes_on) {
  SubbufferMaker made(1'000'000);
  made.add(1'000'000, entry(kIpRcv, 0, 7));
  auto bytes = made.finish();
  bytes[8] = std::byte{0xFF};  // in the commit word: more bytes than there is room for
  bytes[9] = std::byte{0xFF};
  SubbufferMaker after(2'000'000);
  after.add(2'000'000, entry(kUdpRcv, 0, 7));
  const auto more = after.finish();
  bytes.insert(bytes.end(), more.begin(), more.end());
  EXPECT_EQ(text({{0, bytes}}),
            (Lines{"# CPU 0: the header says 65535 bytes of events, there is room for 4080",
                   "    0.002000 |   0)    iperf3-7    |               |  udp_rcv() {"}));
}

TEST_F(MadeGraphText, shows_fewer_digits_of_a_long_duration_and_a_mark_by_its_length) {
  struct Known {
    std::uint64_t ns;
    std::string column;
  };
  const std::vector<Known> known{{10'000, "  10.000 us   "},          {10'001, "+ 10.001 us   "},
                                 {100'001, "! 100.001 us  "},         {9'999'999, "# 9999.999 us "},
                                 {12'345'678, "* 12345.67 us "},      {123'456'789, "@ 123456.7 us "},
                                 {1'234'567'890, "$ 1234567 us  "},   {12'345'678'901, "$ 12345678 us "},
                                 {123'456'789'012, "$ 123456789 us "}};
  for (const auto& [ns, column] : known) {
    SubbufferMaker made(1'000'000);
    made.add(1'000'000, exit(kIpRcv, 1, 7, ns));
    EXPECT_EQ(text({{0, made.finish()}}),
              Lines{"    0.001000 |   0)    iperf3-7    | " + column + "|    } /* ip_rcv */"});
  }
}

TEST_F(MadeGraphText, tells_a_change_of_task_on_the_cpu_where_it_is) {
  SubbufferMaker made(1'000'000);
  made.add(1'000'000, entry(kIpRcv, 0, 0));
  made.add(2'000'000, entry(kIpRcv, 0, 123456));
  EXPECT_EQ(text({{0, made.finish()}, {11, SubbufferMaker(1).finish()}}),
            (Lines{"    0.001000 |    0)    <idle>-0    |               |  ip_rcv() {",
                   " ------------------------------------------", "  0)    <idle>-0    =>  <...>-123456 ",
                   " ------------------------------------------", "",
                   "    0.002000 |    0)  <...>-123456  |               |  ip_rcv() {"}));
}

TEST_F(MadeGraphText, puts_other_events_in_comments_as_deep_as_the_call_they_fall_into) {
  SubbufferMaker made(1'000'000);
  made.add(1'000'000, entry(kIpRcv, 0, 7));
  made.add(2'000'000, entry(kUdpRcv, 1, 7));
  made.add(3'000'000, send_record(42, 7));
  made.add(4'000'000, print_record("a mark\n", 7));
  made.add(5'000'000, RecordMaker(999, 7).put(8, 1));
  const std::string begin = " |   0)    iperf3-7    |               |  ";
  EXPECT_EQ(
      text({{0, made.finish()}}),
      (Lines{"    0.001000" + begin + "ip_rcv() {", "    0.002000" + begin + "  udp_rcv() {",
             "    0.003000" + begin + "    /* send: len=42 */", "    0.004000" + begin + "    /* a mark */",
             "    0.005000" + begin + "    /* unknown event 999 */"}));
}

TEST_F(MadeGraphText, draws_arrows_at_the_calls_of_interrupts) {
  options_.interrupt_code = {kUdpRcv, kUdpRcv + 0x100};
  SubbufferMaker made(1'000'000);
  made.add(1'000'000, entry(kUdpRcv + 4, 0, 7));
  made.add(2'000'000, exit(kUdpRcv + 4, 0, 7, 1'000));
  EXPECT_EQ(text({{0, made.finish()}}),
            (Lines{"    0.001000 |   0)    iperf3-7    |   ==========> |",
                   "    0.001000 |   0)    iperf3-7    |   1.000 us    |  udp_rcv();",
                   "    0.001000 |   0)    iperf3-7    |   <========== |"}));
}

TEST_F(MadeGraphText, names_a_brace_without_the_option_where_its_entry_is_missing) {
  options_ = {false, true, {}};
  SubbufferMaker made(1'000'000);
  made.add(1'000'000, entry(kIpRcv, 0, 7));
  made.add(2'000'000, entry(kUdpRcv, 1, 7));
  made.add(3'000'000, exit(kSoftirq, 1, 7, 1'000));
  made.add(4'000'000, exit(kIpRcv, 0, 7, 1'000));
  const auto lines = text({{0, made.finish()}});
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_TRUE(lines[2].ends_with("|    } /* do_softirq */")) << lines[2];
  EXPECT_EQ(lines[3], " (Overruns: 3)");
  EXPECT_TRUE(lines[4].ends_with("|  }")) << lines[4];
}

TEST_F(MadeGraphText, has_no_kernel_address_and_nothing_unprintable) {
  tasks_[7] = "\x1b[2J";
  const auto symbols = std::string(kKallsyms) + "ffffffff83000000 T a\x1b]0;b\n";
  symbols_ = Symbols::parse(symbols, 1);
  SubbufferMaker made(1'000'000);
  made.add(1'000'000, entry(0xffffffffc0000000, 0, 7));
  made.add(2'000'000, entry(0xffffffff83000004, 1, 7));
  made.add(3'000'000, drop_record(2, kIpRcv + 0x10, 7));
  made.add(4'000'000, print_record("\x1b[31mred", 7));
  const auto lines = text({{0, made.finish()}});
  ASSERT_EQ(lines.size(), 4U);
  for (const auto& line : lines) {
    EXPECT_TRUE(is_printable(line));
    EXPECT_EQ(line.find("ffff"), std::string::npos) << line;
  }
  EXPECT_NE(lines[1].find("a?]0;b() {"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find("reason=NOT_SPECIFIED */"), std::string::npos) << lines[2];
}

TEST_F(MadeGraphText, puts_stacks_below_a_line_of_their_own) {
  SubbufferMaker made(1'000'000);
  made.add(1'000'000, entry(kIpRcv, 0, 7));
  made.add(2'000'600, stack_record({kUdpRcv + 4, kSoftirq + 8}, 7, 0x11));
  EXPECT_EQ(text({{0, made.finish()}}),
            (Lines{"    0.001000 |   0)    iperf3-7    |               |  ip_rcv() {",
                   "          iperf3-7       [000] d.s..     0.002001: <stack trace>", " => udp_rcv",
                   " => do_softirq"}));
}

TEST_F(MadeGraphText, has_the_function_tracers_layout_where_no_function_graph_was) {
  SubbufferMaker made(1'000'000);
  made.add(1'000'000,
           RecordMaker(kHitId, 7, 0xA4).put(3, std::uint8_t{0x21}).put(8, kIpRcv + 4).put(16, kUdpRcv));
  made.add(2'000'000, send_record(42, 0));
  const auto bytes = made.finish();
  const auto lines = written({layout_, events_, symbols_, tasks_, options_}, {{0, bytes}});
  ASSERT_EQ(lines.size(), 12U);
  EXPECT_EQ(lines[0], "# tracer: function");
  EXPECT_EQ(lines[10], "          iperf3-7       [000] bN.12     0.001000: ip_rcv <-udp_rcv");
  EXPECT_EQ(lines[11], "          <idle>-0       [000] .....     0.002000: send: len=42");

  SubbufferMaker events(1'000'000);
  events.add(1'000'000, RecordMaker(999, 4711));
  const auto other = events.finish();
  const auto no_calls = written({layout_, events_, symbols_, tasks_, options_}, {{0, other}});
  ASSERT_EQ(no_calls.size(), 11U);
  EXPECT_EQ(no_calls[0], "# tracer: nop");
  EXPECT_EQ(no_calls[10], "           <...>-4711    [000] .....     0.001000: unknown event 999");
}

}  // namespace
}  // namespace netperfd::trace::test
