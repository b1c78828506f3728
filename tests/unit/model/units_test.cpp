// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/units.hpp"

#include <gtest/gtest.h>

namespace netperfd {
namespace {

using namespace std::chrono_literals;

TEST(Duration, is_a_number_with_its_unit) {
  EXPECT_EQ(parse_duration("250ms"), 250ms);
  EXPECT_EQ(parse_duration("10s"), 10s);
  EXPECT_EQ(parse_duration("2min"), 2min);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("1.5s"), 1500ms);
  EXPECT_EQ(parse_duration("0.25min"), 15s);
  EXPECT_EQ(parse_duration("0s"), 0s);
}

TEST(Duration, is_taken_exactly_or_not_at_all) {
  EXPECT_EQ(parse_duration("0.001s"), 1ms);
  EXPECT_EQ(parse_duration("0.0005s"), std::nullopt);
  EXPECT_EQ(parse_duration("0.5ms"), std::nullopt);
}

TEST(Duration, of_anything_else_is_nothing) {
  for (const char* text : {"",    "10",     "s",    "10x", "10 s",  " 10s", "10s ", "-1s",   "+1s", ".5s",
                           "1.s", "1.2.3s", "1e3s", "10S", "0x10s", "nan",  "inf",  "10sec", "10m", "1,5s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, that_would_overflow_is_nothing) {
  EXPECT_EQ(parse_duration("18446744073709551616ms"), std::nullopt);
  EXPECT_EQ(parse_duration("18446744073709551615h"), std::nullopt);
  EXPECT_EQ(parse_duration("9223372036854775808ms"), std::nullopt);
  EXPECT_EQ(parse_duration("0.00000000000000000000000000001s"), std::nullopt);
}

TEST(Bytes, count_in_1024) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("1448"), 1448U);
  EXPECT_EQ(parse_bytes("64K"), 65'536U);
  EXPECT_EQ(parse_bytes("64k"), 65'536U);
  EXPECT_EQ(parse_bytes("8M"), 8'388'608U);
  EXPECT_EQ(parse_bytes("1.5G"), 1'610'612'736U);
  EXPECT_EQ(parse_bytes("2T"), 2'199'023'255'552U);
  EXPECT_EQ(parse_bytes("18446744073709551615"), UINT64_MAX);
}

TEST(Bytes, are_whole) {
  EXPECT_EQ(parse_bytes("1.5"), std::nullopt);
  EXPECT_EQ(parse_bytes("0.3K"), std::nullopt);
  EXPECT_EQ(parse_bytes("0.5K"), 512U);
}

TEST(Bytes, of_anything_else_are_nothing) {
  for (const char* text : {"", "K", "1KB", "1Ki", "-1", "1 K", "1P", "18446744073709551616", "16777216T"}) {
    EXPECT_EQ(parse_bytes(text), std::nullopt) << text;
  }
}

TEST(BitRate, counts_in_1000) {
  EXPECT_EQ(parse_bit_rate("0"), 0U);
  EXPECT_EQ(parse_bit_rate("100M"), 100'000'000U);
  EXPECT_EQ(parse_bit_rate("2.5G"), 2'500'000'000U);
  EXPECT_EQ(parse_bit_rate("1k"), 1'000U);
  EXPECT_EQ(parse_bit_rate("1T"), 1'000'000'000'000U);
  EXPECT_EQ(parse_bit_rate("100Mbit"), std::nullopt);
}

TEST(ParsePercent, takes_a_percentage_exactly_or_not_at_all) {
  EXPECT_EQ(parse_percent("20%"), 0.2);
  EXPECT_EQ(parse_percent("2.5 %"), 0.025);
  EXPECT_EQ(parse_percent("0%"), 0.0);
  EXPECT_EQ(parse_percent("101%"), 1.01);
  for (const char* wrong : {"", "%", "20", "0.2", "-5%", "20%%", "20  %", "20 percent", "1e1%", "0.0001%"}) {
    EXPECT_EQ(parse_percent(wrong), std::nullopt) << wrong;
  }
}

TEST(FormatDuration, reads_as_people_say_it) {
  EXPECT_EQ(format_duration(0ms), "0 s");
  EXPECT_EQ(format_duration(250ms), "250 ms");
  EXPECT_EQ(format_duration(10s), "10 s");
  EXPECT_EQ(format_duration(1500ms), "1.5 s");
  EXPECT_EQ(format_duration(61s), "61 s");
  EXPECT_EQ(format_duration(10min), "10 min");
  EXPECT_EQ(format_duration(24h), "24 h");
  EXPECT_EQ(format_duration(86'420'001ms), "86420.001 s");
}

}  // namespace
}  // namespace netperfd
