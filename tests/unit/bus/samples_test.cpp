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

}  // namespace
}  // namespace netperfd::bus
