// SPDX-License-Identifier: GPL-2.0-or-later
// Two sets of real runs, compared over the bus, as any user may do.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

// The exit code for a verdict.
int code_of(const std::string& verdict) {
  if (verdict == "improvement" || verdict == "equivalent") return 0;
  return verdict == "regression" ? kRegression : kInconclusive;
}

class Compare : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({});
    // Interleaved, so that drift affects both sides. `slow` is limited to a rate that any machine can reach.
    for (int i = 0; i < kRuns; ++i) {
      measure("same-a", {});
      measure("same-b", {});
      measure("slow", {"--set", "workload.iperf3.bitrate=20M"});
    }
  }

  static constexpr int kRuns = 4;  // the minimum per side for an interval without blocks

  static void measure(const std::string& label, const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"start", "local", "--label", label};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome started = lab().ctl(arguments);
    ASSERT_EQ(started.code, 0) << started.err;
  }

  struct Compared {
    int code = 0;
    json document;
    [[nodiscard]] std::string verdict() const { return document.at("comparison").at("verdict"); }
  };
  static Compared compare(const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"compare", "-o", "json"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome outcome = lab().ctl(all);
    EXPECT_NE(outcome.out, "") << outcome.err;
    return {outcome.code, json::parse(outcome.out)};
  }
  // What netperfctl prints, whichever way it ends.
  static std::string text_of(const std::vector<std::string>& arguments, const User& user) {
    const Outcome outcome = lab().ctl(arguments, user);
    return outcome.err.empty() ? outcome.out : outcome.err;
  }
};

TEST_F(Compare, of_like_with_like_is_whole_and_ends_as_its_verdict_says) {
  const Compared compared = compare({"label:same-a", "label:same-b"});
  const json& head = compared.document.at("comparison");
  EXPECT_EQ(compared.code, code_of(compared.verdict()));
  // By chance, about one of thirty such comparisons finds a difference, so the verdict is not checked
  // exactly.
  EXPECT_THAT(compared.verdict(),
              AnyOf("improvement", "regression", "equivalent", "inconclusive", "refused"));
  EXPECT_EQ(head.at("runs_a").size(), kRuns);
  EXPECT_EQ(head.at("runs_b").size(), kRuns);
  EXPECT_EQ(head.at("samples_a"), kRuns);
  EXPECT_EQ(head.at("labels_a"), json::array({"same-a"}));
  EXPECT_GE(head.at("level"), 0.95);
  EXPECT_LE(head.at("ratio_low"), head.at("ratio"));
  EXPECT_GE(head.at("ratio_high"), head.at("ratio"));
  // The figure is that of the run itself.
  std::set<double> rates;
  for (const json& run : head.at("runs_a")) {
    rates.insert(lab().database().real(fmt::format(
        "SELECT sum(received_bits_per_second) FROM sums WHERE run = {}", run.get<std::uint64_t>())));
  }
  EXPECT_GE(head.at("median_a"), *rates.begin());
  EXPECT_LE(head.at("median_a"), *rates.rbegin());
}

TEST_F(Compare, finds_a_limit_of_the_bitrate_whichever_way_round) {
  const Compared slower = compare({"label:same-a", "label:slow", "--despite"});
  EXPECT_EQ(slower.verdict(), "regression") << slower.document.dump(2);
  EXPECT_EQ(slower.code, kRegression);
  EXPECT_LT(slower.document.at("comparison").at("ratio_high"), 0.9);
  const Compared faster = compare({"label:slow", "label:same-b", "--despite"});
  EXPECT_EQ(faster.verdict(), "improvement");
  EXPECT_EQ(faster.code, 0);
  const Compared allowed = compare({"label:same-a", "label:slow", "--despite", "--fail-on", "inconclusive"});
  EXPECT_EQ(allowed.code, 0);
}

TEST_F(Compare, of_one_run_a_side_is_too_few) {
  const Compared compared = compare({"label:same-a last", "label:slow last:1", "--despite"});
  EXPECT_EQ(compared.verdict(), "too few");
  EXPECT_EQ(compared.code, 6);
  EXPECT_FALSE(compared.document.at("comparison").contains("level"));
  EXPECT_EQ(compare({"label:same-a last", "label:slow last", "--despite", "--fail-on", "never"}).code, 0);
}

TEST_F(Compare, is_a_page_for_people) {
  const Outcome page = lab().ctl({"compare", "label:same-a since:1h", "label:slow", "--despite"});
  EXPECT_EQ(page.code, kRegression) << page.err;
  EXPECT_THAT(page.out, HasSubstr("A: label same-a, 4 runs   B: label slow, 4 runs"));
  EXPECT_THAT(page.out, HasSubstr("REGRESSION"));
  const Compared same = compare({"label:same-a since:1h", "label:slow", "--despite"});
  const auto runs = same.document.at("comparison").at("runs_a").get<std::vector<std::uint64_t>>();
  EXPECT_THAT(page.out, HasSubstr(fmt::format("again      netperfctl compare {} 'owner:daemon label:slow'",
                                              fmt::join(runs, ","))))
      << "since:1h would mean others later, and label:slow those of whoever types it";
}

