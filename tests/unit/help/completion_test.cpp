// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/help/completion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "client/help/shell_words.hpp"
#include "tests/unit/help/support.hpp"

namespace netperfctl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using Words = std::vector<std::string>;

// A daemon that has these labels, and of everything else one.
std::vector<Candidate> live(const LiveQuestion& question) {
  switch (question.kind) {
    case Live::labels:
      return {{"before", ""},   {"before lunch", ""}, {"it's $(touch x)", ""},
              {"--detach", ""}, {"two\nlines", ""},   {"\xff", ""}};
    case Live::scenarios:
      return {{"veth-tcp", "TCP"}, {"veth-udp", "UDP"}};
    case Live::runs:
      return {{"41", "veth-tcp"}, {"42", "veth-tcp"}, {"last", ""}};
    case Live::jobs:
      return {{"7", ""}};
    case Live::job_numbers:
      return {{"7", ""}, {"6", ""}};
    case Live::owners:
      return {{"alice", ""}, {"me", ""}, {"any", ""}};
    case Live::modules:
      return {{"hsr", ""}};
    case Live::functions:
      return {{question.module + "_forward_skb", ""}};
    case Live::events:
      return {{"skb:kfree_skb", ""}};
  }
  return {};
}

Words completed(const Words& typed) {
  Words words;
  for (const Candidate& one : complete(parser(), typed, live).candidates) words.push_back(one.word);
  return words;
}

TEST(Completion, offers_the_verbs) {
  EXPECT_THAT(completed({"s"}), ElementsAre("scenarios", "start", "selftest", "stop", "show"));
  EXPECT_THAT(completed({"help", "sh"}), ElementsAre("show"));
  EXPECT_THAT(completed({"-o", "json", "sh"}), ElementsAre("show"));
  EXPECT_THAT(completed({"nonsense", ""}), IsEmpty());
}

TEST(Completion, offers_the_options_of_the_verb_and_of_every_verb) {
  EXPECT_THAT(completed({"start", "--la"}), ElementsAre("--label"));
  EXPECT_THAT(completed({"show", "--"}),
              testing::AllOf(Contains("--functions"), Contains("--output"), Not(Contains("--label"))));
  EXPECT_THAT(completed({"start", "--", "--la"}), IsEmpty());
}

TEST(Completion, offers_the_values_of_an_option) {
  EXPECT_THAT(completed({"runs", "-o", ""}), ElementsAre("table", "json", "csv"));
  EXPECT_THAT(completed({"runs", "--output=j"}), ElementsAre("--output=json"));
  EXPECT_THAT(completed({"compare", "1", "2", "--fail-on", "reg"}), ElementsAre("regression"));
  EXPECT_THAT(completed({"log", "--outcome", ""}), ElementsAre("allowed", "refused", "failed"));
  EXPECT_THAT(completed({"start", "--repeat", ""}), IsEmpty());
}

TEST(Completion, offers_what_the_daemon_knows) {
  EXPECT_THAT(completed({"start", "veth-u"}), ElementsAre("veth-udp"));
  EXPECT_THAT(completed({"runs", "--scenario", "veth-t"}), ElementsAre("veth-tcp"));
  EXPECT_THAT(completed({"show", ""}), ElementsAre("41", "42", "last"));
  EXPECT_THAT(completed({"delete", "41", ""}), ElementsAre("41", "42"));
  EXPECT_THAT(completed({"stop", ""}), ElementsAre("7", "last"));
  EXPECT_THAT(completed({"hold", ""}), ElementsAre("7", "last"));
  EXPECT_THAT(completed({"release", ""}), ElementsAre("7", "last"));
  EXPECT_THAT(completed({"undo", ""}), ElementsAre("7", "6", "last"));
  EXPECT_THAT(completed({"runs", "--job", ""}), ElementsAre("7", "6"));
  EXPECT_THAT(completed({"events", "skb"}), ElementsAre("skb:kfree_skb"));
  EXPECT_THAT(completed({"functions", "--module", "hsr", "hsr_"}), ElementsAre("hsr_forward_skb"));
  EXPECT_TRUE(complete(parser(), Words{"start", ""}, live).files);
  EXPECT_FALSE(complete(parser(), Words{"show", ""}, live).files);
}

TEST(Completion, offers_terms_of_a_selection) {
  EXPECT_THAT(completed({"compare", "la"}), ElementsAre("last", "label:"));
  EXPECT_THAT(completed({"compare", "label:bef"}), ElementsAre("label:before", "label:\"before lunch\""));
  EXPECT_THAT(completed({"compare", "41", "scenario:veth-u"}), ElementsAre("scenario:veth-udp"));
  EXPECT_THAT(completed({"compare", "ow"}), ElementsAre("owner:"));
  EXPECT_THAT(completed({"runs", "owner:a"}), ElementsAre("owner:alice", "owner:any"));
  EXPECT_THAT(completed({"plan", "veth-tcp", "--runs", "owner:m"}), ElementsAre("owner:me"));
  EXPECT_THAT(completed({"runs", "--owner", ""}), ElementsAre("alice", "me", "any"));
}

TEST(Completion, leaves_out_words_that_cannot_be_typed_or_would_be_options) {
  EXPECT_THAT(completed({"runs", "--label", ""}), ElementsAre("before", "before lunch", "it's $(touch x)"));
}

TEST(Completion, is_bounded) {
  const LiveWords many = [](const LiveQuestion&) { return std::vector<Candidate>(100'000, {"1", ""}); };
  EXPECT_EQ(complete(parser(), Words{"show", ""}, many).candidates.size(), kMostCandidates);
}

TEST(CompletionLines, are_quoted_for_bash_only) {
  const auto lines = [](const Words& words) { return completion_lines(parser(), words, live); };
  EXPECT_EQ(lines({"bash", "runs", "--label", "bef"}), "words\nbefore\nbefore\\ lunch\n");
  EXPECT_EQ(lines({"bash", "runs", "--label", "'bef"}), "words\nbefore\nbefore lunch\n");
  EXPECT_EQ(lines({"bash", "runs", "--label", "it"}), "words\nit\\'s\\ \\$\\(touch\\ x\\)\n");
  EXPECT_EQ(lines({"zsh", "runs", "--label", "it"}), "words\nit's $(touch x)\t\n");
  EXPECT_EQ(lines({"fish", "start", "veth-u"}), "files\nveth-udp\tUDP\n");
  EXPECT_EQ(lines({"tcsh", "start", "veth-u"}), "");
}

TEST(ShellWords, read_what_was_typed_without_expanding_it) {
  EXPECT_EQ(typed_word(R"(a\ b)")->text, "a b");
  EXPECT_EQ(typed_word(R"x("a $(x)")x")->text, "a $(x)");
  EXPECT_EQ(typed_word(R"("a b)")->quote, '"');
  EXPECT_EQ(typed_word(R"('a b)")->text, "a b");
  EXPECT_FALSE(typed_word(R"(label:"a b)"));
}

TEST(ShellWords, are_written_so_that_bash_takes_them_literally) {
  EXPECT_EQ(for_bash("a b", 0), "a\\ b");
  EXPECT_EQ(for_bash("it's", '\''), "it'\\''s");
  EXPECT_EQ(for_bash("$x`y`\"!", '"'), "\\$x\\`y\\`\\\"\"'!'\"");
  EXPECT_EQ(for_bash("grün", 0), "grün");
}

}  // namespace
}  // namespace netperfctl
