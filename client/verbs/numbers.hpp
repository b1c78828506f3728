// SPDX-License-Identifier: GPL-2.0-or-later
// Parses numbers of the command line. The errors say what was expected.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "client/base/outcome.hpp"

namespace netperfctl {

[[nodiscard]] inline bool is_number_above_zero(const std::string& text, std::uint64_t highest) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && number > 0 && number <= highest;
}

// The number of a `what`, which is "job" or "run".
[[nodiscard]] inline CLI::Validator number_of(const char* what) {
  return {[what](const std::string& text) {
            const bool fits = is_number_above_zero(text, std::numeric_limits<std::uint64_t>::max());
            return fits ? std::string{} : fmt::format("`{}` is not the number of a {}", text, what);
          },
          ""};
}

// Makes 12 of job:12.
[[nodiscard]] inline CLI::Validator without_job_key() {
  return {[](std::string& text) {
            if (text.starts_with("job:")) text.erase(0, std::string_view{"job:"}.size());
            return std::string{};
          },
          ""};
}

// The number of a run; 0 for `last`, the newest that has ended, as for GetRun.
[[nodiscard]] inline Outcome<std::uint64_t> run_number(const std::string& text) {
  constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
  if (text == "last") return 0;
  if (is_number_above_zero(text, kAny)) return std::stoull(text);
  return fail(Exit::usage, fmt::format("\"{}\" is no run: its number, or `last`, was expected", text));
}

// The number in "12" or "job:12".
[[nodiscard]] inline Outcome<std::uint64_t> job_number(const std::string& text) {
  constexpr std::string_view kKey = "job:";
  const std::string number = text.starts_with(kKey) ? text.substr(kKey.size()) : text;
  if (is_number_above_zero(number, std::numeric_limits<std::uint64_t>::max())) return std::stoull(number);
  return fail(Exit::usage, fmt::format("\"{}\" is no job: its number, or job:NUMBER, was expected", text));
}

[[nodiscard]] inline CLI::Validator count_above_zero() {
  return {[](const std::string& text) {
            constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();
            if (!is_number_above_zero(text, kAny))
              return fmt::format("`{}` is not a whole number above 0", text);
            const bool fits = is_number_above_zero(text, std::numeric_limits<std::uint32_t>::max());
            return fits ? std::string{} : fmt::format("`{}` is too large", text);
          },
          ""};
}

}  // namespace netperfctl
