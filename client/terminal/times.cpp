// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/terminal/times.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <ctime>
#include <utility>

namespace netperfctl {
namespace {

constexpr std::uint64_t kSecondUs = 1'000'000;

std::tm local(std::uint64_t time_us) {
  const auto seconds = static_cast<std::time_t>(time_us / kSecondUs);
  std::tm parts{};
  // It fails only for years that do not fit an int, and such a time is shown as that of 1900.
  if (::localtime_r(&seconds, &parts) == nullptr) parts = {};
  return parts;
}

// The first moment of the day `days` after that of `parts`; days of a clock change are not 24 hours long.
std::tm midnight(const std::tm& parts, int days) {
  std::tm start{};
  start.tm_year = parts.tm_year;
  start.tm_mon = parts.tm_mon;
  start.tm_mday = parts.tm_mday + days;
  start.tm_isdst = -1;
  // Only its normalising of `start` is wanted; it fails as localtime_r() does.
  (void)std::mktime(&start);
  return start;
}

bool same_day(const std::tm& a, const std::tm& b) {
  return a.tm_year == b.tm_year && a.tm_yday == b.tm_yday;
}

std::optional<std::uint64_t> instant(std::tm parts) {
  parts.tm_isdst = -1;
  const std::tm asked = parts;
  const std::time_t seconds = std::mktime(&parts);
  // mktime() makes 3 March of 31 February.
  if (seconds < 0 || parts.tm_mday != asked.tm_mday || parts.tm_mon != asked.tm_mon) return {};
  return static_cast<std::uint64_t>(seconds) * kSecondUs;
}

std::optional<std::uint64_t> parse_calendar(const std::string& text) {
  for (const char* pattern :
       {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"}) {
    std::tm parts{};
    const char* rest = ::strptime(text.c_str(), pattern, &parts);
    if (rest != nullptr && *rest == '\0') return instant(parts);
  }
  return {};
}

std::optional<std::uint64_t> parse_ago(std::string_view text, std::uint64_t now_us) {
  if (text.ends_with(" ago")) text.remove_suffix(4);
  double number = 0;
  const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc{} || number < 0) return {};
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
      {{"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 604800}}};
  for (const auto& [name, seconds] : kUnits) {
    if (unit != name) continue;
    const double ago_us = number * seconds * static_cast<double>(kSecondUs);
    return ago_us < static_cast<double>(now_us) ? now_us - static_cast<std::uint64_t>(ago_us) : 0;
  }
  return {};
}

}  // namespace

std::optional<std::uint64_t> parse_time(std::string_view text, std::uint64_t now_us) {
  if (text == "now") return now_us;
  if (text == "today") return instant(midnight(local(now_us), 0));
  if (text == "yesterday") return instant(midnight(local(now_us), -1));
  if (const auto ago = parse_ago(text, now_us)) return ago;
  return parse_calendar(std::string{text});
}

std::string format_time(std::uint64_t time_us, std::uint64_t now_us) {
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::tm then = local(time_us);
  const std::tm now = local(now_us);
  const std::string clock = fmt::format("{:02}:{:02}", then.tm_hour, then.tm_min);
  std::string day = fmt::format("{}-{:02}-{:02}", then.tm_year + 1900, then.tm_mon + 1, then.tm_mday);
  if (now_us == 0) return day + " " + clock;
  if (same_day(then, now)) return "today " + clock;
  if (same_day(then, midnight(now, -1))) return "yesterday " + clock;
  if (then.tm_year == now.tm_year) {
    return fmt::format("{} {} {}", then.tm_mday, kMonths.at(static_cast<std::size_t>(then.tm_mon)), clock);
  }
  return day;
}

}  // namespace netperfctl
