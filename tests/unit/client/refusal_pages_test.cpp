// SPDX-License-Identifier: GPL-2.0-or-later
// A comparison that was refused says why, and what to do: in each state that a daemon tells.
#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "client/pages/render.hpp"
#include "tests/unit/client/compare_rows.hpp"
#include "tests/unit/client/compare_samples.hpp"
#include "tests/unit/client/golden.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kNone = "none: no verdict can be had from these runs";

std::string page_in_one_line(const CompareView& view) {
  return compare_text(samples::one_line(), view);
}

struct State {
  const char* remedy;  // empty: of an older netperfd
  bool differ = false;
  bool has_ratio = true;
  bool despite = false;
};

CompareView refused_in(const State& state) {
  CompareView view = samples::offload_differs();
  ComparisonView& head = view.details.comparison;
  head.remedy.reset();
  if (*state.remedy != '\0') head.remedy = state.remedy;
  if (!state.has_ratio) head.effect.ratio.reset();
  for (FactChangeView& fact : view.details.facts)
    fact.declared = fact.declared.value_or(false) || !state.differ;
  head.caveats = samples::Words{"The first reason.", "Another one."};
  view.asked.despite = state.despite;
  if (state.despite) view.command += " --despite";
  return view;
}

// What follows `next`.
std::string next_on(const std::string& page) {
  constexpr std::string_view kNext = "\n  next       ";
  const auto at = page.find(kNext);
  if (at == std::string::npos) return {};
  EXPECT_EQ(page.find(kNext, at + 1), std::string::npos) << page;
  const auto begin = at + kNext.size();
  return page.substr(begin, page.find('\n', begin) - begin);
}

TEST(RefusalPages, say_what_to_do_in_each_state) {
  const std::string command = "netperfctl compare label:before label:after";
  const std::string despite = command + " --despite", declare = command + " --changed module:hsr,nic,cpu";
  struct Expected {
    State state;
    std::string next;
    const char* effect;
  };
  for (const auto& [state, next, effect] : std::vector<Expected>{
           {{.remedy = "declare", .differ = true}, declare, "declares that all of these are the change"},
           {{.remedy = "despite", .differ = true}, despite, "to declare what differs is not enough"},
           {{.remedy = "despite"}, despite, "with this reason as evidence"},
           {{.remedy = "none"}, kNone, ""},
           {{.remedy = "none", .has_ratio = false}, kNone, ""},
           {{.remedy = "none", .differ = true, .has_ratio = false},
            despite,
            "the other results all the same"},
           {{.remedy = "none", .differ = true, .has_ratio = false, .despite = true}, kNone, ""},
           {{.remedy = "none", .despite = true}, kNone, ""},
           {{.remedy = "", .differ = true}, declare, "declares that all of these are the change"},
           {{.remedy = ""}, despite, "with this reason as evidence"},
           {{.remedy = "", .has_ratio = false}, kNone, ""},
           {{.remedy = "", .despite = true}, kNone, ""}}) {
    const std::string page = page_in_one_line(refused_in(state));
    EXPECT_EQ(next_on(page), next) << page;
    EXPECT_THAT(page, AllOf(HasSubstr("  received   REFUSED\n             "), HasSubstr(effect)));
  }
}

TEST(RefusalPages, say_why) {
  EXPECT_THAT(page_in_one_line(refused_in({.remedy = "declare", .differ = true})),
              HasSubstr("not compared: beside the change (module:hsr) these differ"));
  for (const State& state : {State{.remedy = "despite"}, State{.remedy = "none"},
                             State{.remedy = "none", .differ = true, .has_ratio = false}}) {
    EXPECT_THAT(page_in_one_line(refused_in(state)), HasSubstr("not compared. The first reason.\n"));
  }
  CompareView silent = refused_in({.remedy = "none"});
  silent.details.comparison.caveats.reset();
  EXPECT_THAT(page_in_one_line(silent), HasSubstr("REFUSED\n             not compared\n"));
}

// Who follows `none` with its command reaches a page that has no further one.
TEST(RefusalPages, lead_once_to_what_can_be_had) {
  State state{.remedy = "none", .differ = true, .has_ratio = false};
  ASSERT_THAT(next_on(page_in_one_line(refused_in(state))), HasSubstr(" --despite"));
  state.despite = true;
  EXPECT_EQ(next_on(page_in_one_line(refused_in(state))), kNone);
}

TEST(RefusalPages, of_several_figures_name_those_without_a_verdict) {
  CompareView view = samples::trade_off();
  ComparisonView& head = view.details.comparison;
  head.verdict = "refused";
  head.figures->back().verdict = "refused";
  head.remedy = "none";
  const std::string page = page_in_one_line(view);
  EXPECT_THAT(page,
              AllOf(HasSubstr("IMPROVEMENT"), HasSubstr("latency.p99 not compared: the evidence says why")));
  EXPECT_EQ(next_on(page), "none: no verdict on latency.p99 can be had from these runs");
  head.remedy = "despite";
  EXPECT_THAT(next_on(page_in_one_line(view)), HasSubstr(" --despite"));
}

TEST(RefusalPages, say_the_same_in_each_format) {
  const CompareView despite = refused_in({.remedy = "despite"}), none = refused_in({.remedy = "none"});
  EXPECT_THAT(compare_mail(despite),
              AllOf(HasSubstr("not compared. The first reason."), HasSubstr("--despite\n")));
  EXPECT_THAT(compare_mail(none), HasSubstr(std::string("  next       ") + kNone));
  EXPECT_THAT(compare_markdown(despite),
              AllOf(HasSubstr("not compared. The first reason."), HasSubstr("label:after --despite\n```")));
  EXPECT_THAT(compare_markdown(none), HasSubstr(kNone));
  EXPECT_THAT(
      compare_junit(despite),
      HasSubstr("refused: The first reason. Another one.; netperfctl compare label:before label:after "
                "--despite shows the numbers all the same"));
  EXPECT_THAT(compare_junit(none), HasSubstr(std::string("Another one.; ") + kNone));
  EXPECT_THAT(compare_junit(refused_in({.remedy = "none", .differ = true, .has_ratio = false})),
              HasSubstr("refused: The first reason. Another one.; netperfctl"))
      << "what differs is not why";
}

TEST(RefusalPages, of_another_verdict_offer_nothing) {
  for (const CompareView& view : {samples::offload_despite(), samples::one_run_a_side()}) {
    const std::string page = page_in_one_line(view);
    EXPECT_THAT(page, AllOf(Not(HasSubstr("not compared")), Not(HasSubstr("no verdict"))));
    EXPECT_THAT(next_on(page), testing::StartsWith("netperfctl selftest hsr-ring"));
  }
}

}  // namespace
}  // namespace netperfctl
