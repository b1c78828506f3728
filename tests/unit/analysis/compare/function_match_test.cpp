// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/function_match.hpp"

#include <gmock/gmock.h>

#include "tests/unit/analysis/compare/compared_runs.hpp"

namespace netperfd::analysis {
namespace {

ComparedFunction named(const std::string& name, const std::string& module = "hsr",
                       std::uint32_t duplicate = 0) {
  ComparedFunction function;
  function.name = name;
  function.module = module;
  function.duplicate = duplicate;
  return function;
}

ComparedRun run_of(const std::vector<ComparedFunction>& functions) {
  ComparedRun run;
  run.trace.emplace().functions = functions;
  return run;
}

std::string text(const FunctionMatches& matches) {
  std::string text;
  for (const MatchedFunction& function : matches.functions) {
    text += function.name + (function.name_b.empty() ? "" : "=" + function.name_b) + " " +
            std::string(to_string(function.match)) + "; ";
  }
  return text;
}

std::string matched(const std::vector<ComparedFunction>& a, const std::vector<ComparedFunction>& b) {
  const ComparedRun run_a = run_of(a), run_b = run_of(b);
  return text(match_functions({&run_a}, {&run_b}));
}

TEST(BaseName, is_without_what_compilers_append) {
  EXPECT_EQ(base_name("hsr_get_node"), "hsr_get_node");
  EXPECT_EQ(base_name("bpf_prog_6deef7357e7b4530_count"), "count");
  for (const char* other : {"bpf_prog_6deef7357e7b4530", "bpf_prog_6deef7357e7b4530_", "bpf_prog_get",
                            "bpf_prog_6deef7357e7b453x_count", "bpf_prog_6deef7357e7b45300count"})
    EXPECT_EQ(base_name(other), other);
  EXPECT_EQ(base_name("hsr_get_node.isra.0"), "hsr_get_node");
  EXPECT_EQ(base_name("hsr_get_node.constprop.12"), "hsr_get_node");
  EXPECT_EQ(base_name("hsr_get_node.part.0.isra.1"), "hsr_get_node");
  EXPECT_EQ(base_name("hsr_get_node.isra.0.cold"), "hsr_get_node");
  EXPECT_EQ(base_name("hsr_get_node.cold"), "hsr_get_node");
  EXPECT_EQ(base_name("hsr_get_node.llvm.1234567890"), "hsr_get_node");
}

TEST(BaseName, keeps_what_belongs_to_the_name) {
  EXPECT_EQ(base_name("counter.0"), "counter.0");
  EXPECT_EQ(base_name("x.islands.0"), "x.islands.0");
  EXPECT_EQ(base_name("x.isra.0a"), "x.isra.0a");
  EXPECT_EQ(base_name(".cold"), ".cold");
  EXPECT_EQ(base_name(""), "");
}

TEST(FunctionMatch, is_by_module_and_name) {
  EXPECT_EQ(matched({named("f"), named("g")}, {named("g"), named("f")}), "f same; g same; ");
  EXPECT_EQ(matched({named("f", "hsr")}, {named("f", "prp")}), "f only A; f only B; ");
}

TEST(FunctionMatch, of_a_clone_is_flagged_as_renamed) {
  EXPECT_EQ(matched({named("f")}, {named("f.isra.0")}), "f=f.isra.0 renamed; ");
  EXPECT_EQ(matched({named("f.part.0")}, {named("f.constprop.0")}), "f.part.0=f.constprop.0 renamed; ");
}

TEST(FunctionMatch, never_takes_a_clone_from_its_namesake) {
  EXPECT_EQ(matched({named("f")}, {named("f"), named("f.cold")}), "f same; f.cold only B; ");
}

TEST(FunctionMatch, of_several_candidates_is_none) {
  EXPECT_EQ(matched({named("f")}, {named("f.isra.0"), named("f.part.0")}),
            "f only A; f.isra.0 only B; f.part.0 only B; ");
}

TEST(FunctionMatch, keeps_functions_of_one_name_apart) {
  EXPECT_EQ(matched({named("f", "hsr", 1), named("f", "hsr", 2)}, {named("f", "hsr", 2)}),
            "f only A; f same; ");
  EXPECT_EQ(matched({named("f", "hsr", 0)}, {named("f", "hsr", 1)}), "f only A; f only B; ");
}

TEST(FunctionMatch, never_matches_what_has_no_symbol) {
  const ComparedRun a = run_of({named("p:3f9c21d0")}), b = run_of({named("p:3f9c21d0"), named("f")});
  const FunctionMatches matches = match_functions({&a}, {&b});
  EXPECT_EQ(text(matches), "f only B; ");
  EXPECT_EQ(matches.without_symbol, 2U);
}

TEST(FunctionMatch, tells_where_each_run_has_the_function) {
  const ComparedRun a1 = run_of({named("f"), named("g")}), a2 = run_of({named("g")}),
                    b = run_of({named("g"), named("f")});
  const FunctionMatches matches = match_functions({&a1, &a2}, {&b});
  ASSERT_EQ(matches.functions.size(), 2U);
  EXPECT_THAT(matches.functions[0].in_a, testing::ElementsAre(0U, std::nullopt));
  EXPECT_THAT(matches.functions[0].in_b, testing::ElementsAre(1U));
  EXPECT_THAT(matches.functions[1].in_a, testing::ElementsAre(1U, 0U));
}

}  // namespace
}  // namespace netperfd::analysis
