// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of real runs: how many, of what, whose, and that they end with a killed daemon.
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class Sampling : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  static json sampled_run(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"start", "local", "--set", "sample.rate=499"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome started = lab().ctl(arguments);
    EXPECT_EQ(started.code, 0) << started.err;
    const Outcome shown = lab().ctl({"show", "last", "--samples", "--stacks", "-o", "json"});
    EXPECT_EQ(shown.code, 0) << shown.err;
    json run = json::parse(shown.out);
    if (run.at("sample_profile").contains("skipped")) throw std::runtime_error(run["sample_profile"].dump());
    return run;
  }

  // Descriptors of perf events in all processes of netperfd: others sample too.
  static std::size_t perf_events() {
    std::size_t found = 0;
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
      std::error_code error;
      if (std::filesystem::read_symlink(process.path() / "exe", error) != NETPERFD_PROGRAM) continue;
      for (std::filesystem::directory_iterator fd(process.path() / "fd", error), end; !error && fd != end;
           fd.increment(error)) {
        std::error_code gone;
        found += std::filesystem::read_symlink(fd->path(), gone) == "anon_inode:[perf_event]" ? 1U : 0U;
      }
    }
    return found;
  }
};

TEST_F(Sampling, of_a_run_has_as_many_samples_as_asked_and_the_workloads_way_through_the_kernel) {
  const json run = sampled_run();
  const json& profile = run.at("sample_profile");
  const double expected = profile.at("duration_s").get<double>() * 499 * profile.at("cpus").get<double>();
  if (profile.at("event") == "cpu-clock") {
    // A CPU that the host of a virtual machine gives to others takes one sample for all that it missed.
    const auto count = [&](const char* key) { return profile.at(key).get<double>(); };
    EXPECT_NEAR(count("samples") + count("lost") + count("missed"), expected, count("cpus") + 1);
    EXPECT_EQ(count("samples") + count("lost") + count("missed"), count("due"));
    EXPECT_GT(count("samples"), 0.1 * expected);
  } else {
    EXPECT_FALSE(profile.contains("missed")) << "nobody knows, where idle CPUs take none";
  }
  EXPECT_EQ(profile.at("samples").get<std::uint64_t>(),
            profile.at("busy").get<std::uint64_t>() + profile.at("idle").get<std::uint64_t>());
  EXPECT_GT(profile.at("busy").get<std::uint64_t>(), 20U);
  std::uint64_t own = 0, sending = 0, all = 0;
  for (const json& stack : run.at("sampled_stacks")) {
    const auto samples = stack.at("samples").get<std::uint64_t>();
    all += samples;
    if (stack.value("program", "") != "iperf3") continue;
    own += samples;
    if (stack.at("frames").dump().find("tcp_") != std::string::npos) sending += samples;
  }
  EXPECT_EQ(all, profile.at("busy").get<std::uint64_t>());
  EXPECT_GT(own, 0U);
  EXPECT_GT(static_cast<double>(sending), 0.2 * static_cast<double>(own));
  std::uint64_t self = 0;
  for (const json& function : run.at("sampled_functions")) self += function.at("self").get<std::uint64_t>();
  EXPECT_EQ(self, all);
}

TEST_F(Sampling, names_no_program_of_others_and_no_address) {
  Process secret{
      {.argv = {"bash", "-c", "printf secret-program >/proc/$$/comm; echo begun; while :; do :; done"},
       .environment = {},
       .user = {},
       .netns = {},
       .stderr_file = {}}};
  secret.wait_for_output("begun");
  const json run = sampled_run();
  secret.signal(SIGKILL);
  bool others_in_user = false;
  for (const json& stack : run.at("sampled_stacks")) {
    others_in_user =
        others_in_user || (!stack.contains("program") && stack.at("frames").dump() == R"(["[user]"])");
    EXPECT_THAT(stack.value("program", "iperf3"), testing::AnyOf("iperf3", "netperfd"));
  }
  EXPECT_TRUE(others_in_user) << "the busy program was not sampled, so this proves nothing";
  EXPECT_THAT(run.dump(), Not(HasSubstr("secret")));
  EXPECT_THAT(run.at("sampled_stacks").dump(), Not(HasSubstr("ffffffff")));
}

TEST_F(Sampling, ends_with_a_killed_daemon) {
  const std::size_t before = perf_events();
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("local", {"duration=30s"}, {"--set", "sample.rate=499"});
  // Told once everything has begun; the store has the state before.
  watch.wait_for_run_state(job.id, "running");
  EXPECT_GT(perf_events(), before);
  lab().end_netperfd(SIGKILL);
  EXPECT_TRUE(lab().workload_ends());
  EXPECT_EQ(perf_events(), before);
  lab().start_netperfd();
  EXPECT_GT(sampled_run().at("sample_profile").at("samples").get<std::uint64_t>(), 0U);
}

TEST_F(Sampling, export_as_folded_lines_speedscope_and_a_picture_with_all_busy_samples) {
  const json run = sampled_run();
  const auto busy = run.at("sample_profile").at("busy").get<std::uint64_t>();
  const Outcome folded = lab().narrow_ctl({"export", "last", "--format", "folded"});
  ASSERT_EQ(folded.code, 0) << folded.err;
  std::istringstream lines{folded.out};
  std::uint64_t sum = 0;
  for (std::string line; std::getline(lines, line);) sum += std::stoull(line.substr(line.rfind(' ') + 1));
  EXPECT_EQ(sum, busy);
  const Outcome speedscope =
      lab().narrow_ctl({"export", "last", "--format", "speedscope", "--from", "samples"});
  ASSERT_EQ(speedscope.code, 0) << speedscope.err;
  EXPECT_EQ(json::parse(speedscope.out).at("profiles").at(0).at("endValue"), busy);
  const Outcome flame = lab().narrow_ctl({"export", "last", "--format", "flame"});
  ASSERT_EQ(flame.code, 0) << flame.err;
  EXPECT_THAT(flame.out, HasSubstr("data-whole=\"" + std::to_string(busy) + "\""));
}

