// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace netperfd::config {

using namespace keys;

namespace {

using namespace std::string_literals;
using testing::HasSubstr;

std::string error_of(const std::string& text) {
  Complaints complaints("f");
  const auto node = parse_yaml(text, complaints);
  EXPECT_EQ(node.has_value() && !complaints.empty(), text.contains("twice")) << text;
  return complaints.empty() ? "" : complaints.to_error().message;
}

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string text;
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

TEST(Yaml, knows_the_place_of_every_key_and_value) {
  Complaints complaints("f");
  const auto root = parse_yaml("a: 1\nb:\n  c:   [x, 'y']\n", complaints);
  ASSERT_TRUE(root);
  const YamlEntry* c = root->find("b")->value.find("c");
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(c->place.line, 3);
  EXPECT_EQ(c->place.column, 3);
  EXPECT_EQ(c->value.place.column, 8);
  EXPECT_EQ(c->value.items.at(1).place.column, 12);
  EXPECT_TRUE(c->value.items.at(1).quoted);
  EXPECT_FALSE(c->value.items.at(0).quoted);
  EXPECT_EQ(root->find("z"), nullptr);
}

TEST(Yaml, without_content_is_null) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n", "---\n...\n", "~"}) {
    Complaints complaints("f");
    const auto root = parse_yaml(text, complaints);
    ASSERT_TRUE(root) << text;
    EXPECT_EQ(root->kind, YamlNode::Kind::null) << text;
  }
}

TEST(Yaml, refuses_what_it_does_not_need) {
  struct Case {
    std::string text;
    std::string error;
  };
  const Case cases[] = {
      {"a: 1\n---\nb: 2\n", "f:2:1: a second document"},
      {"a: 1\n---\n", "a second document"},
      {"a: &x 1\nb: *x\n", "f:1:4: an anchor"},
      {"a: &x [1]\n", "an anchor"},
      {"&x a: 1\n", "an anchor"},
      {"a: *x\n", "f:1:4: "},
      {"<<: *x\n", "f:1:5: "},
      {"a: !!str 1\n", "f:1:4: a tag"},
      {"a: !x {b: 1}\n", "a tag"},
      {"a: !!binary aGk=\n", "a tag"},
      {"? [a]\n: 1\n", "a key must be a word"},
      {"~: 1\n", "a key must be a word"},
      {"a:\n\tb: 1\n", "f:2:1: a tab"},
      {"a:\n  \tb: 1\n", "f:2:3: a tab"},
      {"\xEF\xBB\xBF"
       "a: 1\n",
       "f:1:1: begins with a byte order mark"},
      {"\xFF\xFE"
       "a\0:\0"s,
       "f:1:1: in this line character 1 is not UTF-8"},
      {"a: 1\nb: \xC3(\n", "f:2:1: in this line character 4 is not UTF-8"},
      {"a: 1\nb: x\0y\n"s, "f:2:1: in this line character 5 is U+0000"},
      {"a: \x1B[2J\n", "control character"},
      {"a: b\rc: d\n", "control character"},
      {"a: 1  # \u2066of nothing\n", "f:1:1: in this line character 9 is U+2066"},
      {"a: [1\n", "f:"},
      {"a: 'x\n", "f:1:"},
      {"a: \"x\nb: 1\n\n", "f:2:"},
      {"a: b: c\n", "f:1:"},
      {"a\nb: 1\n", "f:"},
      {"%YAML 9.9\n---\na: 1\n", "f:"},
      {"twice: 1\nb: 2\ntwice: 3\n", "f:3:1: \"twice\" stands here a second time; the first is in line 1"},
      {"a: \"\\uD800\"\n", "f:1:"},
  };
  for (const Case& c : cases) EXPECT_THAT(error_of(c.text), HasSubstr(c.error)) << c.text;
}

TEST(Yaml, takes_windows_line_ends_and_tabs_between_words) {
  EXPECT_EQ(error_of("a: 1\r\nb:\t2\t# note\r\n"), "");
}

TEST(Yaml, is_bounded_in_size) {
  EXPECT_EQ(error_of("a: " + std::string(kMaxYamlBytes - 3, 'x')), "");
  EXPECT_THAT(error_of("a: " + std::string(kMaxYamlBytes - 2, 'x')), HasSubstr("larger than 65536 bytes"));
}

// Each of these would overflow the stack or fill the memory of a parser without limits.
TEST(Yaml, survives_deep_and_wide_texts) {
  for (const char* part :
       {"[", "{", "- ", "? ", "a: [", "{a: ", "[{", "!a ", "&a ", "*a ", "- - ? ", "[a: ", ": "}) {
    EXPECT_NE(error_of(repeated(part, kMaxYamlBytes)), "") << part;
  }
  EXPECT_THAT(error_of("[" + repeated("a, ", 60'000) + "a]"), HasSubstr("more than 2000 values"));
  std::string indented;
  for (std::size_t depth = 0; depth < 200; ++depth) indented += std::string(depth, ' ') + "a:\n";
  EXPECT_THAT(error_of(indented), HasSubstr("more than 16 levels"));
  for (const char* part :
       {"\"", "'", "]", "}", ",", "|\n", ">\n", "#", "%", "@", "`", "---\n", "...\n", "\\", "a:\n"}) {
    error_of(part == "a:\n"s ? "x: 1" : repeated(part, kMaxYamlBytes));
  }
}

// yaml-cpp must neither crash nor hang on any text of a caller; under the sanitizers this is a small fuzzer.
TEST(Yaml, survives_mutations_of_a_job) {
  const std::string seed =
      "name: a\nworkload:\n  iperf3:\n    local: {netns: 'r', bind: \"10.0.0.2\"}\n"
      "    affinity: [1, 2]\n    x: >-\n      folded\n    y: |\n      block\n";
  const std::string alphabet = "{}[],:?-#&*!|>'\"%@`\\ \nab0~.<=";
  std::uint32_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 1'664'525U + 1'013'904'223U;
    return static_cast<std::size_t>(state >> 8U) % below;
  };
  int read = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string text = seed;
    for (std::size_t i = 0; i < 1 + random(8); ++i) {
      const std::size_t at = random(text.size());
      switch (random(3)) {
        case 0:
          text[at] = alphabet[random(alphabet.size())];
          break;
        case 1:
          text.insert(at, 1, alphabet[random(alphabet.size())]);
          break;
        default:
          text.erase(at, 1 + random(4));
          break;
      }
    }
    Complaints complaints("f");
    const auto root = parse_yaml(text, complaints);
    if (!root || !complaints.empty()) continue;
    ++read;
    const std::string emitted = emit_yaml(*root);
    const auto again = parse_yaml(emitted, complaints);
    ASSERT_TRUE(again) << text << "\n=>\n" << emitted << complaints.to_error().message;
    ASSERT_EQ(emit_yaml(*again), emitted) << text;
  }
  EXPECT_GT(read, 100) << "the mutations are so wild that nothing is left to emit";
}

}  // namespace
}  // namespace netperfd::config
