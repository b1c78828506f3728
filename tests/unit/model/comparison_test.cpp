// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/comparison.hpp"

#include <gmock/gmock.h>

namespace netperfd {
namespace {

// Other programs compare these words, so they must not change.
TEST(Comparison, is_told_in_words_that_stay) {
  EXPECT_EQ(to_string(Verdict::improvement), "improvement");
  EXPECT_EQ(to_string(Verdict::regression), "regression");
  EXPECT_EQ(to_string(Verdict::equivalent), "equivalent");
  EXPECT_EQ(to_string(Verdict::inconclusive), "inconclusive");
  EXPECT_EQ(to_string(Verdict::too_few), "too few");
  EXPECT_EQ(to_string(Verdict::refused), "refused");
  EXPECT_EQ(to_string(Pairing::blocks), "blocks");
  EXPECT_EQ(to_string(Pairing::runs), "runs");
  EXPECT_EQ(to_string(Pairing::boots), "boots");
  EXPECT_EQ(to_string(FunctionMatch::same), "same");
  EXPECT_EQ(to_string(FunctionMatch::renamed), "renamed");
  EXPECT_EQ(to_string(FunctionMatch::only_a), "only A");
  EXPECT_EQ(to_string(FunctionMatch::only_b), "only B");
  EXPECT_EQ(to_string(FunctionFigure::cost), "cost");
  EXPECT_EQ(to_string(FunctionFigure::call_time), "call time");
  EXPECT_EQ(to_string(FunctionFigure::calls), "calls");
}

}  // namespace
}  // namespace netperfd
