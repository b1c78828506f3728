// SPDX-License-Identifier: GPL-2.0-or-later
// Whose runs a selection means.
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include "tests/unit/bus/compare_fixture.hpp"

namespace netperfd::bus {
namespace {

using testing::HasSubstr;

constexpr uid_t kStranger = 65534;

using Ask = std::function<std::string(sdbus::IProxy& manager)>;

Ask asking_for_runs_of_a(const std::string& a, const std::string& b) {
  return [a, b](sdbus::IProxy& manager) {
    dbus::Row head;
    dbus::Rows functions, moved, facts;
    const std::string ended = outcome_of([&] {
      manager.callMethod("Compare")
          .onInterface(dbus::kManagerInterface)
          .withArguments(a, b, dbus::Row{})
          .storeResultsTo(head, functions, moved, facts);
    });
    return ended == "ok" ? fmt::format("{}", fmt::join(head.at("runs_a").get<Numbers>(), " ")) : ended;
  };
}

Ask asking_for_listed(const dbus::Row& filter) {
  return [filter](sdbus::IProxy& manager) {
    dbus::Rows rows;
    std::string next, listed;
    const std::string ended = outcome_of([&] {
      manager.callMethod("ListRuns")
          .onInterface(dbus::kManagerInterface)
          .withArguments(filter, std::string{}, std::uint32_t{0})
          .storeResultsTo(rows, next);
    });
    for (const dbus::Row& row : rows) listed += fmt::format("{} ", row.at("run").get<std::uint64_t>());
    return ended == "ok" ? listed : ended;
  };
}

sdbus::Variant word(const char* text) {
  return sdbus::Variant{std::string{text}};
}

// A client can write anything into a selection but its own uid.
class CompareAs : public Compare {
 protected:
  void SetUp() override {
    Compare::SetUp();
    if (IsSkipped()) return;
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    add_run(31, "before", 5e8, kStranger);
    add_run(32, "before", 5.1e8, kStranger);
    std::ranges::sort(queries.stored, std::greater{}, &core::RunRow::id);
  }
};

TEST_F(CompareAs, a_user_means_the_runs_of_the_uid_that_the_bus_names) {
  EXPECT_EQ(as({}, asking_for_runs_of_a("label:before", "owner:0 label:after")), "31 32");
  EXPECT_EQ(as({}, asking_for_runs_of_a("owner:me label:before", "11")), "31 32");
  EXPECT_EQ(as({}, asking_for_runs_of_a("owner:0 label:before last:2", "11")), "7 8");
  EXPECT_EQ(as({}, asking_for_runs_of_a("owner:any label:before last:3", "11")), "8 31 32");
  const auto own = compare("label:before", "label:after");
  EXPECT_EQ(std::get<0>(own.values).at("runs_a").get<Numbers>(), (Numbers{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(as({}, asking_for_runs_of_a("label:before", "label:after")), "org.netperfd1.Error.NotFound");
}

TEST_F(CompareAs, a_user_plans_from_the_runs_of_the_uid_that_the_bus_names) {
  const auto plan = [](sdbus::IProxy& manager) {
    dbus::Row row;
    return outcome_of([&] {
      manager.callMethod("PlanRuns")
          .onInterface(dbus::kManagerInterface)
          .withArguments(std::string{"label:before"}, dbus::Row{})
          .storeResultsTo(row);
    });
  };
  EXPECT_EQ(as({}, plan), "org.netperfd1.Error.InvalidArgument") << "two runs tell no spread";
  EXPECT_EQ(client->call<dbus::Row>("PlanRuns", std::string{"label:before"}, dbus::Row{}).error, "");
}

TEST_F(CompareAs, a_list_has_the_runs_of_all_unless_it_is_asked_for_less) {
  const sdbus::Variant labelled = word("label:before last:4");
  EXPECT_EQ(as({}, asking_for_listed({{"selection", labelled}})), "32 31 8 7 ");
  EXPECT_EQ(as({}, asking_for_listed({{"selection", labelled}, {"owner", word("me")}})), "32 31 ");
  EXPECT_EQ(as({}, asking_for_listed({{"selection", labelled}, {"owner", word("0")}})), "8 7 6 5 ");
  EXPECT_EQ(as({}, asking_for_listed({{"selection", word("31,8")}, {"owner", word("0")}})), "31 8 ");
  EXPECT_EQ(as({}, asking_for_listed({{"selection", word("owner:me")}})), "32 31 ");
  (void)as({}, asking_for_listed({{"owner", word("me")}}));
  EXPECT_EQ(queries.last_filter.owner, kStranger);
  const dbus::Row filter{{"owner", word("me")}};
  (void)as({}, [filter](sdbus::IProxy& manager) {
    return outcome_of([&] {
      manager.callMethod("ListJobs")
          .onInterface(dbus::kManagerInterface)
          .withArguments(filter, std::string{}, std::uint32_t{0});
    });
  });
  EXPECT_EQ(queries.last_filter.owner, kStranger);
}

TEST_F(CompareAs, the_answer_says_whose_runs_each_side_has) {
  using Uids = std::vector<std::uint32_t>;
  const auto own = compare("label:before", "label:after");
  EXPECT_EQ(std::get<0>(own.values).at("owners_a").get<Uids>(), Uids{0});
  EXPECT_EQ(std::get<0>(own.values).at("owner_runs_a").get<Uids>(), Uids{8});
  const auto mixed = compare("owner:any label:before", "label:after");
  const dbus::Row& head = std::get<0>(mixed.values);
  EXPECT_EQ(head.at("owners_a").get<Uids>(), (Uids{0, kStranger}));
  EXPECT_EQ(head.at("owner_runs_a").get<Uids>(), (Uids{8, 2}));
  EXPECT_EQ(head.at("owners_b").get<Uids>(), Uids{0});
  EXPECT_THAT(head.at("caveats").get<Texts>().front(), HasSubstr("The runs are of 2 users"));
}

}  // namespace
}  // namespace netperfd::bus
