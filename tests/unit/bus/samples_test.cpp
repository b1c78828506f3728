// SPDX-License-Identifier: GPL-2.0-or-later
// The samples of a run, read by callers.
#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

class SamplesOnTheBus : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    queries.stored = {a_run(41)};
    SampleProfile& profile = queries.stored_samples.emplace();
    profile.event = "cycles";
    profile.frames = {{.kind = FrameKind::others, .name = "", .module = ""}};
    profile.nodes = {{.parent = {}, .frame = 0, .samples = 0}};
    for (std::uint32_t i = 1; i <= kFunctions; ++i) {
      profile.frames.push_back({.name = "f" + std::to_string(i), .module = ""});
      profile.nodes.push_back({.parent = 0, .frame = i, .samples = i});
      profile.samples += i;
    }
  }
  static constexpr std::uint32_t kFunctions = 5;
};

TEST_F(SamplesOnTheBus, come_in_pages_the_most_first) {
  for (const auto* method : {"ListSampledFunctions", "ListSampledStacks"}) {
    std::vector<std::uint64_t> counts;
    std::string cursor;
    do {
      const auto answered = client->call<dbus::Rows, std::string, std::uint64_t>(method, std::uint64_t{41},
                                                                                 cursor, std::uint32_t{2});
      ASSERT_EQ(answered.error, "") << answered.text;
      const auto& [rows, next, total] = answered.values;
      EXPECT_LE(rows.size(), 2U);
      EXPECT_EQ(total, kFunctions);
      for (const dbus::Row& row : rows) {
        counts.push_back(row.at(row.contains("self") ? "self" : "samples").get<std::uint64_t>());
      }
      cursor = next;
    } while (!cursor.empty());
    EXPECT_THAT(counts, testing::ElementsAre(5, 4, 3, 2, 1)) << method;
  }
}

TEST_F(SamplesOnTheBus, have_a_summary) {
  const auto answered = client->call<dbus::Row, dbus::Rows>("GetSampleProfile", std::uint64_t{41});
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(std::get<0>(answered.values).at("samples").get<std::uint64_t>(), 15U);
}

TEST_F(SamplesOnTheBus, of_a_run_without_any_are_not_found) {
  queries.stored_samples.reset();
  const auto answered = client->call<dbus::Row, dbus::Rows>("GetSampleProfile", std::uint64_t{41});
  EXPECT_THAT(answered.error, testing::HasSubstr("NotFound"));
}

// Runs 41 and 42 on side A, 51 and 52 on side B.
class ComparedOnTheBus : public SamplesOnTheBus {
 protected:
  void SetUp() override {
    SamplesOnTheBus::SetUp();
    if (IsSkipped()) return;
    queries.stored_samples->frames.front() = {.kind = FrameKind::program, .name = "iperf3", .module = ""};
    for (const RunId run : {41, 42, 51, 52}) {
      queries.stored.push_back(a_run(run));
      analysis::ComparedRun& compared = queries.stored_compared[run];
      compared.goodput_bytes = 1'000;
      compared.samples.emplace().ns_per_sample = 1e6;
    }
  }
  using Runs = std::vector<std::uint64_t>;
  Answered<dbus::Row, dbus::Rows> compare(const Runs& a, const Runs& b, const dbus::Row& options = {}) {
    return client->call<dbus::Row, dbus::Rows>("CompareSamples", a, b, options);
  }
};

TEST_F(ComparedOnTheBus, are_a_tree_of_times_per_byte) {
  queries.stored_compared.at(52).samples.reset();
  const auto answered = compare({41, 42}, {51, 52});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [head, frames] = answered.values;
  EXPECT_EQ(head.at("runs_b").get<Runs>(), Runs{51});
  EXPECT_EQ(head.at("not_sampled_b").get<Runs>(), Runs{52});
  EXPECT_EQ(head.at("unit").get<std::string>(), "byte");
  ASSERT_EQ(frames.size(), 2 + kFunctions);
  EXPECT_EQ(frames[0].at("name").get<std::string>(), "all");
  EXPECT_EQ(frames[0].at("total_a").get<double>(), 15e3);
  EXPECT_EQ(frames[1].at("depth").get<std::uint32_t>(), 1U);
  EXPECT_EQ(frames[1].at("name").get<std::string>(), "iperf3");
  EXPECT_FALSE(frames[1].contains("p_adjusted")) << "of two runs and one";
}

TEST_F(ComparedOnTheBus, are_per_second_if_a_run_does_not_know_its_goodput) {
  queries.stored_compared.at(51).goodput_bytes.reset();
  queries.stored_samples->duration_ns = 2'000'000'000;
  const auto answered = compare({41}, {51});
  ASSERT_EQ(answered.error, "") << answered.text;
  EXPECT_EQ(std::get<0>(answered.values).at("unit").get<std::string>(), "second");
  EXPECT_EQ(std::get<1>(answered.values).front().at("total_a").get<double>(), 15e6 / 2);
}

TEST_F(ComparedOnTheBus, always_fit_into_a_message) {
  const SampleFrame long_name{.name = std::string(2'000, 'x'), .module = std::string(2'000, 'y')};
  SampleProfile& profile = *queries.stored_samples;
  for (std::uint32_t i = 0; i < 5'000; ++i) {
    profile.frames.push_back(long_name);
    profile.frames.back().duplicate = i + 1;
    profile.nodes.push_back(
        {.parent = 0, .frame = static_cast<std::uint32_t>(profile.frames.size() - 1), .samples = 100 + i});
  }
  const auto answered = compare({41}, {51});
  ASSERT_EQ(answered.error, "") << answered.text;
  const auto& [head, frames] = answered.values;
  EXPECT_GT(frames.size(), 100U);
  EXPECT_EQ(head.at("left_out").get<std::uint64_t>(), 2 + kFunctions + 5'000 - frames.size());
}

TEST_F(ComparedOnTheBus, with_wrong_arguments_cost_no_process) {
  EXPECT_THAT(compare({}, {51}).text,
              testing::HasSubstr("A: 0 runs; at least 1 and at most 1000 are allowed"));
  EXPECT_THAT(compare({41}, Runs(1'001, 51)).text, testing::HasSubstr("B: 1001 runs"));
  EXPECT_THAT(compare({41}, {51, 41}).text, testing::HasSubstr("B: run 41 is named twice"));
  EXPECT_NE(compare({0}, {51}).error, "");
  EXPECT_NE(compare({41}, {51}, {{"hosts", sdbus::Variant{true}}}).error, "");
  EXPECT_NE(compare({41}, {51}, {{"host", sdbus::Variant{std::string{"yes"}}}}).error, "");
  EXPECT_TRUE(query_runner->callers.empty());
}

TEST_F(ComparedOnTheBus, without_a_sampled_run_on_a_side_are_not_found) {
  queries.stored_compared.at(51).samples.reset();
  const auto answered = compare({41}, {51});
  EXPECT_THAT(answered.error, testing::HasSubstr("NotFound"));
  EXPECT_EQ(answered.text, "B: no run was sampled");
}

}  // namespace
}  // namespace netperfd::bus
