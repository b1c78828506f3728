// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of any size are written without an exponent, by everything that writes figures of pages.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <cstddef>
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
using netperfd::rows::plain_percent;
using netperfd::rows::whole_percent;

// "1e+02", "5e-05".
bool has_exponent(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == 'e' && std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0) return true;
  }
  return false;
}

using FormatOfFigure = std::function<std::string(double)>;

std::vector<std::pair<std::string, FormatOfFigure>> formats() {
  std::vector<std::pair<std::string, FormatOfFigure>> all{
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

TEST(PlainPercent, is_not_100_below_it) {
  EXPECT_EQ(plain_percent(99.4, 2), "99");
  EXPECT_EQ(plain_percent(99.7, 2), "99.7");
  EXPECT_EQ(plain_percent(99.97, 2), "99.97");
  EXPECT_EQ(plain_percent(99.999, 2), "99.999");
  EXPECT_EQ(plain_percent(100, 2), "100");
  EXPECT_EQ(plain_percent(100 - 1e-13, 2), "100") << "as a sum of shares can be";
  EXPECT_EQ(plain_percent(163.4, 2), "163");
  EXPECT_EQ(plain_percent(0.000012, 2), "0.000012");
}

TEST(WholePercent, is_0_and_100_only_where_it_is_so) {
  EXPECT_EQ(whole_percent(0), "0");
  EXPECT_EQ(whole_percent(1e-13), "0");
  EXPECT_EQ(whole_percent(0.001), "<1");
  EXPECT_EQ(whole_percent(0.49), "<1");
  EXPECT_EQ(whole_percent(0.51), "1");
  EXPECT_EQ(whole_percent(99.49), "99");
  EXPECT_EQ(whole_percent(99.7), ">99");
  EXPECT_EQ(whole_percent(100 - 1e-13), "100");
  EXPECT_EQ(whole_percent(163.4), "163");
  EXPECT_EQ(whole_percent(-0.3), "0");
}

TEST(Figures, of_shares_are_not_100_percent_below_it) {
  EXPECT_EQ(format_percent(99.7), "99.7 %") << "997 of 1,000";
  EXPECT_EQ(format_percent(99.97), "99.97 %");
  EXPECT_EQ(format_percent(100), "100 %");
  EXPECT_EQ(format_share(0.997), "99.7 %");
  EXPECT_EQ(percent_text(0.999995), "99.9995 %");
  EXPECT_EQ(comparing::in_unit("share", 0.99997), "99.997 %");
  EXPECT_EQ(comparing::in_unit("share", 0.00001), "<0.01 %");
  EXPECT_EQ(comparing::in_unit("share", 1), "100.00 %");
}

TEST(Figures, round_in_their_own_power_of_ten) {
  EXPECT_EQ(format_short(99.7), "100");
  EXPECT_EQ(format_percent(0.00001), "0.00001 %");
  EXPECT_EQ(format_milliseconds(0.000001), "0.000001 ms");
  EXPECT_EQ(comparing::signed_figure(-0.00004), "-0.00004");
  EXPECT_EQ(percent_text(0.00000001), "0.000001 %");
  EXPECT_EQ(percent_text(0.01), "1 %");
}

}  // namespace
}  // namespace netperfctl
