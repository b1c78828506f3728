// SPDX-License-Identifier: GPL-2.0-or-later
// Sweeps: which texts may have them, and what the runs of each point and side are told.
#include <gmock/gmock.h>

#include <set>
#include <string>

#include "daemon/config/job_reader.hpp"
#include "daemon/core/queue/feasibility.hpp"
#include "daemon/model/allowed_places.hpp"

namespace netperfd::config {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kSwept = R"(name: ring
repeat: 12
workload: {iperf3: {server: h, netns: left, duration: 1s, congestion: reno, streams: 2}}
)";
constexpr const char* kSides = "design: {a: {set: {congestion: cubic}}, b: {set: {congestion: bbr}}}\n";

Result<JobSpec> read_sweep(const std::string& more, std::vector<std::string> overrides = {},
                           bool limited = false) {
  core::JobOptions options;
  options.overrides = std::move(overrides);
  options.limited = limited;
  return read_job({.text = kSwept + more, .origin = "ring.yaml", .expected_name = {}}, options, {});
}

std::string error_of_sweep(const std::string& sweep, const std::string& sides = kSides) {
  const auto job = read_sweep(sides + "sweep: " + sweep + "\n");
  return job ? "accepted" : job.error().message;
}

TEST(JobSweep, gives_each_point_its_values_and_each_side_its_own) {
  const auto job =
      read_sweep(std::string(kSides) +
                 "sweep: {workload.iperf3.streams: [1, 4, 16], workload: {iperf3: {length: [64, 1K]}}}\n");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->design->points(), 6U);
  EXPECT_EQ(job->design->point_name(4), "streams=4, length=1K") << "as a side names keys";
  ASSERT_THAT(job->sides, SizeIs(12));
  const JobSpec a = spec_of_side(*job, 'A', 4), b = spec_of_side(*job, 'B', 5);
  EXPECT_EQ(a.test.traffic.streams, 4U);
  EXPECT_EQ(a.test.iperf3.length_bytes, 1024U);
  EXPECT_EQ(a.test.iperf3.congestion, "cubic");
  EXPECT_EQ(b.test.traffic.streams, 16U);
  EXPECT_EQ(b.test.iperf3.length_bytes, 64U);
  EXPECT_EQ(b.test.iperf3.congestion, "bbr");
  EXPECT_EQ(run_count(*job), 12U * 6U * 4U);
  EXPECT_THAT(job->design->changed, ElementsAre("iperf3")) << "what the sides set, not the points";
}

TEST(JobSweep, alone_does_not_declare_a_change) {
  const auto job = read_sweep("design: {a: {}, b: {}}\nsweep: {streams: [1, 4]}\n");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_THAT(job->design->changed, ElementsAre());
  EXPECT_EQ(spec_of_side(*job, 'B', 2).test.traffic.streams, 4U);
}

TEST(JobSweep, of_the_machine_sets_it_on_both_sides) {
  const auto job =
      read_sweep(std::string(kSides) + "sweep: {mtu.veth0@left: [1500, 9000], streams: [1, 2]}\n");
  ASSERT_TRUE(job) << job.error().message;
  for (const char side : {'A', 'B'}) {
    EXPECT_THAT(spec_of_side(*job, side, 3).machine, ElementsAre(MachineSetting{"mtu.veth0@left", "9000"}));
    EXPECT_EQ(spec_of_side(*job, side, 3).test.traffic.streams, 1U);
  }
  EXPECT_TRUE(job->design->has_settings());
}

TEST(JobSweep, of_the_machine_needs_what_root_allows) {
  const auto job = read_sweep(std::string(kSides) + "sweep: {mtu.veth0@left: [1500, 9000]}\n", {}, true);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().kind, ErrorKind::access_denied);
  EXPECT_THAT(job.error().message, AllOf(HasSubstr("sweep.mtu.veth0@left"), HasSubstr("allow.")));
  EXPECT_THAT(error_of_sweep("{module.hsr: [installed, absent]}"),
              HasSubstr("is loaded by a side, as `module`"));
}

