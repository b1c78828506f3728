// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of any size are written without an exponent, by everything that writes figures of pages.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/base/command_words.hpp"
#include "client/pages/comparison_answer.hpp"
#include "client/pages/comparison_tables.hpp"
#include "client/pages/named_figures_text.hpp"
#include "client/terminal/units.hpp"
#include "dbus/rows/plain_number.hpp"

namespace netperfctl {
namespace {

using netperfd::rows::plain_number;

// "1e+02", "5e-05".
bool has_exponent(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == 'e' && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0) return true;
  }
  return false;
}

using FigureFormat = std::function<std::string(double)>;

std::vector<std::pair<std::string, FigureFormat>> formats() {
  std::vector<std::pair<std::string, FigureFormat>> all{
      {"format_rate", format_rate},
      {"format_rate_like", [](double value) { return format_rate_like(value, 1e9); }},
      {"format_short", format_short},
      {"format_percent", format_percent},
      {"format_share", format_share},
      {"format_milliseconds", format_milliseconds},
      {"format_figure", format_figure},
      {"format_hundredths", format_hundredths},
      {"format_seconds", format_seconds},
      {"format_probability", format_probability},
      {"power_words", power_words},
      {"percent_text", percent_text},
      {"signed_percent", comparing::signed_percent},
      {"signed_figure", comparing::signed_figure},
      {"probability_text", comparing::probability_text},
      {"format_cost", comparing::format_cost},
      {"figure_words",
       [](double value) {
         return show::figure_words(
             NamedFigureView{.name = "it", .unit = {}, .better = "lower", .value = value});
       }},
  };
  for (const char* unit : {"bits_per_second", "ns", "share", "ns_per_byte", "per_second", "bytes_per_second",
                           "ns_per_second", "per_gigabyte", "of_its_own", ""}) {
    all.emplace_back(std::string("in_unit ") + unit,
                     [unit](double value) { return comparing::in_unit(unit, value); });
  }
  return all;
}

TEST(Figures, of_any_size_have_no_exponent) {
  for (const auto& [name, format] : formats()) {
    for (int power = -15; power <= 15; ++power) {
      for (const double digits : {1.0, 1.5, 5.321, 9.95, 9.96, 9.996, 9.9996}) {
        const double value = digits * std::pow(10, power);
        EXPECT_FALSE(has_exponent(format(value))) << name << " of " << value << ": " << format(value);
      }
    }
  }
}

TEST(Figures, of_differences_have_none_below_0) {
  for (int power = -15; power <= 15; ++power) {
    const double value = -9.96 * std::pow(10, power);
    for (const std::string& text :
         {format_percent(value), format_short(value), format_milliseconds(value), format_figure(value),
          comparing::signed_figure(value), comparing::interval_text(value, -value), plain_number(value, 2)}) {
      EXPECT_FALSE(has_exponent(text)) << text;
    }
  }
}

TEST(Figures, whole_ones_have_none) {
  for (std::uint64_t value = 1; value < std::numeric_limits<std::uint64_t>::max() / 10; value *= 10) {
    for (const std::string& text :
         {format_count(value), format_bytes(value - 1), format_as_milliseconds(value)}) {
      EXPECT_FALSE(has_exponent(text)) << text;
    }
  }
}

TEST(PlainNumber, has_its_digits_and_no_zeros_behind_them) {
  EXPECT_EQ(plain_number(99.92, 2), "100");
  EXPECT_EQ(plain_number(99.92, 3), "99.9");
  EXPECT_EQ(plain_number(5321, 2), "5321");
  EXPECT_EQ(plain_number(20, 2), "20");
  EXPECT_EQ(plain_number(1e6, 6), "1000000");
  EXPECT_EQ(plain_number(0.1, 6), "0.1");
  EXPECT_EQ(plain_number(0.0000123, 2), "0.000012");
  EXPECT_EQ(plain_number(-0.5, 1), "-0.5");
  EXPECT_EQ(plain_number(0, 3), "0");
  EXPECT_EQ(plain_number(1e-30, 3), "<0.000000000000000001");
  EXPECT_EQ(plain_number(-1e-30, 3), ">-0.000000000000000001");
  EXPECT_EQ(plain_number(std::numeric_limits<double>::max(), 1).size(), 309U);
  EXPECT_EQ(plain_number(std::numeric_limits<double>::infinity(), 1), "inf");
}

TEST(Figures, that_round_up_to_100_are_100) {
  EXPECT_EQ(format_short(99.7), "100");
  EXPECT_EQ(format_percent(99.9), "100 %");
  EXPECT_EQ(format_percent(0.00001), "0.00001 %");
  EXPECT_EQ(format_milliseconds(0.000001), "0.000001 ms");
  EXPECT_EQ(comparing::signed_figure(-0.00004), "-0.00004");
  EXPECT_EQ(percent_text(0.00000001), "0.000001 %");
  EXPECT_EQ(percent_text(0.01), "1 %");
}

}  // namespace
}  // namespace netperfctl