// The words behind "again      netperfctl ", as a shell reads them.
std::vector<std::string> again_of(const std::string& page) {
  constexpr std::string_view kAgain = "again      netperfctl ";
  const auto at = page.rfind(kAgain);
  if (at == std::string::npos) return {};
  std::string_view rest = std::string_view{page}.substr(at + kAgain.size());
  std::vector<std::string> words(1);
  bool quoted = false;
  bool space = false;
  for (const char c : rest) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' || c == '\n') {
      if (!std::exchange(space, true)) {
        if (quoted) words.back() += ' ';
        if (!quoted) words.emplace_back();
      }
      continue;
    } else {
      words.back() += c;
    }
    space = false;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

TEST_F(Compare, is_the_same_page_whoever_reuses_its_labels_and_whoever_types_its_command) {
  const std::vector<std::string> words{"compare", "label:same-a", "label:same-b", "--fail-on", "never"};
  const std::string before = text_of(words, lab().users().member);
  // Another user's run of the same label and the same scenario, a hundred times slower.
  const Outcome started =
      lab().ctl({"start", "local", "--label", "same-b", "--set", "workload.iperf3.bitrate=2M"},
                lab().users().other_member);
  ASSERT_EQ(started.code, 0) << started.err;
  EXPECT_EQ(text_of(words, lab().users().member), before);
  std::vector<std::string> again = again_of(before);
  ASSERT_EQ(again,
            (std::vector<std::string>{"compare", "owner:daemon label:same-a", "owner:daemon label:same-b"}))
      << before;
  again.insert(again.end(), {"--fail-on", "never"});
  EXPECT_EQ(text_of(again, lab().users().other_member), before) << "who has such runs, too";

  const Outcome own = lab().ctl({"compare", "owner:daemon label:same-a", "label:same-b", "-o", "json"},
                                lab().users().other_member);
  const json head = json::parse(own.out).at("comparison");
  EXPECT_EQ(head.at("owners_b"), json::array({lab().users().other_member.uid}));
  EXPECT_EQ(head.at("runs_b").size(), 1U);

  const std::vector<std::string> mixed{"compare", "label:same-a", "owner:any label:same-b", "--despite"};
  const std::string page = text_of(mixed, lab().users().member);
  EXPECT_THAT(page, HasSubstr("owners     A: daemon 4 runs; B: daemon 4 runs, bin 1 run"));
  EXPECT_THAT(page, HasSubstr(", runs of 2 users\n"));
  EXPECT_THAT(page, HasSubstr("The runs are of 2 users"));
}

TEST_F(Compare, names_whose_runs_fit_to_a_user_who_has_none) {
  for (const User& user : {lab().users().outsider, User{}}) {
    const Outcome none = lab().ctl({"compare", "label:slow", "41"}, user);
    EXPECT_EQ(none.code, 5);
    EXPECT_THAT(none.err, HasSubstr(fmt::format("A: \"label:slow\": no finished run of yours (uid {}) fits; "
                                                "owner:daemon has such runs: \"owner:daemon label:slow\" "
                                                "selects those",
                                                user.uid)));
  }
  const Outcome report = lab().ctl({"report", "label:slow"}, lab().users().outsider);
  EXPECT_EQ(report.code, 5);
  EXPECT_THAT(report.err, HasSubstr("label:slow: no run of yours matches; daemon has such runs"));
  const Outcome plan = lab().ctl({"plan", "local", "--runs", "label:slow"}, lab().users().outsider);
  EXPECT_EQ(plan.code, 5);
  EXPECT_THAT(plan.err, HasSubstr("owner:daemon has such runs"));
  const Outcome nobody = lab().ctl({"compare", "owner:no-such-user label:slow", "41"});
  EXPECT_EQ(nobody.code, 2);
  EXPECT_THAT(nobody.err, HasSubstr("there is no user \"no-such-user\" here"));
  EXPECT_EQ(lab().ctl({"compare", "last", "-o", "json"}, lab().users().outsider).code, 5);
}