// A member who adds points to a scenario of root sets what root did not.
TEST(JobSweep, of_the_machine_sets_more_than_the_same_job_without_it) {
  const std::string sides = "design: {a: {machine: {mtu.v: 1400}}, b: {machine: {mtu.v: 1500}}}\n";
  const auto without = read_sweep(sides), with = read_sweep(sides + "sweep: {mtu.w: [1400, 1500]}\n");
  ASSERT_TRUE(without && with);
  EXPECT_TRUE(sets_no_more(*without, *without));
  EXPECT_TRUE(sets_no_more(*with, *with));
  EXPECT_FALSE(sets_no_more(*with, *without));
}

TEST(JobSweep, may_be_set_by_a_start) {
  const auto job = read_sweep("", {"design.a.name=old", "design.b.set.congestion=bbr",
                                   "sweep.streams=[1,4,16]", "sweep.mtu.veth0@left=[1500, 9000]"});
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->design->points(), 6U);
  EXPECT_EQ(job->repeat, 8U) << "as many blocks as the intervals of six points take";
  const auto again = read_job({.text = job->text, .origin = "stored", .expected_name = {}}, {}, {});
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->design, job->design);
  EXPECT_EQ(again->sides, job->sides);
}

TEST(JobSweep, of_a_command_takes_its_parameters) {
  const std::string text =
      "name: c\nrepeat: 9\nworkload: {command: {run: [/bin/x, '{size}'], parameters: {size: {value: 64, "
      "from: 64, to: "
      "512}}, duration: 1s, figures: [{name: rate, unit: bits/s, better: higher, pattern: '([0-9]+)'}]}}\n"
      "design: {a: {}, b: {}}\nsweep: {parameters.size: [64, ";
  const auto read_command = [&](const std::string& more) {
    return read_job({.text = text + more, .origin = "c.yaml", .expected_name = {}, .commands_refused = {}},
                    {}, {});
  };
  const auto job = read_command("512]}\n");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_NE(spec_of_side(*job, 'A', 1).command, spec_of_side(*job, 'A', 2).command);
  const auto beyond = read_command("513]}\n");
  ASSERT_FALSE(beyond);
  EXPECT_THAT(beyond.error().message, HasSubstr("size"));
}

TEST(JobSweep, is_refused_with_the_key_and_the_reason) {
  EXPECT_THAT(error_of_sweep("{streams: [1]}"),
              HasSubstr("sweep.streams: has 1; expected are 2 to 100 values"));
  EXPECT_THAT(error_of_sweep("{streams: 4}"), HasSubstr("is not a list of values (like [1, 4, 16])"));
  EXPECT_THAT(error_of_sweep("{streams: [1, [2]]}"), HasSubstr("is not a number or a word"));
  EXPECT_THAT(error_of_sweep("[]"), HasSubstr("is not a mapping of keys"));
  EXPECT_THAT(error_of_sweep("{streams: [1, 1]}"), HasSubstr("has \"1\" twice"));
  EXPECT_THAT(error_of_sweep("{streams: [1, x]}"), HasSubstr("streams"));
  EXPECT_THAT(error_of_sweep("{streams: [1, 'a,b']}"), HasSubstr("without commas"));
  EXPECT_THAT(error_of_sweep("{beams: [1, 2]}"), HasSubstr("beams"));
  EXPECT_THAT(error_of_sweep("{port: [5201, 5202]}"), HasSubstr("belongs to the path, which all runs share"));
  EXPECT_THAT(error_of_sweep("{workload.latency.interval: [1s, 2s]}"),
              HasSubstr("is set by a side or a sweep, which set keys below workload.iperf3 alone"));
  EXPECT_THAT(error_of_sweep("{congestion: [cubic, bbr]}"),
              HasSubstr("sweep.congestion: is set by a side too"));
  EXPECT_THAT(error_of_sweep("{'mtu.a,b=c': [1400, 1500]}"), HasSubstr("no key has a comma or '='"));
  EXPECT_THAT(error_of_sweep("{mtu.veth0: [1500, x]}"), HasSubstr("sweep.mtu.veth0"));
  EXPECT_THAT(error_of_sweep("{streams: [1, 2]}", ""),
              HasSubstr("has a meaning in a `design` with `a` and `b` only"));
  EXPECT_THAT(error_of_sweep("{streams: [1, 2]}",
                             "design: {a: {machine: {mtu.v: 1400}}, b: {machine: {mtu.v: 1500}}, seed: "
                             "3}\nuntil: {decided, most: 40}\n"),
              HasSubstr("until"));
  EXPECT_THAT(error_of_sweep("{mtu.v: [1400, 1500]}", "design: {a: {machine: {mtu.v: 1400}}, b: {}}\n"),
              HasSubstr("sweep.mtu.v: is set by a side too"));
}

