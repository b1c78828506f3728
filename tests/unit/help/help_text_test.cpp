// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/help/help_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "client/help/verb_table.hpp"
#include "client/terminal/text.hpp"
#include "tests/unit/help/support.hpp"

namespace netperfctl {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string help_of(const std::string& verb, std::size_t width) {
  return help_text(page_of(verb.empty() ? parser() : *verb_of(parser(), verb)), width);
}

TEST(HelpText, explains_each_verb_under_its_task) {
  const auto verbs =
      parser().get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
  ASSERT_GT(verbs.size(), 20U);
  for (const CLI::App* verb : verbs) {
    const VerbText* const text = text_of_verb(verb->get_name());
    ASSERT_NE(text, nullptr) << verb->get_name() << " is missing in client/help/verb_table.cpp";
    EXPECT_FALSE(text->details.empty()) << verb->get_name();
  }
  EXPECT_EQ(verb_texts().size(), verbs.size());
  const std::string help = help_of("", 80);
  EXPECT_LT(help.find("Measure:"), help.find("  start "));
  EXPECT_LT(help.find("  start "), help.find("Read what was measured:"));
  EXPECT_LT(help.find("Read what was measured:"), help.find("  compare "));
  EXPECT_LT(help.find("  compare "), help.find("Ask about this machine:"));
  EXPECT_LT(help.find("Ask about this machine:"), help.find("  doctor "));
}

TEST(HelpText, fits_into_the_width_of_the_terminal) {
  for (const VerbText& text : verb_texts()) {
    for (const std::size_t width : {40U, 60U, 80U, 100U}) {
      std::istringstream lines{help_of(std::string{text.verb}, width)};
      bool example = false;
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(' ')) example = line == "Example:";
        if (!example) {
          EXPECT_LE(display_width(line), width) << text.verb << ": " << line;
        }
      }
    }
  }
}

TEST(HelpText, has_no_words_of_the_parser) {
  for (const VerbText& text : verb_texts()) {
    EXPECT_THAT(help_of(std::string{text.verb}, 80),
                Not(testing::AnyOf(HasSubstr("->"), HasSubstr("{regression"), HasSubstr("Subcommand"),
                                   HasSubstr("Excludes"), HasSubstr("REQUIRED"))));
  }
}

TEST(HelpText, of_a_verb_has_its_usage_options_examples_and_exit_codes) {
  const std::string help = help_of("start", 80);
  EXPECT_THAT(help, testing::StartsWith("Usage: netperfctl start [OPTION...] SCENARIO|FILE\n"));
  EXPECT_THAT(help, HasSubstr("\n  --set KEY=VALUE "));
  EXPECT_THAT(help, HasSubstr("\n  -o, --output FORMAT "));
  EXPECT_THAT(help, HasSubstr("\n  netperfctl start veth-tcp --label before --repeat 5\n"));
  EXPECT_THAT(help, HasSubstr("\n   10  somebody canceled the job\n"));
  EXPECT_THAT(help_of("show", 80), Not(HasSubstr("somebody canceled")));
  EXPECT_THAT(help_of("delete", 80), HasSubstr("Usage: netperfctl delete [OPTION...] RUN...\n"));
}

TEST(ExitCodes, have_one_meaning_each_and_the_documentation_has_the_same) {
  std::map<int, std::string> meanings;
  for (const ExitCode& code : exit_codes()) {
    EXPECT_TRUE(meanings.emplace(static_cast<int>(code.exit), code.meaning).second);
    EXPECT_THAT(std::string{code.meaning}, Not(HasSubstr("also:")));
  }
  std::ifstream file{NETPERFD_TEST_DATA "/../../docs/netperfctl.md"};
  const std::string docs{std::istreambuf_iterator<char>{file}, {}};
  const std::string table = docs.substr(docs.find("## Exit codes"));
  const std::string part = table.substr(0, table.find("\n## "));
  static const std::regex kRow{R"(\| (\d+) \| ([^|]+) \|)"};
  std::map<int, std::string> documented;
  for (std::sregex_iterator row{part.begin(), part.end(), kRow}; row != std::sregex_iterator{}; ++row)
    documented.emplace(std::stoi((*row)[1]), (*row)[2]);
  EXPECT_EQ(documented, meanings);
}

}  // namespace
}  // namespace netperfctl