TEST_F(Compare, of_runs_of_another_user_deletes_none_by_their_label) {
  const User& other = lab().users().other_member;
  const Outcome none = lab().ctl({"delete", "label:slow"}, other);
  EXPECT_EQ(none.code, 5) << "and nobody was asked for a password";
  EXPECT_THAT(none.err, HasSubstr("label:slow: no run of yours matches; daemon has such runs"));
  ASSERT_EQ(lab().ctl({"start", "local", "--label", "slow"}, other).code, 0);
  const Outcome dry = lab().ctl({"delete", "label:slow", "--dry-run"}, other);
  EXPECT_THAT(dry.out, HasSubstr("would be deleted: 1 run: "));
  EXPECT_EQ(lab().ctl({"delete", "label:slow"}, other).code, 0);
  EXPECT_EQ(compare({"label:slow", "label:same-a", "--despite", "--fail-on", "never"})
                .document.at("comparison")
                .at("runs_a")
                .size(),
            kRuns);
  EXPECT_EQ(lab().ctl({"delete", "owner:daemon label:slow"}, other).code, kDenied);
  const json listed = json::parse(lab().ctl({"runs", "label:slow", "-o", "json"}, other).out);
  EXPECT_EQ(listed.at("runs").size(), kRuns) << "a list shows those of everybody";
  const json own = json::parse(lab().ctl({"runs", "label:slow", "--owner", "me", "-o", "json"}, other).out);
  EXPECT_EQ(own.at("runs").size(), 0U);
  const json jobs = json::parse(
      lab().ctl({"jobs", "--all", "--owner", "daemon", "--limit", "99", "-o", "json"}, other).out);
  EXPECT_EQ(jobs.at("jobs").size(), 3 * kRuns);
}

TEST_F(Compare, is_an_answer_to_paste_in_each_format) {
  const auto in = [](const char* format) {
    const Outcome outcome = lab().ctl({"compare", "label:same-a", "label:slow", "--despite", "--figure",
                                       "sent:5%", "--fail-on", "never", "--format", format});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  const std::string mail = in("mail");
  EXPECT_THAT(mail, HasSubstr("REGRESSION"));
  EXPECT_THAT(mail, testing::Not(testing::ContainsRegex("[^\n]{73}"))) << "a line of more than 72 columns";
  EXPECT_THAT(in("markdown"), AllOf(HasSubstr("| "), HasSubstr("REGRESSION")));
  EXPECT_THAT(in("csv"), AllOf(HasSubstr("verdict"), HasSubstr("regression")));
  EXPECT_THAT(in("junit"), AllOf(HasSubstr("<testsuite"), HasSubstr("<failure")));
}

TEST_F(Compare, judges_the_figures_that_are_asked_for) {
  const std::vector<std::string> sides{"label:same-a", "label:slow", "--despite"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all = sides;
    all.insert(all.end(), more.begin(), more.end());
    return compare(all);
  };
  const Compared limited = with({"--figure", "sent:5%"});
  const json& head = limited.document.at("comparison");
  EXPECT_EQ(limited.code, kRegression) << head.dump();
  EXPECT_EQ(head.at("figure"), "sent");
  EXPECT_EQ(head.at("threshold"), 0.05);
  EXPECT_EQ(head.at("figures").size(), 1U);

  const Compared several = with({"--figure", "received", "--figure", "rtt", "--figure", "sent:5%"});
  const json& figures = several.document.at("comparison").at("figures");
  EXPECT_EQ(several.verdict(), "too few") << "four runs a side give no interval of 98.3 %";
  ASSERT_EQ(figures.size(), 3U);
  for (const json& figure : figures) {
    EXPECT_EQ(figure.at("fewest"), 5) << figure.dump();
    EXPECT_GT(figure.at("median_a"), 0) << figure.dump();
    EXPECT_GT(figure.at("median_b"), 0) << figure.dump();
  }
  EXPECT_EQ(figures.at(1).at("unit"), "ns");
  EXPECT_EQ(figures.at(1).at("better"), "lower");
  EXPECT_NEAR(figures.at(2).at("median_b"), 20e6, 2e6) << "sent at the rate that was asked for";

  const Compared latency = with({"--figure", "latency.p99"});
  EXPECT_EQ(latency.verdict(), "refused");
  EXPECT_THAT(latency.document.at("comparison").at("caveats").dump(), HasSubstr("tells its latency.p99"));
  const Outcome wrong = lab().ctl({"compare", "label:same-a", "label:slow", "--figure", "latency.p95"});
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean p90?"));
}

TEST_F(Compare, names_what_is_wrong_with_a_selection) {
  const Outcome nobody = lab().ctl({"compare", "label:same-a", "label:same"});
  EXPECT_EQ(nobody.code, 5);
  EXPECT_THAT(
      nobody.err,
      HasSubstr("B: \"label:same\": no finished run of yours (uid 1) fits; there is no label \"same\""));
  const Outcome wrong = lab().ctl({"compare", "lable:same-a", "label:slow"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean `label`?"));
  EXPECT_EQ(lab().ctl({"compare", "label:same-a", "label:same-a"}).code, 2);
  EXPECT_EQ(lab().ctl({"compare", "label:same-a", "since:soon"}).code, 2);
  EXPECT_EQ(lab().ctl({"compare", "label:same-a", "label:slow", "--threshold", "1"}).code, 2);
  EXPECT_EQ(lab().ctl({"compare", "label:same-a", "label:slow", "--fail-on", "success"}).code, 2);
}

}  // namespace
}  // namespace netperfd::system_test
