// JSON and CSV. The ctest `client_json_schema` checks the golden files written here against the schema.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "client/render.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

TEST(Json, of_every_list) {
  expect_golden("runs.json", runs_json(samples::runs(), true));
  expect_golden("jobs.json", jobs_json(samples::jobs()));
  expect_golden("scenarios.json", scenarios_json(samples::scenarios()));
}

TEST(Json, of_a_run_has_intervals_and_streams_where_asked) {
  ShowView view = samples::both();
  expect_golden("show_both.json", show_json(view));
  view.list_intervals = view.list_streams = true;
  expect_golden("show_listing.json", show_json(view));
  expect_golden("show_udp.json", show_json(samples::udp()));
  expect_golden("show_failed.json", show_json(samples::failed()));
}

TEST(Json, of_what_nobody_knows_leaves_the_keys_out) {
  const std::string json = show_json(samples::unknown());
  expect_golden("show_unknown.json", json);
  EXPECT_EQ(json.find("null"), std::string::npos);
}

TEST(Json, of_what_verbs_did) {
  expect_golden("start.json", start_json(samples::started()));
  expect_golden("stopped.json", stopped_json(12));
  expect_golden("deleted.json", deleted_json(std::vector<std::uint64_t>{41, 42}));
}

TEST(Json, events_are_a_line_each) {
  const LiveJobView job = samples::jobs().front();
  const std::string text = jobs_event_json(samples::jobs()) + job_event_json("job_added", job) +
                           job_event_json("job_changed", job) +
                           interval_json(12, 42, samples::tcp().intervals.back()) +
                           run_ended_json(12, 42, "failed", "no route\nto host") +
                           run_ended_json(12, 43, "finished", "") + job_removed_json(12);
  expect_golden("events.jsonl", text);
  EXPECT_EQ(std::ranges::count(text, '\n'), 7);
}

TEST(Json, has_no_word_for_infinity) {
  IntervalView interval;
  interval.bits_per_second = std::numeric_limits<double>::infinity();
  interval.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(
      interval_json(1, 2, interval),
      "{\"version\":1,\"kind\":\"event\",\"event\":\"interval\",\"job\":1,\"run\":2,\"interval\":{}}\n");
}

TEST(Json, is_ascii_whatever_a_label_holds) {
  LiveJobView job;
  job.label = "\x1b[31m\xc2\x9b\xe2\x80\xae";
  EXPECT_NE(jobs_json(std::vector{job}).find(R"("\u001b[31m\u009b\u202e")"), std::string::npos);
}

TEST(Csv, of_every_list) {
  expect_golden("runs.csv", runs_csv(samples::runs()));
  expect_golden("jobs.csv", jobs_csv(samples::jobs()));
  expect_golden("scenarios.csv", scenarios_csv(samples::scenarios()));
}

TEST(Csv, of_a_run_is_its_intervals_or_with_streams_its_totals) {
  ShowView view = samples::tcp();
  expect_golden("show_intervals.csv", show_csv(view));
  view.list_streams = true;
  expect_golden("show_streams.csv", show_csv(view));
}

TEST(Csv, quotes_what_would_break_a_record) {
  const std::vector<ScenarioView> rows{
      {.name = "a,b", .description = "say \"x\"", .file = "two\nlines", .error = {}}};
  EXPECT_EQ(scenarios_csv(rows),
            "name,description,file,error\r\n\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\r\n");
}

}  // namespace
}  // namespace netperfctl
