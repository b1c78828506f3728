// SPDX-License-Identifier: GPL-2.0-or-later
// The views of function profiles, compared with figures computed by hand from those of a_profile().
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <sstream>
#include <string>
#include <vector>

#include "daemon/store/sqlite.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {
namespace {

using testing::ElementsAre;

class ProfileViews : public StoreTest {
 protected:
  ProfileViews() { open(); }

  RunId store_profile(const TrafficCount& traffic = some_traffic()) {
    auto record = a_record(run_under_way(a_job()), 1, 2);
    record.trace = a_trace();
    record.trace->profile = a_profile();
    record.traffic = traffic;
    must(store->finish(record));
    return record.id;
  }

  // One line per row, with blanks between columns; "-" for NULL.
  std::vector<std::string> lines(const std::vector<std::string>& columns, const std::string& rest) {
    std::string line;
    for (const auto& column : columns) {
      line += fmt::format("{}ifnull({}, '-')", line.empty() ? "" : " || ' ' || ", column);
    }
    std::istringstream text(
        ask(path(),
            fmt::format("SELECT group_concat(line, char(10)) FROM (SELECT {} AS line FROM {})", line, rest)));
    std::vector<std::string> result;
    for (std::string each; std::getline(text, each);) result.push_back(each);
    return result;
  }
};

const std::vector<std::string> kFunctionColumns{
    "function",         "hits",   "self_ms", "corrected_ms", "ns_per_call", "ns_per_byte",
    "calls_per_packet", "p50_ns", "p99_ns",  "percent"};

TEST_F(ProfileViews, show_functions_by_call_by_byte_and_by_packet) {
  const auto run = store_profile();
  store_profile();  // of another run, whose figures must not affect this one
  // 500 + 250 + 100 us are 850 us, using corrected times if known.
  EXPECT_THAT(lines(kFunctionColumns, fmt::format("function_overview WHERE run = {}", run)),
              ElementsAre("hsr_forward_skb [hsr] 100 0.6 0.5 5000.0 0.5 1.25 10 99 58.8",
                          "hsr_get_node [hsr] #2 200 0.3 0.25 1250.0 0.25 2.5 10 99 29.4",
                          "ip_rcv 50 0.1 - 2000.0 0.1 0.625 10 99 11.8"));
  EXPECT_EQ(
      ask(path(),
          "SELECT count(*) || ' ' || round(sum(percent)) || ' ' || max(scenario) FROM function_overview"),
      "6 200.0 veth-tcp");
}

TEST_F(ProfileViews, show_nothing_by_a_byte_or_packet_that_nobody_counted) {
  store_profile({});
  TrafficCount none;
  none.goodput_bytes = 0;
  none.packets = PacketCount{};
  store_profile(none);
  EXPECT_THAT(lines({"ns_per_byte", "calls_per_packet", "ns_per_call"},
                    "function_overview WHERE function = 'ip_rcv'"),
              ElementsAre("- - 2000.0", "- - 2000.0"));
}

TEST_F(ProfileViews, show_the_tree_of_calls_indented) {
  const auto run = store_profile();
  store_profile();
  EXPECT_THAT(lines({"function", "hits", "total_ms", "self_ms"},
                    fmt::format("call_tree_overview WHERE run = {}", run)),
              ElementsAre("hsr_forward_skb [hsr] 99 0.801 0.601", "  hsr_get_node [hsr] #2 150 0.202 0.201",
                          "    hsr_forward_skb [hsr] 1 0.003 0.002", "ip_rcv (interrupt) 50 0.204 0.104",
                          "  hsr_get_node [hsr] #2 50 0.106 0.105"));
}

TEST_F(ProfileViews, show_who_calls_whom) {
  const auto run = store_profile();
  store_profile();
  EXPECT_THAT(lines({"caller", "callee", "hits", "total_ms", "ns_per_call", "percent_of_callee"},
                    fmt::format("edge_overview WHERE run = {}", run)),
              ElementsAre("hsr_forward_skb [hsr] hsr_get_node [hsr] #2 150 0.2 1333.3 75.0",
                          "ip_rcv hsr_get_node [hsr] #2 50 0.1 2000.0 25.0"));
}

TEST_F(ProfileViews, leave_lists_to_json_each) {
  store_profile();
  EXPECT_THAT(lines({"key", "json_each.value"}, "functions, json_each(slice_hits) WHERE position = 1"),
              ElementsAre("0 0", "1 198", "2 0", "3 1"));
  EXPECT_THAT(lines({"json_extract(json_each.value, '$[0]')", "json_extract(json_each.value, '$[1]')"},
                    "functions, json_each(histogram) WHERE position = 1"),
              ElementsAre("8 199", "899 1"));
}

// Otherwise a query for one run would visit all of them.
TEST_F(ProfileViews, search_no_other_run) {
  for (const auto* view : {"function_overview", "call_tree_overview", "edge_overview"}) {
    auto connection = must(Connection::open(path(), SQLITE_OPEN_READONLY));
    auto plan =
        must(connection.prepare(fmt::format("EXPLAIN QUERY PLAN SELECT * FROM {} WHERE run = 43", view)));
    int searches = 0;
    while (must(plan.step())) {
      int ignored = 0;
      std::string step;
      must(plan.read(ignored, ignored, ignored, step));
      for (const auto* table :
           {"functions", "call_nodes", "call_edges", "runs", "jobs", "callers", "traffic"}) {
        EXPECT_NE(step, fmt::format("SCAN {}", table)) << view;
      }
      if (step.starts_with("SEARCH")) ++searches;
    }
    EXPECT_GE(searches, 3) << view;
  }
}

}  // namespace
}  // namespace netperfd::store
