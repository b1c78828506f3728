// SPDX-License-Identifier: GPL-2.0-or-later
// What refuses a verdict, and where the page of such a comparison leads: its `next` is typed once.
#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Refusal : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  static std::string measured(const std::vector<std::string>& overrides = {}) {
    const StartedJob job = lab().start("local", overrides);
    EXPECT_EQ(lab().ctl({"wait", fmt::format("job:{}", job.id)}).code, 0);
    return fmt::format("{}", job.runs.front());
  }
};

// The words behind `next`, as a shell reads them.
std::vector<std::string> next_of(const std::string& page) {
  constexpr std::string_view kNext = "\n  next       ";
  std::vector<std::string> words;
  const auto at = page.find(kNext);
  if (at == std::string::npos) return words;
  bool quoted = false, begun = false;
  for (const char c : page.substr(at + kNext.size())) {
    if (c == '\n' && (words.empty() || words.back() != "\\")) break;
    if (c == '\n') words.pop_back();
    if (c == '\'') quoted = !quoted;
    if ((c == ' ' && !quoted) || c == '\n') begun = false;
    if ((c == ' ' && !quoted) || c == '\n' || c == '\'') continue;
    if (!begun) words.emplace_back();
    begun = true;
    words.back() += c;
  }
  return words;
}

TEST_F(Refusal, is_not_for_an_address_that_the_kernel_makes_by_itself) {
  lab().net().take_ipv6();
  const std::string before = measured();
  lab().net().give_ipv6();
  const std::string after = measured();
  const Outcome compared = lab().ctl({"compare", before, after, "-o", "json", "--fail-on", "never"});
  ASSERT_EQ(compared.code, 0) << compared.err;
  const json document = json::parse(compared.out);
  for (const json& fact : document.at("facts")) EXPECT_NE(fact.at("group"), "topology") << fact.dump();
  EXPECT_THAT(document.at("comparison").at("same").get<std::vector<std::string>>(), Contains("topology"));
  if (document.at("facts").empty()) EXPECT_EQ(document.at("comparison").at("verdict"), "too few");
}

TEST_F(Refusal, has_a_next_command_that_leads_to_a_verdict) {
  const std::string fast = measured(), other = measured();
  const std::string slow = measured({"bitrate=20M"});
  const std::string mixture = fmt::format("{},{}", other, slow);
  for (const auto& [b, declared, option] : {std::tuple{slow, "trace", "--changed"},
                                            {mixture, "trace", "--despite"},
                                            {mixture, "iperf3", "--despite"}}) {
    const Outcome page = lab().ctl({"compare", fast, b, "--changed", declared});
    EXPECT_EQ(page.code, kInconclusive) << page.err;
    EXPECT_THAT(page.out, AllOf(HasSubstr("REFUSED"), HasSubstr("not compared")));
    std::vector<std::string> next = next_of(page.out);
    ASSERT_GT(next.size(), 4U) << page.out;
    EXPECT_EQ(next.front(), "netperfctl");
    EXPECT_THAT(std::vector<std::string>(next.end() - 2, next.end()), Contains(option)) << page.out;
    next.erase(next.begin());
    const Outcome followed = lab().ctl(next);
    EXPECT_THAT(followed.out, AllOf(HasSubstr("TOO FEW"), Not(HasSubstr("REFUSED")))) << followed.err;
  }
}

TEST_F(Refusal, says_that_no_verdict_can_be_had) {
  const std::string one = measured(), other = measured();
  const std::vector<std::string> words{"compare", one, other, "--figure", "latency.p99"};
  const Outcome page = lab().ctl(words);
  EXPECT_EQ(page.code, kInconclusive) << page.err;
  EXPECT_THAT(page.out, AllOf(HasSubstr("REFUSED"), HasSubstr("There is nothing to compare"),
                              HasSubstr("no verdict can be had")));
}

}  // namespace
}  // namespace netperfd::system_test
