// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/job/pattern.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cstdint>

namespace netperfd::workload {
namespace {

constexpr std::size_t kLongestPattern = 512;
constexpr std::int64_t kMostMemory = std::int64_t{1} << 20;

}  // namespace

Result<std::shared_ptr<const re2::RE2>> compile_pattern(const std::string& pattern) {
  if (pattern.size() > kLongestPattern) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("has {} bytes; an expression has at most {}", pattern.size(), kLongestPattern));
  }
  re2::RE2::Options options;
  // Programs may write any bytes.
  options.set_encoding(re2::RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  auto compiled = std::make_shared<const re2::RE2>("(?m)" + pattern, options);
  if (!compiled->ok()) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("is no regular expression as RE2 takes them: {}", compiled->error()));
  }
  if (const int groups = compiled->NumberOfCapturingGroups(); groups != 1) {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("has {} groups; expected is one, around the number: (...). (?:...) is none", groups));
  }
  return compiled;
}

}  // namespace netperfd::workload