TEST_F(Sampling, of_two_selections_are_drawn_as_a_difference_per_byte) {
  const auto number = [](const json& run) {
    return std::to_string(run.at("run").at("run").get<std::uint64_t>());
  };
  const json a = sampled_run(), b = sampled_run();
  const std::string file = lab().directory().path("difference.svg");
  const Outcome compared =
      lab().ctl({"compare", number(a), number(b), "--fail-on", "never", "--flame", file}, User{});
  ASSERT_EQ(compared.code, 0) << compared.err;
  std::ostringstream picture;
  picture << std::ifstream{file}.rdbuf();
  EXPECT_THAT(picture.str(), HasSubstr("CPU time per byte of goodput"));
  EXPECT_THAT(picture.str(), HasSubstr("Too few runs on a side for a test"));
  EXPECT_THAT(picture.str(), HasSubstr("data-label=\"iperf3\""));
}

TEST_F(Sampling, and_their_comparison_are_one_page_with_the_json_that_the_client_prints) {
  const auto number = [](const json& run) {
    return std::to_string(run.at("run").at("run").get<std::uint64_t>());
  };
  const std::string a = number(sampled_run()), b = number(sampled_run());
  const Outcome compared = lab().ctl({"compare", a, b, "--fail-on", "never", "-o", "json"}, User{});
  ASSERT_EQ(compared.code, 0) << compared.err;
  const std::string file = lab().directory().path("report.html");
  const Outcome made = lab().ctl({"report", a, b, "-O", file}, User{});
  ASSERT_EQ(made.code, 0) << made.err;
  std::ostringstream page;
  page << std::ifstream{file}.rdbuf();
  EXPECT_THAT(page.str(), HasSubstr("data-command=\"netperfctl compare " + a + " " + b + " -o json\">\n" +
                                    compared.out + "</script>"));
  EXPECT_THAT(page.str(), HasSubstr("<h3>B against A: samples of the CPUs</h3>"));
  EXPECT_THAT(page.str(), HasSubstr("<strong class=\"verdict\">TOO FEW</strong>"));
  const Outcome run = lab().ctl({"report", b}, User{});
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("<h3>Run " + b + ": "));
  EXPECT_EQ(lab().ctl({"report", "999999"}, User{}).code, 5);
  EXPECT_EQ(lab().ctl({"report", "label:nobody-has-this"}, User{}).code, 5);
  EXPECT_EQ(lab().ctl({"report", a, b, "-O", "/nowhere/report.html"}, User{}).code, 2);
}

// Every cost is that many samples of the run, at one price each.
TEST_F(Sampling, of_two_runs_are_compared_function_by_function) {
  const auto number = [](const json& run) {
    return std::to_string(run.at("run").at("run").get<std::uint64_t>());
  };
  const json a = sampled_run(), b = sampled_run();
  const Outcome compared =
      lab().ctl({"compare", number(a), number(b), "--fail-on", "never", "-o", "json"}, User{});
  ASSERT_EQ(compared.code, 0) << compared.err;
  const json comparison = json::parse(compared.out);
  EXPECT_EQ(comparison.at("comparison").at("busy_samples_b"), b.at("sample_profile").at("busy"));
  EXPECT_EQ(comparison.at("comparison").at("sampled_runs_a"), 1);
  std::map<std::string, double> samples;
  for (const json& function : b.at("sampled_functions")) {
    const std::string name = function.at("name").get<std::string>() + function.value("module", "");
    samples[name] = function.at("self").get<double>();
  }
  std::vector<double> prices;
  for (const json& function : comparison.at("functions")) {
    const std::string name = function.at("function").get<std::string>() + function.value("module", "");
    if (name == "[user]" || samples[name] == 0) continue;  // that of others is no part of the run
    EXPECT_TRUE(function.at("not_traced").get<bool>()) << function;
    EXPECT_FALSE(function.contains("cost_b")) << function;
    prices.push_back(function.at("sampled_b").get<double>() / samples[name]);
  }
  ASSERT_GT(prices.size(), 3U);
  for (const double price : prices) EXPECT_NEAR(price, prices.front(), 1e-9 * prices.front());
}

TEST_F(Sampling, of_a_run_without_any_are_no_blank_picture) {
  ASSERT_EQ(lab().ctl({"start", "local"}).code, 0);
  const Outcome flame = lab().ctl({"export", "last", "--format", "flame"});
  EXPECT_EQ(flame.code, kNotFound);
  EXPECT_THAT(flame.err, HasSubstr("was not sampled"));
  EXPECT_EQ(flame.out, "");
  EXPECT_EQ(lab().ctl({"export", "last", "--format", "text", "--from", "samples"}).code, kUsage);
}

TEST_F(Sampling, refuses_wrong_rates_before_anything_runs) {
  const auto runs = lab().database().number("SELECT count(*) FROM runs");
  for (const char* wrong : {"0", "-1", "fast", "10001", "99999999999"}) {
    const Outcome refused = lab().ctl({"start", "local", "--set", std::string("sample.rate=") + wrong});
    EXPECT_NE(refused.code, 0) << wrong;
    EXPECT_THAT(refused.err, HasSubstr("sample")) << wrong;
  }
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), runs);
}

}  // namespace
}  // namespace netperfd::system_test
