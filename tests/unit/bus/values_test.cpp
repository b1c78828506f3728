// SPDX-License-Identifier: GPL-2.0-or-later
// Conversion of values without a bus: options and texts.
#include <gmock/gmock.h>

#include "daemon/bus/options/options.hpp"
#include "daemon/bus/rows/wire_text.hpp"

namespace netperfd::bus {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

template <class T>
std::string refusal(const Result<T>& result) {
  if (result) return "accepted";
  return result.error().kind == ErrorKind::invalid_argument ? result.error().message
                                                            : "another kind of error";
}

TEST(StartOptions, are_all_read) {
  const auto parsed =
      parse_start_options({{"overrides", sdbus::Variant{std::vector<std::string>{"a=1", "b=2"}}},
                           {"label", sdbus::Variant{std::string{"before"}}},
                           {"repeat", sdbus::Variant{std::uint32_t{3}}},
                           {"tie_to_caller", sdbus::Variant{true}},
                           {"plan", sdbus::Variant{dbus::Row{{"effect", sdbus::Variant{0.04}}}}}});
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_TRUE(parsed->plan);
  EXPECT_EQ(parsed->plan->effect, 0.04);
  EXPECT_THAT(parsed->job.overrides, ElementsAre("a=1", "b=2"));
  EXPECT_EQ(parsed->job.label, "before");
  EXPECT_EQ(parsed->job.repeat, 3U);
  EXPECT_TRUE(parsed->tie_to_caller);
}

TEST(StartOptions, have_defaults) {
  const auto parsed = parse_start_options({});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(parsed->job.overrides.empty());
  EXPECT_FALSE(parsed->job.label);
  EXPECT_FALSE(parsed->job.repeat);
  EXPECT_FALSE(parsed->tie_to_caller);
  EXPECT_FALSE(parsed->plan);
}

TEST(StartOptions, a_wrong_type_is_told_with_the_expected_one) {
  EXPECT_EQ(refusal(parse_start_options({{"repeat", sdbus::Variant{std::int32_t{3}}}})),
            "option \"repeat\" has the D-Bus type i; expected is an unsigned 32-bit number, u");
  EXPECT_EQ(refusal(parse_start_options({{"overrides", sdbus::Variant{std::string{"a=1"}}}})),
            "option \"overrides\" has the D-Bus type s; expected is a list of strings, as");
  EXPECT_EQ(refusal(parse_start_options({{"tie_to_caller", sdbus::Variant{std::string{"yes"}}}})),
            "option \"tie_to_caller\" has the D-Bus type s; expected is a boolean, b");
  EXPECT_EQ(refusal(parse_start_options(
                {{"plan", sdbus::Variant{dbus::Row{{"effect", sdbus::Variant{std::string{"4%"}}}}}}})),
            "option \"effect\" has the D-Bus type s; expected is a floating-point number, d");
}

TEST(StartOptions, are_limited) {
  const auto overrides = [](std::size_t count, std::size_t bytes) {
    return parse_start_options(
        {{"overrides", sdbus::Variant{std::vector<std::string>(count, std::string(bytes, 'x'))}}});
  };
  EXPECT_EQ(refusal(overrides(64, 1024)), "accepted");
  EXPECT_EQ(refusal(overrides(65, 1)), "overrides: 65 of them; at most 64 are allowed");
  EXPECT_EQ(refusal(overrides(1, 1025)), "overrides: 1025 bytes long; at most 1024 are allowed");
  const auto label = [](const std::string& text) {
    return parse_start_options({{"label", sdbus::Variant{text}}});
  };
  EXPECT_EQ(refusal(label(std::string(256, 'x'))), "accepted");
  EXPECT_EQ(refusal(label(std::string(257, 'x'))), "label: 257 bytes long; at most 256 are allowed");
  EXPECT_EQ(refusal(label("be\u202Efore")),
            "label: character 3 is U+202E, which cannot be seen and can make the text look like another one");
  EXPECT_EQ(refusal(label("a\nb")),
            "label: character 2 is U+000A, a control character: the text must be one line");
}

TEST(RunFilter, an_unknown_key_or_state_is_named_beside_the_allowed_ones) {
  EXPECT_EQ(refusal(parse_run_filter({{"states", sdbus::Variant{std::string{"x"}}}}, 1000)),
            "unknown filter \"states\"; allowed are job, scenario, label, state, purpose, variant, traced, "
            "since, until, owner, selection");
  EXPECT_THAT(refusal(parse_run_filter({{"state", sdbus::Variant{std::string{"done"}}}}, 1000)),
              HasSubstr("\"done\" is not a state of a run; allowed are pending, "));
  EXPECT_EQ(refusal(parse_run_filter({{"since", sdbus::Variant{std::string{"today"}}}}, 1000)),
            "filter \"since\" has the D-Bus type s; expected is an unsigned 64-bit number, t");
  EXPECT_THAT(refusal(parse_run_filter({{"until", sdbus::Variant{~std::uint64_t{0}}}}, 1000)),
              HasSubstr("is not a time"));
}

// Somebody reads the error in a terminal.
TEST(RunFilter, an_error_has_no_control_character_of_what_it_quotes) {
  const std::string hostile = "\x1b[31m";
  const sdbus::Variant value{hostile};
  EXPECT_THAT(refusal(parse_run_filter({{hostile, value}}, 1000)),
              StartsWith("unknown filter \"\\x1b[31m\"; "));
  EXPECT_THAT(refusal(parse_run_filter({{"state", value}}, 1000)), HasSubstr("\"\\x1b[31m\" is not a state"));
  EXPECT_THAT(refusal(parse_run_filter({{"purpose", value}}, 1000)),
              HasSubstr("\"\\x1b[31m\" is no purpose"));
  EXPECT_THAT(refusal(parse_run_filter({{"owner", value}}, 1000)),
              StartsWith("\"owner:\\x1b[31m\": expected is owner:UID"));
  EXPECT_THAT(refusal(parse_audit_filter({{"outcome", value}})), HasSubstr("\"\\x1b[31m\" is not an"));
  EXPECT_THAT(refusal(parse_cursor(hostile)), StartsWith("cursor: \"\\x1b[31m\" does not"));
}

TEST(RunFilter, a_selection_of_another_type_is_refused_like_any_key) {
  EXPECT_EQ(refusal(parse_listed_selection({{"selection", sdbus::Variant{0.5}}}, 1000)),
            "filter \"selection\" has the D-Bus type d; expected is a string, s");
}

TEST(RunFilter, a_job_number_beyond_the_stores_passes_nothing) {
  const auto parsed = parse_run_filter({{"job", sdbus::Variant{~std::uint64_t{0}}}}, 1000);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->job, std::numeric_limits<JobId>::max());
}

