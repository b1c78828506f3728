// SPDX-License-Identifier: GPL-2.0-or-later
// The key `figures`.
#include <gmock/gmock.h>

#include <string>

#include "daemon/config/job_reader.hpp"

namespace netperfd::config {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Result<JobSpec> read_figures(const std::string& more, const std::string& protocol = "tcp") {
  const std::string text =
      "name: job\nworkload: {iperf3: {server: h, duration: 1s, bitrate: 1M, protocol: " + protocol + "}}\n" +
      more;
  return read_job({.text = text, .origin = "job.yaml", .expected_name = {}, .commands_refused = {}}, {}, {});
}
std::string complaint_of(const std::string& more, const std::string& protocol = "tcp") {
  const auto job = read_figures(more, protocol);
  return job ? "" : job.error().message;
}

TEST(JobFigures, are_names_or_mappings_with_a_threshold) {
  const auto job = read_figures("figures: [received, {figure: cpu, threshold: 2.5%}, rtt]\n");
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_EQ(job->figures, parse_figure_choices({"received", "cpu:2.5%", "rtt"}).value());
  EXPECT_THAT(job->text, HasSubstr("threshold: \"2.5%\""));
  EXPECT_THAT(read_figures("")->figures, IsEmpty());
}

TEST(JobFigures, are_read_strictly_with_the_place_of_each_error) {
  EXPECT_EQ(
      complaint_of("figures: [received, recieved]\n"),
      "job.yaml:3:21: figures[1].figure: figure \"recieved\" does not exist; expected is received, sent, "
      "delivered, retransmits, rtt, jitter, cpu, latency or counter; did you mean received?");
  EXPECT_EQ(complaint_of("figures: [rtt, cpu, rtt]\n"),
            "job.yaml:3:21: figures[2].figure: \"rtt\" is there a second time");
  EXPECT_THAT(complaint_of("figures: received\n"),
              HasSubstr("figures: \"received\" is not a list of figures"));
  EXPECT_THAT(complaint_of("figures: []\n"), HasSubstr("figures: names no figure"));
  EXPECT_THAT(complaint_of("figures: [{threshold: 5%}]\n"), HasSubstr("figures[0].figure: is missing"));
  EXPECT_THAT(complaint_of("figures: [{figure: rtt, treshold: 5%}]\n"),
              HasSubstr("did you mean `threshold`?"));
  EXPECT_THAT(complaint_of("figures: [{figure: rtt, threshold: 5}]\n"),
              HasSubstr("figures[0].threshold: \"5\" is not a percentage"));
  EXPECT_THAT(complaint_of("figures: [{figure: rtt, threshold: 0%}]\n"),
              HasSubstr("figures[0].threshold: 0 is no share between 0 and 1"));
  EXPECT_THAT(complaint_of("figures: [{figure: rtt, threshold: 100%}]\n"), HasSubstr("1 is no share"));
  EXPECT_THAT(complaint_of("figures: [[rtt]]\n"), HasSubstr("is not a mapping"));
}

TEST(JobFigures, are_at_most_eight) {
  const std::string eight = "received, sent, cpu, rtt, retransmits, latency.min, latency.max, latency.p50";
  EXPECT_THAT(complaint_of("figures: [" + eight + "]\n"), testing::Not(HasSubstr("at most")));
  EXPECT_THAT(complaint_of("figures: [" + eight + ", latency.p99]\n"),
              HasSubstr("figures: has 9 figures; at most 8 can be compared"));
}

TEST(JobFigures, are_those_that_the_workload_measures) {
  EXPECT_THAT(complaint_of("figures: [latency.p99]\n"),
              HasSubstr("\"latency.p99\" needs a latency workload, and the job has none"));
  EXPECT_THAT(complaint_of("figures: [jitter]\n"), HasSubstr("\"jitter\" needs iperf3 with udp"));
  EXPECT_EQ(complaint_of("figures: [jitter, delivered]\n", "udp"), "");
  EXPECT_THAT(complaint_of("figures: [rtt]\n", "udp"), HasSubstr("\"rtt\" needs iperf3 with tcp"));
  const auto nothing =
      read_job({.text = "name: w\nworkload: {none: {until: stop}}\ntrace: {events: [skb:kfree_skb]}\n"
                        "figures: [received]\n",
                .origin = "w.yaml",
                .expected_name = {},
                .commands_refused = {}},
               {}, {});
  ASSERT_FALSE(nothing);
  EXPECT_THAT(nothing.error().message, HasSubstr("\"received\" needs the workload iperf3"));
}

}  // namespace
}  // namespace netperfd::config
