// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/trace_dat.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/trace/recording/trace_dat_record.hpp"
#include "tests/unit/trace/recording/trace_dat_support.hpp"

namespace netperfd::trace {
namespace {

using test::as_bytes;
using test::dat_file;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

Result<TraceRecord> record_of(const std::string& name) {
  const std::string file = dat_file(name);
  return record_of_trace_dat(as_bytes(file));
}

class RecordedFile : public testing::TestWithParam<std::string> {};

// Compares every call of every function, to the nanosecond, with trace-cmd's own report.
TEST_P(RecordedFile, has_the_calls_that_trace_cmd_reports) {
  const auto record = record_of(GetParam() + ".dat");
  ASSERT_TRUE(record) << record.error().message;
  const auto reported = test::reported_calls(GetParam() + ".sums");
  const auto read = test::calls_of(*record);
  EXPECT_GT(reported.functions.size(), 10U);
  EXPECT_EQ(read.functions, reported.functions);
  EXPECT_EQ(read.without_begin, reported.without_begin);
  EXPECT_EQ(read.without_end, reported.without_end);
  EXPECT_EQ(record->profile->damage.out_of_order, 0U);
  for (const TraceCpu& cpu : record->cpus) {
    EXPECT_EQ(cpu.damaged, 0U);
    EXPECT_EQ(cpu.lost_events, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(OfTraceCmd, RecordedFile,
                         testing::Values("v6", "v6-subbuf", "v7-none", "v7-zstd", "v7-zlib", "v7-subbuf",
                                         "v7-instance"),
                         [](const auto& name) {
                           std::string text = name.param;
                           std::ranges::replace(text, '-', '_');
                           return text;
                         });

// As trace-cmd up to 3.1.6 writes it: the size of a CPU's compressed data lacks the number of chunks.
std::string with_short_sizes(std::string file) {
  const auto dat = read_trace_dat(as_bytes(file)).value();
  for (const DatCpu& cpu : dat.cpus) {
    if (cpu.size == 0) continue;
    std::string place(2 * sizeof(std::uint64_t), '\0');
    std::memcpy(place.data(), &cpu.offset, sizeof cpu.offset);
    std::memcpy(place.data() + sizeof cpu.offset, &cpu.size, sizeof cpu.size);
    const std::size_t at = file.find(place);
    if (at == std::string::npos) throw std::runtime_error("no option has the place of a CPU's data");
    const std::uint64_t size = cpu.size - sizeof(std::uint32_t);
    std::memcpy(file.data() + at + sizeof cpu.offset, &size, sizeof size);
  }
  return file;
}

TEST(TraceDat, is_read_if_the_sizes_lack_the_number_of_chunks) {
  for (const char* kind : {"v7-zstd", "v7-zlib", "v7-subbuf", "v7-instance"}) {
    const std::string name = kind;
    const std::string file = with_short_sizes(dat_file(name + ".dat"));
    ASSERT_NE(file, dat_file(name + ".dat")) << name;
    const auto record = record_of_trace_dat(as_bytes(file));
    ASSERT_TRUE(record) << name << ": " << record.error().message;
    EXPECT_EQ(test::calls_of(*record).functions, test::reported_calls(name + ".sums").functions) << name;
  }
}

TEST(TraceDat, is_read_as_trace_cmd_converts_it) {
  const auto record = record_of("small-converted.dat");
  ASSERT_TRUE(record) << record.error().message;
  ASSERT_TRUE(record->profile);
  std::vector<std::uint64_t> durations;
  for (const FunctionStats& function : record->profile->functions) {
    if (function.hits == 1) durations.push_back(function.recorded_ns.value_or(0));
  }
  EXPECT_THAT(durations, UnorderedElementsAre(2'154U, 1'722U, 1'342U, 1'181U, 1'082U));
}

TEST(TraceDat, says_what_was_recorded_where) {
  for (const auto* name : {"v6.dat", "v7-zstd.dat"}) {
    const std::string file = dat_file(name);
    const auto dat = read_trace_dat(as_bytes(file));
    ASSERT_TRUE(dat) << dat.error().message;
    EXPECT_EQ(dat->version, name[1] - '0');
    EXPECT_EQ(dat->clock, "local");
    EXPECT_EQ(dat->kernel, "Linux vm 6.12.117+deb13-amd64 x86_64");
    EXPECT_EQ(dat->layout.size(), 4096U);
    EXPECT_THAT(dat->kallsyms, HasSubstr(" hsr_dev_xmit\t[hsr]\n"));
    EXPECT_THAT(dat->task_names, HasSubstr(" trace-cmd\n"));
    EXPECT_EQ(dat->events.size(), 19U);
    EXPECT_EQ(dat->formats_left_out, 0U);
    EXPECT_TRUE(dat->instances.empty());
    ASSERT_EQ(dat->statistics.size(), 2U);
    EXPECT_EQ(dat->statistics[1].cpu, 1U);
    EXPECT_EQ(dat->compressed, dat->version == 7);
  }
}

TEST(TraceDat, has_the_clock_of_the_buffer) {
  const std::string file = dat_file("v7-zlib.dat");
  const auto dat = read_trace_dat(as_bytes(file));
  ASSERT_TRUE(dat) << dat.error().message;
  EXPECT_EQ(dat->clock, "mono");
}

TEST(TraceDat, has_sub_buffers_larger_than_a_page) {
  for (const auto* name : {"v6-subbuf.dat", "v7-subbuf.dat"}) {
    const std::string file = dat_file(name);
    const auto dat = read_trace_dat(as_bytes(file));
    ASSERT_TRUE(dat) << dat.error().message;
    EXPECT_EQ(dat->layout.size(), 16'384U);
  }
}

TEST(TraceDat, names_the_instances_that_are_left_out) {
  const std::string file = dat_file("v7-instance.dat");
  const auto dat = read_trace_dat(as_bytes(file));
  ASSERT_TRUE(dat) << dat.error().message;
  EXPECT_THAT(dat->instances, ElementsAre("foo"));
  const auto record = record_of_trace_dat(as_bytes(file));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->broken, "only the file's top buffer was read, not that of an instance: foo");
  EXPECT_FALSE(record->profile->off_cpu_known) << "the switches of tasks are in the instance";
}

TEST(TraceDat, gives_the_record_of_a_run) {
  const auto record = record_of("v7-zstd.dat");
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->clock, "local");
  EXPECT_TRUE(record->broken.empty());
  ASSERT_EQ(record->cpus.size(), 2U);
  ASSERT_EQ(record->events.size(), 3U) << "those that occurred, of all that have a format";
  EXPECT_EQ(record->events[0].name, "ftrace:funcgraph_entry");
  EXPECT_EQ(record->events[0].count, record->events[1].count);
  EXPECT_EQ(record->events[2].name, "sched:sched_switch");
  EXPECT_FALSE(record->samples.empty());
  ASSERT_TRUE(record->profile);
  EXPECT_TRUE(record->profile->off_cpu_known);
  EXPECT_FALSE(record->profile->sleep_in_recorded.has_value()) << "no file says it";
  EXPECT_TRUE(record->profile->timed);
  ASSERT_EQ(record->profile->builds.size(), 1U);
  EXPECT_EQ(record->profile->builds[0].release, "6.12.117+deb13-amd64");
  const auto& functions = record->profile->functions;
  EXPECT_TRUE(std::ranges::all_of(functions, [](const auto& one) { return one.module == "hsr"; }));
}

TEST(TraceDat, has_the_flags_of_a_trace) {
  const auto codes_of = [](const std::string& file) {
    const auto imported = file_of_trace_dat(as_bytes(file));
    EXPECT_TRUE(imported && imported->trace);
    std::vector<std::string> codes;
    for (const QualityFlag& flag : imported->flags) codes.push_back(flag.code);
    return codes;
  };
  EXPECT_THAT(codes_of(dat_file("v7-instance.dat")), Contains("trace-broken"));
  const std::string sound = test::small_dat();
  EXPECT_THAT(codes_of(sound), Not(Contains("trace-damaged")));
  std::string file = sound;
  const std::size_t commit = file.size() - 512 + 8;  // after the stamp of the only sub-buffer
  file[commit] = static_cast<char>(file[commit] - 4);
  EXPECT_THAT(codes_of(file), Contains("trace-damaged"));
  file = sound;
  file[commit + 3] = static_cast<char>(0x80);  // records before it were lost
  EXPECT_THAT(codes_of(file), Contains("events-lost"));
  EXPECT_THAT(codes_of(file), Contains("losses-uncounted"));
}

TEST(TraceDat, is_refused_where_it_is_something_else) {
  const auto error_of = [](const std::string& file) {
    const auto dat = read_trace_dat(as_bytes(file));
    EXPECT_FALSE(dat);
    return dat ? std::string() : dat.error().message;
  };
  EXPECT_THAT(error_of(""), HasSubstr("does not begin as one of trace-cmd's"));
  EXPECT_THAT(error_of("PK\x03\x04 and more"), HasSubstr("does not begin as one of trace-cmd's"));
  std::string file = dat_file("v6.dat");
  file[10] = '8';
  EXPECT_THAT(error_of(file), HasSubstr("its version is neither 6 nor 7"));
  file = dat_file("v6.dat");
  file[12] = 1;
  EXPECT_THAT(error_of(file), HasSubstr("the other byte order"));
  file = dat_file("v7-zstd.dat");
  file.replace(file.find("zstd"), 4, "lzma");
  EXPECT_THAT(error_of(file), HasSubstr("neither none nor zlib nor zstd"));
}

TEST(TraceDat, says_where_a_file_was_cut_off) {
  const auto file = dat_file("v6.dat");
  const auto early = read_trace_dat(as_bytes(file.substr(0, 20)));
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().message,
            "trace.dat, at byte 18: \"header_page\" should follow in 12 bytes, 2 are left");
  const auto late = read_trace_dat(as_bytes(file.substr(0, file.size() - 4096)));
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message, HasSubstr("it is cut off or was not finished"));
}

}  // namespace
}  // namespace netperfd::trace