TEST(WireText, leaves_good_text_alone) {
  for (const std::string text :
       {"", "plain", "tab\tand\nline", "gr\u00fc\u00df", "\u20ac", "\U0001F600", "\uFFFD"}) {
    EXPECT_EQ(wire_text(text, 100), text);
  }
}

TEST(WireText, replaces_each_byte_that_d_bus_refuses) {
  EXPECT_EQ(wire_text("a\xFFz", 100), "a\uFFFDz");
  EXPECT_EQ(wire_text(std::string{"a\0z", 3}, 100), "a\uFFFDz");
  EXPECT_EQ(wire_text("\xC0\xAF", 100), "\uFFFD\uFFFD");                      // overlong
  EXPECT_EQ(wire_text("\xED\xA0\x80", 100), "\uFFFD\uFFFD\uFFFD");            // a surrogate
  EXPECT_EQ(wire_text("\xEF\xBF\xBE", 100), "\uFFFD\uFFFD\uFFFD");            // U+FFFE
  EXPECT_EQ(wire_text("\xEF\xB7\x90", 100), "\uFFFD\uFFFD\uFFFD");            // U+FDD0
  EXPECT_EQ(wire_text("\xF0\x9F\xBF\xBF", 100), "\uFFFD\uFFFD\uFFFD\uFFFD");  // U+1FFFF
  EXPECT_EQ(wire_text("\xF4\x90\x80\x80", 100), "\uFFFD\uFFFD\uFFFD\uFFFD");  // beyond U+10FFFF
  EXPECT_EQ(wire_text("z\xE2\x82", 100), "z\uFFFD\uFFFD");                    // incomplete at the end
}

TEST(WireText, is_cut_between_characters_within_its_limit) {
  EXPECT_EQ(wire_text("12345678", 8), "12345678");
  EXPECT_EQ(wire_text("123456789", 8), "12345\u2026");
  EXPECT_EQ(wire_text("\u20ac\u20ac\u20ac", 8), "\u20ac\u2026");
}

TEST(WireText, makes_only_what_sd_bus_takes) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string text{static_cast<char>(first), static_cast<char>(second), '\xBF', '\xBF', 'z'};
      EXPECT_NO_THROW(sdbus::Variant{wire_text(text, 100)}) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace netperfd::bus
