// SPDX-License-Identifier: GPL-2.0-or-later
// Latency from the job of an unprivileged user to the page: the real prober, beside the real iperf3 and
// alone.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

class Latency : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  static json measured(const std::vector<std::string>& words) {
    const Outcome started = lab().ctl(words);
    EXPECT_EQ(started.code, 0) << started.err << started.out;
    const Outcome shown = lab().ctl({"show", "last", "--latency", "--with-page", "-o", "json"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    json page = json::parse(shown.out);
    EXPECT_EQ(page.at("run").at("state"), "finished") << shown.out;
    return page;
  }
  static json found(const json& rows, const json& wanted) {
    for (const json& row : rows) {
      bool fits = true;
      for (const auto& [key, value] : wanted.items()) fits = fits && row.value(key, json{}) == value;
      if (fits) return row;
    }
    ADD_FAILURE() << wanted << " is not among " << rows;
    return json::object();
  }
  static std::string place() {
    return fmt::format("{{netns: {}, local: {{netns: {}, bind: {}}}", lab().net().left(), lab().net().right(),
                       NetnsPair::kRightAddress);
  }
  static std::string job(const std::string& text) {
    return lab().directory().write("job.yaml", "name: probes\n" + text);
  }
};

TEST_F(Latency, beside_iperf3_is_idle_load_and_idle_again_marked_in_the_trace) {
  const json page = measured({"start", job("workload: {iperf3: " + place() +
                                           ", duration: 1s, omit: 1s}}\n"
                                           "with: {latency: {idle: 600ms, timeout: 500ms, probes: [{rate: "
                                           "300}, {name: web, protocol: tcp}]}}\n"
                                           "trace: {events: ['skb:kfree_skb'], optional: true}\n")});
  std::vector<std::string> phases;
  double end = 0;
  for (const json& phase : page.at("latency_phases")) {
    if (phase.at("probe") == "udp") {
      phases.push_back(phase.at("phase"));
      EXPECT_GE(phase.at("start_s").get<double>(), end) << "they follow one another: " << phase;
      end = phase.at("end_s").get<double>();
    }
    EXPECT_EQ(phase.at("sent"), phase.at("received").get<int>() + phase.at("lost").get<int>());
  }
  const json load = found(page.at("latency_phases"), {{"probe", "udp"}, {"phase", "load"}});
  std::vector<std::string> expected{"idle", "omitted", "load", "ending", "after"};
  // If the host begins it only where it should end, after 600 ms and two seconds, there is no ending.
  if (load.value("start_s", 0.0) > 2.5) {
    std::erase(expected, "ending");
    std::erase(phases, "ending");
  }
  EXPECT_EQ(phases, expected);
  EXPECT_EQ(page.at("run").at("latency_phase"), "load");
  EXPECT_GT(page.at("sums").at(0).at("received_bytes").get<double>(), 1e6);
  EXPECT_GT(load.at("end_s").get<double>(), load.at("start_s").get<double>());
  const json trip =
      found(page.at("latency_spans"), {{"probe", "udp"}, {"phase", "load"}, {"span", "round-trip"}});
  const json there =
      found(page.at("latency_spans"), {{"probe", "udp"}, {"phase", "load"}, {"span", "there"}});
  const json back = found(page.at("latency_spans"), {{"probe", "udp"}, {"phase", "load"}, {"span", "back"}});
  EXPECT_LT(there.at("mean_ns").get<double>() + back.at("mean_ns").get<double>(),
            trip.at("mean_ns").get<double>());
  if (!page.contains("trace_marks")) return;  // this kernel refuses
  std::vector<std::string> marks;
  for (const json& mark : page.at("trace_marks")) marks.push_back(mark.at("text"));
  EXPECT_THAT(marks, testing::IsSupersetOf({"phase idle", "phase omitted", "phase load", "phase after"}));
}

TEST_F(Latency, alone_is_measured_and_a_bundle_carries_all_of_it) {
  const json page = measured(
      {"start", job("workload: {latency: " + place() + ", duration: 1s, probes: [{rate: 1000}]}}\n")});
  EXPECT_EQ(page.at("run").at("workload"), "latency");
  EXPECT_EQ(page.at("run").at("server_netns"), lab().net().right());
  EXPECT_GT(page.at("run").at("latency_p50_ns").get<double>(), 1'000);
  EXPECT_THAT(page.at("sums"), IsEmpty());
  const std::string file = lab().directory().path("all/latency.netperfd");
  std::filesystem::create_directories(lab().directory().path("all"));
  std::filesystem::permissions(lab().directory().path("all"), std::filesystem::perms::all);
  ASSERT_EQ(lab()
                .ctl({"export", fmt::format("job:{}", page.at("run").at("job").get<int>()), "--format",
                      "bundle", "-O", file})
                .code,
            0);
  ASSERT_EQ(lab().ctl({"import", file}).code, 0);
  const json imported =
      json::parse(lab().ctl({"show", "last", "--latency", "--with-page", "-o", "json"}).out);
  EXPECT_NE(imported.at("run").at("run"), page.at("run").at("run"));
  for (const char* part : {"latency_probes", "latency_phases", "latency_spans", "latency_intervals"}) {
    EXPECT_EQ(imported.at(part), page.at(part)) << part;
  }
}

TEST_F(Latency, of_a_host_that_does_not_answer_is_a_failed_run_that_says_so) {
  const Outcome started = lab().ctl(
      {"start",
       job(fmt::format("workload: {{latency: {{netns: {}, server: {}, server_wait: 0s, duration: 1s}}}}\n",
                       lab().net().left(), NetnsPair::kRightAddress))});
  EXPECT_NE(started.code, 0);
  EXPECT_THAT(started.out, HasSubstr("is netperfd-echo running there?")) << started.err;
}

}  // namespace
}  // namespace netperfd::system_test