TEST(JobSweep, has_no_more_points_than_a_table_can_show) {
  std::string many = "{";
  for (const char* key : {"streams", "length", "window", "mss"}) {
    many += std::string(key) + ": [";
    for (int i = 100; i < 120; ++i) many += std::to_string(i) + ", ";
    many += "1], ";
  }
  EXPECT_THAT(error_of_sweep(many + "}"), HasSubstr("has more than 100 combinations of values"));
  EXPECT_THAT(error_of_sweep("{a: [1, 2], b: [1, 2], c: [1, 2], d: [1, 2], e: [1, 2]}"),
              HasSubstr("has 5 keys; at most 4"));
  std::string long_list = "{streams: [0";
  for (int i = 1; i < 1'500; ++i) long_list += ", " + std::to_string(i);
  EXPECT_THAT(error_of_sweep(long_list + "]}"), HasSubstr("has 1500; expected are 2 to 100 values"));
}

TEST(JobSweep, takes_blocks_for_the_intervals_of_all_points) {
  auto job =
      read_sweep(std::string(kSides) + "sweep: {streams: [1, 2, 4, 8], length: [64, 128, 256, 512, 1024]}\n");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(core::fewest_blocks(*job), 10U) << "2 / 2^10 is below 5 % / 20";
  job->repeat = 9;
  EXPECT_THAT(core::why_no_answer(*job),
              ElementsAre(AllOf(HasSubstr("the intervals of 20 points together take 10"),
                                HasSubstr("Set `repeat: 10`"))));
}

// The order of points within a block is drawn, and each has its own ABBA or BAAB.
TEST(JobSweep, alternates_points_and_sides_within_each_block) {
  const auto job = read_sweep(std::string(kSides) + "sweep: {streams: [1, 4, 16]}\n");
  ASSERT_TRUE(job) << job.error().message;
  const std::vector<Slot> slots = draw_slots(*job, 7);
  ASSERT_EQ(slots.size(), run_count(*job));
  std::set<std::string> orders, letters;
  for (std::size_t block = 0; block < 12; ++block) {
    std::string order;
    for (std::size_t point = 0; point < 3; ++point) {
      std::string word;
      for (std::size_t letter = 0; letter < 4; ++letter) {
        const Slot& slot = slots[(block * 3 + point) * 4 + letter];
        EXPECT_EQ(slot.block, block + 1);
        EXPECT_EQ(slot.letter, letter + 1);
        EXPECT_EQ(slot.point, slots[(block * 3 + point) * 4].point) << "a point's letters follow each other";
        word += slot.variant;
      }
      letters.insert(word);
      order += std::to_string(slots[(block * 3 + point) * 4].point);
    }
    orders.insert(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, "123") << "each point once";
  }
  EXPECT_THAT(letters, ElementsAre("ABBA", "BAAB"));
  EXPECT_GT(orders.size(), 2U) << "not always in the same order";
}

}  // namespace
}  // namespace netperfd::config
