// SPDX-License-Identifier: GPL-2.0-or-later
// What a shell's completion gets of the real daemon: its words, quickly, and nothing if it does not answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/system/harness/process.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

class Completion : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({});
    const std::string content = read_text(NETPERFD_TEST_DATA "/iperf3/3.12/tcp-send.out");
    const std::string file = lab().directory().write("document", content);
    for (const char* label : {"before lunch", "$(touch evil)"}) {
      const Outcome imported = lab().ctl({"import", file, "--label", label, "--name", "old"});
      if (imported.code != 0) throw std::runtime_error(imported.err);
    }
  }

  static Outcome complete(std::vector<std::string> words) {
    words.insert(words.begin(), {"__complete", "bash"});
    return lab().ctl(words);
  }
};

TEST_F(Completion, has_the_words_of_the_daemon_quoted_for_the_shell) {
  EXPECT_EQ(complete({"runs", "--label", ""}).out, "words\n\\$\\(touch\\ evil\\)\nbefore\\ lunch\n");
  EXPECT_EQ(complete({"compare", "label:bef"}).out, "words\nlabel:\\\"before\\ lunch\\\"\n");
  EXPECT_THAT(complete({"start", "loc"}).out, testing::StartsWith("files\nlocal\n"));
  EXPECT_EQ(complete({"show", ""}).out, "words\n2\n1\nlast\n");
}

TEST_F(Completion, has_a_line_a_word_however_narrow_the_screen_is) {
  const std::vector<std::string> options{"__complete", "fish", "start", "local", "--"};
  const Outcome narrow = lab().narrow_ctl(options);
  EXPECT_THAT(narrow.out, testing::ContainsRegex("\n--[a-z-]+\t[^\n]{40}"));
  EXPECT_EQ(narrow.out, lab().ctl(options).out);
}

TEST_F(Completion, of_a_daemon_that_hangs_ends_within_seconds_and_says_nothing) {
  lab().netperfd().process().signal(SIGSTOP);
  const Outcome outcome = complete({"show", ""});
  lab().netperfd().process().signal(SIGCONT);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("1")));
}

TEST_F(Completion, without_a_daemon_starts_none_and_says_nothing) {
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  const Outcome outcome = complete({"show", ""});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "words\n");
  lab().start_netperfd();
}

}  // namespace
}  // namespace netperfd::system_test
