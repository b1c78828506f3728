// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/confirmation.hpp"

#include <gmock/gmock.h>

namespace netperfctl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FunctionDeltaView row(const std::string& function, double shift, std::optional<double> p_adjusted,
                      const std::string& match = "same") {
  FunctionDeltaView delta;
  delta.function = function;
  delta.shift = shift;
  delta.low = shift - 0.5;
  delta.high = shift + 0.5;
  delta.p_adjusted = p_adjusted;
  delta.match = match;
  return delta;
}

TEST(Suspects, are_all_functions_beyond_chance) {
  ComparisonDetails details;
  details.functions = {row("hsr_get_node.isra.0", -112.8, 0.031), row("hsr_addr_subst_dest", -64.6, 0.05),
                       row("hsr_forward_skb", -0.9, 0.22), row("hsr_dev_xmit", 0.5, std::nullopt)};
  const Suspects found = suspects_of(details);
  EXPECT_TRUE(found.beyond_chance);
  EXPECT_THAT(found.functions, ElementsAre("hsr_get_node", "hsr_addr_subst_dest"));
  EXPECT_EQ(suspects_words(12, found),
            "job 12 suspects hsr_get_node, hsr_addr_subst_dest: they differ beyond chance.\n");
}

TEST(Suspects, are_the_three_largest_differences_where_none_is_beyond_chance) {
  ComparisonDetails details;
  details.functions = {
      row("only", -200, std::nullopt, "only A"),    row("a", 9, 0.2),          row("b", -8, 0.3),
      row("b.part.0", -7, std::nullopt, "renamed"), row("c", 6, std::nullopt), row("d", 5, 0.9)};
  const Suspects found = suspects_of(details);
  EXPECT_FALSE(found.beyond_chance);
  EXPECT_THAT(found.functions, ElementsAre("a", "b", "c"));
  EXPECT_THAT(suspects_words(12, found), HasSubstr("no function beyond chance"));
}

TEST(Suspects, are_none_without_functions) {
  EXPECT_THAT(suspects_of({}).functions, IsEmpty());
}

}  // namespace
}  // namespace netperfctl
