// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/record_bytes.hpp"

#include <gmock/gmock.h>
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/confined/confinement.hpp"
#include "daemon/reading/record_check.hpp"
#include "tests/unit/reading/support.hpp"

namespace netperfd::reading {
namespace {

using test::full_record;
using testing::HasSubstr;

// The trace as an imported file, serialized.
std::string to_bytes(const TraceRecord& record) {
  ImportedFile file;
  file.trace = record;
  return reading::to_bytes(file);
}

Result<TraceRecord> from_bytes(std::string_view bytes) {
  auto file = reading::from_bytes(bytes);
  if (!file) return std::unexpected(std::move(file.error()));
  if (!file->trace) return fail(ErrorKind::invalid_argument, "no trace");
  return std::move(*file->trace);
}

// No member has its default value, so that a forgotten member is noticed.
ImportedFile full_document() {
  ImportedFile file;
  file.flags = {{"imported", "from a file"}};
  auto& [asked, report, flags, started, system, options_unknown, tool, facts, figures, place] =
      file.workload.emplace();
  EXPECT_TRUE(tool.empty() && figures.empty()) << "an_output_of_a_tool() has them";
  EXPECT_FALSE(place) << "table_place_test.cpp has it";
  system = "Linux lab 6.12.9 #1 SMP x86_64";
  asked.path.server = "10.0.0.2";
  asked.iperf3.port = 5202;
  asked.traffic.protocol = Protocol::udp;
  asked.traffic.direction = Direction::both;
  asked.traffic.streams = 4;
  asked.traffic.duration = std::chrono::milliseconds{10'000};
  asked.traffic.bytes = 1U << 30U;
  asked.traffic.omit = std::chrono::milliseconds{1'000};
  asked.traffic.interval = std::chrono::milliseconds{500};
  asked.traffic.bitrate = 10'000'000;
  asked.iperf3.length_bytes = 1'448;
  report = test::full_report();
  flags = {{"too-short", "short"}};
  options_unknown = true;
  facts = {{"iperf3", "test_start.tos", "8"}};
  file.sha256 = std::string(60, '0') + "9af1";
  started = WallTime{std::chrono::seconds{1'795'263'401}};
  return file;
}

ImportedFile an_output_of_a_tool() {
  ImportedFile file;
  ImportedWorkload& workload = file.workload.emplace();
  workload.tool = "netperf";
  workload.facts = {{"netperf", "test", "TCP_RR"}, {"netperf", "request", "1"}};
  workload.figures = {
      {.name = "rate", .unit = "transactions/s", .better = Better::higher, .value = 40'123.25},
      {.name = "mean", .unit = "ns", .better = Better::lower, .value = 24'916}};
  file.sha256 = std::string(60, '0') + "9af2";
  return file;
}

TEST(DocumentBytes, of_another_tool_come_back_with_its_facts_and_figures) {
  const auto back = reading::from_bytes(reading::to_bytes(an_output_of_a_tool()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(*back == an_output_of_a_tool());
  EXPECT_EQ(back->workload->tool, "netperf");
  EXPECT_EQ(back->workload->facts.at(1).value, "1");
  EXPECT_EQ(back->workload->figures.at(0).value, 40'123.25);
  EXPECT_EQ(back->workload->figures.at(1).better, Better::lower);
}

TEST(DocumentBytes, of_another_tool_that_no_reader_makes_are_refused) {
  using Change = std::function<void(ImportedWorkload&)>;
  const std::vector<Change> changes{
      [](auto& w) { w.tool = "net perf"; },
      [](auto& w) { w.figures.clear(); },
      [](auto& w) { w.figures[0].value = std::numeric_limits<double>::infinity(); },
      [](auto& w) { w.figures[0].name = "a b"; },
      [](auto& w) { w.facts[0].group = "kernel"; },
      [](auto& w) { w.asked.path.server = "10.0.0.2"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ImportedFile changed = an_output_of_a_tool();
    changes[i](*changed.workload);
    EXPECT_FALSE(reading::from_bytes(reading::to_bytes(changed))) << i;
  }
}

TEST(RecordBytes, come_back_as_the_record_they_were_made_of) {
  const TraceRecord record = full_record();
  const auto back = from_bytes(to_bytes(record));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(*back == record) << "compared member by member, not by the walk that wrote them";
  EXPECT_EQ(back->clock, "mono");
  EXPECT_EQ(back->slice_width, std::chrono::milliseconds{10});
  EXPECT_EQ(back->recording, record.recording);
  ASSERT_EQ(back->samples.size(), 1U);
  EXPECT_EQ(back->samples[0].time_ns, -5'000);
  EXPECT_EQ(back->samples[0].pid, -1);
  EXPECT_EQ(back->samples[0].fields[0].value, record.samples[0].fields[0].value);
  EXPECT_EQ(back->samples[0].fields[1].value, record.samples[0].fields[1].value);
  EXPECT_EQ(back->samples[0].fields[2].value, record.samples[0].fields[2].value);
  EXPECT_EQ(back->marks[1].text, "mine");
  ASSERT_TRUE(back->profile);
  const FunctionStats& function = back->profile->functions[1];
  EXPECT_EQ(function.name, "hsr_forward_skb");
  EXPECT_EQ(function.p999_ns, (1ULL << 40U) + 16);
  EXPECT_EQ(function.histogram, record.profile->functions[1].histogram);
  EXPECT_EQ(function.corrected_self_ns, (1ULL << 40U) + 100);
  EXPECT_EQ(back->profile->tree[1].parent, 0U);
  EXPECT_EQ(back->profile->damage, record.profile->damage);
  EXPECT_EQ(back->profile->calibration->callee_ns, 0.25);
  EXPECT_EQ(back->profile->calibration->entry_error_ns, 0.5);
  EXPECT_EQ(back->profile->calibration->callee_error_ns, 0.75);
  EXPECT_EQ(back->profile->builds[0].srcversion, "C0FFEE");
}

// Changing any single member must change the bytes, so none is forgotten.
TEST(RecordBytes, have_something_of_every_member) {
  using Change = std::function<void(TraceRecord&)>;
  const std::vector<Change> changes{
      [](auto& r) { r.skipped += '!'; },
      [](auto& r) { r.buffer_bytes++; },
      [](auto& r) { r.functions++; },
      [](auto& r) { r.workload_only = false; },
      [](auto& r) { r.only_cpus.pop_back(); },
      [](auto& r) { r.cpus[1].damaged++; },
      [](auto& r) { r.cpus[0].overrun++; },
      [](auto& r) { r.events[0].slices[2]++; },
      [](auto& r) { r.samples[0].fields[0].text += '!'; },
      [](auto& r) { r.stacks_left_out++; },
      [](auto& r) { r.recording_left_out++; },
      [](auto& r) { r.marks[0].user = true; },
      [](auto& r) { r.profile->functions[0].interrupt_roots++; },
      [](auto& r) { r.profile->functions[0].interruptions++; },
      [](auto& r) { r.profile->functions[0].p99_ns.reset(); },
      [](auto& r) { r.profile->functions[0].p999_ns.reset(); },
      [](auto& r) { r.profile->timed = false; },
      [](auto& r) { r.profile->functions[0].slice_self_ns[2]++; },
      [](auto& r) { r.profile->edges[0].total_ns++; },
      [](auto& r) { r.profile->tree[0].in_interrupt = false; },
      [](auto& r) { r.profile->damage.tree_overflow++; },
      [](auto& r) { r.profile->depth.reset(); },
      [](auto& r) { r.profile->sleep_in_recorded = true; },
      [](auto& r) { r.profile->sleep_in_recorded.reset(); },
      [](auto& r) { r.profile.reset(); },
  };
  const std::string bytes = to_bytes(full_record());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TraceRecord changed = full_record();
    changes[i](changed);
    const auto back = from_bytes(to_bytes(changed));
    ASSERT_TRUE(back) << i << ": " << back.error().message;
    EXPECT_NE(to_bytes(*back), bytes) << "change " << i << " was lost";
    EXPECT_EQ(to_bytes(*back), to_bytes(changed)) << i;
  }
}

TEST(RecordBytes, of_an_empty_record_come_back_too) {
  const auto back = from_bytes(to_bytes(TraceRecord{}));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_FALSE(back->profile);
}

TEST(RecordBytes, that_are_cut_off_are_refused) {
  const std::string bytes = to_bytes(full_record());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(from_bytes(std::string_view(bytes).substr(0, size))) << size;
  }
  EXPECT_FALSE(from_bytes(bytes + '\0')) << "with a byte too many";
}

TEST(RecordBytes, with_any_byte_changed_give_an_error_or_a_record_that_holds) {
  const std::string bytes = to_bytes(full_record());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (const int change : {1, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ change);
      const auto back = from_bytes(changed);
      if (!back) ++refused;
      if (back && back->profile) {
        for (const CallEdge& edge : back->profile->edges) {
          EXPECT_LT(edge.caller, back->profile->functions.size());
          EXPECT_LT(edge.callee, back->profile->functions.size());
        }
      }
    }
  }
  EXPECT_GT(refused, bytes.size() / 2);
}

// The length of a list, read from the bytes, must not cause a huge allocation.
TEST(RecordBytes, with_a_list_of_no_end_are_refused) {
  EXPECT_FALSE(from_bytes(std::string(9, '\xff') + '\x01'));
  EXPECT_FALSE(from_bytes(std::string(64, '\xff')));
}

TraceRecord record_of_samples(std::size_t samples, std::size_t fields) {
  TraceRecord record;
  record.samples.resize(samples);
  for (EventSample& sample : record.samples) sample.fields.resize(fields);
  return record;
}

// An empty field takes four bytes when serialized and a hundred in memory.
TEST(RecordBytes, take_no_more_memory_than_they_may) {
  const std::size_t fitting = kMostDecodedBytes / (kMostFields * (sizeof(EventField) + 2) + 400);
  const std::string most = to_bytes(record_of_samples(fitting, kMostFields));
  const auto used = [] {
    const auto heap = ::mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  const std::size_t before = used();
  const auto back = from_bytes(most);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_LE(used() - before, kMostDecodedBytes);
  if (!confined::is_built_with_sanitizers()) {  // whose heap is not limited
    EXPECT_GT((used() - before) * 10 / 9, kMostDecodedBytes) << "it is nearly all of it";
  }

  const auto refused = from_bytes(to_bytes(record_of_samples(fitting * 11 / 10, kMostFields)));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("more than 96 MiB"));
  TraceRecord long_texts;
  long_texts.missing_functions.assign(1'600, std::string(kLongestText, 'x'));
  EXPECT_FALSE(from_bytes(to_bytes(long_texts)));
  long_texts.missing_functions.resize(1'400);
  EXPECT_TRUE(from_bytes(to_bytes(long_texts)));
}

struct Wrong {
  const char* what;
  std::function<void(TraceRecord&)> make;
};

TEST(RecordCheck, refuses_what_no_honest_reader_makes) {
  const std::vector<Wrong> all{
      {"an edge's function", [](auto& r) { r.profile->edges[0].callee = 2; }},
      {"an edge is there twice", [](auto& r) { r.profile->edges.push_back(r.profile->edges[0]); }},
      {"a call's function", [](auto& r) { r.profile->tree[1].function = 2; }},
      {"a call's parent", [](auto& r) { r.profile->tree[1].parent = 1; }},
      {"a function is there twice", [](auto& r) { r.profile->functions[1].name = "hsr_dev_xmit"; }},
      {"trace.profile.functions.name", [](auto& r) { r.profile->functions[0].name = "a\x1b[2J"; }},
      {"trace.profile.functions.hits", [](auto& r) { r.profile->functions[0].hits = UINT64_MAX; }},
      {"trace.profile.functions.interruptions",
       [](auto& r) { r.profile->functions[0].interruptions = UINT64_MAX; }},
      {"trace.profile.functions.p999_ns", [](auto& r) { r.profile->functions[0].p999_ns = UINT64_MAX; }},
      {"a histogram's bucket", [](auto& r) { r.profile->functions[0].histogram.buckets = {{5, 1}, {5, 1}}; }},
      {"a histogram's bucket", [](auto& r) { r.profile->functions[0].histogram.buckets = {{4'000'000, 1}}; }},
      {"trace.profile.calibration.entry_ns",
       [](auto& r) { r.profile->calibration->entry_ns = std::numeric_limits<double>::quiet_NaN(); }},
      {"a CPU's number", [](auto& r) { r.cpus[1].cpu = 0; }},
      {"a CPU's number", [](auto& r) { r.cpus[1].cpu = 1'000'000; }},
      {"an event is there twice", [](auto& r) { r.events[1].name = r.events[0].name; }},
      {"trace.events.name", [](auto& r) { r.events[0].name = "\xff"; }},
      {"trace.marks.text", [](auto& r) { r.marks[0].text = "two\nlines"; }},
      {"trace.samples.task", [](auto& r) { r.samples[0].task = std::string(70'000, 'x'); }},
      {"the width of a slice", [](auto& r) { r.slice_width = std::chrono::nanoseconds{-1}; }},
  };
  for (const auto& [what, make] : all) {
    TraceRecord record = full_record();
    make(record);
    const auto back = from_bytes(to_bytes(record));
    ASSERT_FALSE(back) << what;
    EXPECT_EQ(back.error().kind, ErrorKind::invalid_argument);
    EXPECT_THAT(back.error().message, HasSubstr(what));
  }
}

TEST(DocumentBytes, come_back_as_the_document_they_were_made_of) {
  const ImportedFile file = full_document();
  const std::string bytes = reading::to_bytes(file);
  const auto back = reading::from_bytes(bytes);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_TRUE(*back == file) << "compared member by member, not by the walk that wrote them";
  ASSERT_TRUE(back->workload);
  EXPECT_EQ(back->workload->asked, file.workload->asked);
  EXPECT_EQ(back->workload->started, file.workload->started);
  EXPECT_EQ(back->workload->report.client->port, 40'000);
  EXPECT_EQ(back->workload->report.sums.front().lost_packets, -13);
  EXPECT_EQ(back->workload->report.sums.front().out_of_order, 15U);
  EXPECT_EQ(back->workload->report.intervals.front().lost_percent, 14.5);
  EXPECT_EQ(back->workload->report.intervals.front().pmtu, 10U);
  EXPECT_FALSE(back->workload->report.intervals.front().sender);
  EXPECT_EQ(back->flags.front().message, "from a file");
  EXPECT_EQ(back->sha256, file.sha256);
}

TEST(DocumentBytes, have_something_of_every_member) {
  using Change = std::function<void(ImportedWorkload&)>;
  const std::vector<Change> changes{
      [](auto& w) { w.asked.iperf3.port++; },
      [](auto& w) { w.asked.traffic.interval *= 2; },
      [](auto& w) { w.asked.traffic.bitrate = 0; },
      [](auto& w) { w.asked.iperf3.length_bytes.reset(); },
      [](auto& w) { w.asked.traffic.duration.reset(); },
      [](auto& w) { w.report.congestion += '!'; },
      [](auto& w) { w.report.cpu_server_percent.reset(); },
      [](auto& w) { w.report.streams[0].jitter_ms = 1; },
      [](auto& w) { w.report.streams[0].stream.reset(); },
      [](auto& w) { w.report.intervals[0].omitted = false; },
      [](auto& w) { w.report.intervals[0].rttvar.reset(); },
      [](auto& w) { w.flags.clear(); },
      [](auto& w) { w.started.reset(); },
      [](auto& w) { w.system += '!'; },
      [](auto& w) { w.options_unknown = false; },
      [](auto& w) { w.facts[0].value += '!'; },
  };
  const std::string bytes = reading::to_bytes(full_document());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ImportedFile changed = full_document();
    changes[i](*changed.workload);
    const auto back = reading::from_bytes(reading::to_bytes(changed));
    ASSERT_TRUE(back) << i << ": " << back.error().message;
    EXPECT_NE(reading::to_bytes(*back), bytes) << "change " << i << " was lost";
  }
}

TEST(DocumentBytes, that_no_reader_makes_are_refused) {
  using Change = std::function<void(ImportedFile&)>;
  const std::vector<Change> changes{
      [](auto& f) { f.trace.emplace(); },   // both
      [](auto& f) { f.workload.reset(); },  // neither
      [](auto& f) { f.flags[0].message = "\x1b[2J"; },
      [](auto& f) { f.sha256.pop_back(); },
      [](auto& f) { f.sha256[0] = 'A'; },
      [](auto& f) { f.workload->asked.path.server = ""; },
      [](auto& f) { f.workload->asked.path.server = "a\nb"; },
      [](auto& f) { f.workload->facts[0].group = "kernel"; },
      [](auto& f) { f.workload->facts[0].value = "\x1b[2J"; },
      [](auto& f) { f.workload->asked.traffic.omit = std::chrono::milliseconds{-1}; },
      [](auto& f) { f.workload->asked.traffic.bytes = ~std::uint64_t{0}; },
      [](auto& f) { f.workload->asked.traffic.bitrate = ~std::uint64_t{0}; },
      [](auto& f) { f.workload->report.client->host = "\xff"; },
      [](auto& f) { f.workload->report.sums[0].seconds = std::numeric_limits<double>::infinity(); },
      [](auto& f) { f.workload->report.sums[0].direction = Direction::both; },
      [](auto& f) { f.workload->report.intervals[0].rtt = ~std::uint64_t{0}; },
      [](auto& f) { f.workload->report.intervals[0].start_s = std::numeric_limits<double>::quiet_NaN(); },
      [](auto& f) { f.workload->report.sums.resize(3, f.workload->report.sums[0]); },
      [](auto& f) { f.workload->started = WallTime{std::chrono::seconds{-1}}; },
      [](auto& f) { f.workload->started = WallTime{std::chrono::seconds{253'402'300'800}}; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    ImportedFile changed = full_document();
    changes[i](changed);
    EXPECT_FALSE(reading::from_bytes(reading::to_bytes(changed))) << i;
  }
  const std::string bytes = reading::to_bytes(full_document());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(reading::from_bytes(std::string_view(bytes).substr(0, size))) << size;
  }
}

}  // namespace
}  // namespace netperfd::reading
