// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/base/command_words.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace netperfctl {

Outcome<double> share_of(std::string_view option, std::string_view text) {
  double percent = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, percent, std::chars_format::fixed);
  std::string_view unit{end, static_cast<std::size_t>(last - end)};
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  if (error == std::errc{} && unit == "%" && percent > 0 && percent < 100) return percent / 100;
  return fail(
      Exit::usage,
      fmt::format("{}: \"{}\" is no share: a number above 0 and below 100 with %, like 1%, was expected",
                  option, text));
}

std::string percent_text(double share) {
  std::string digits = fmt::format("{:.4g}", share * 100);
  const bool rounded_to_all = share < 1 && digits == "100";
  if (rounded_to_all || digits.find('e') != std::string::npos) {  // which share_of() does not take
    digits = fmt::format("{:.12f}", share * 100);
    digits.resize(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
  }
  return digits + " %";
}

std::string for_a_shell(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:,.-_/@%+=";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
  return quoted + "'";
}

std::string selection_term(std::string_view key, const std::string& value) {
  const bool one_term = value.find_first_of(" ,\t") == std::string::npos;
  return one_term ? fmt::format("{}:{}", key, value) : fmt::format("{}:\"{}\"", key, value);
}

}  // namespace netperfctl
