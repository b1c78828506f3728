// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "daemon/workload/iperf3/argv.hpp"

namespace netperfd::workload {
namespace {

constexpr std::string_view kBlank = " \t";

bool is_option_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

// The first word that begins with "--" among the options at the start of a line of --help:
//   "  -p, --port      #         server port"   "  --dscp N or --dscp val    set the IP dscp value"
// Any other line is prose or usage, and may name options that are not available.
std::string_view listed_option(std::string_view line) {
  const std::size_t start = line.find_first_not_of(kBlank);
  if (start == std::string_view::npos || line[start] != '-') return {};
  line.remove_prefix(start);
  if (!line.starts_with("--")) {
    const std::size_t comma = line.find(", --");
    if (comma != 2) return {};
    line.remove_prefix(comma + 2);
  }
  const auto* end = std::ranges::find_if_not(line, is_option_character);
  return line.substr(0, static_cast<std::size_t>(end - line.begin()));
}

// "iperf 3.12 (cJSON 1.7.15)"
std::string_view version_number(std::string_view text) {
  constexpr std::string_view kName = "iperf ";
  if (!text.starts_with(kName)) return {};
  text.remove_prefix(kName.size());
  return text.substr(0, text.find_first_of(" \t\r\n"));
}

}  // namespace

Iperf3Features parse_features(std::string_view version_text, std::string_view help_text) {
  Iperf3Features features;
  features.version = version_number(version_text);
  while (!help_text.empty()) {
    const std::size_t line_end = std::min(help_text.find('\n'), help_text.size());
    if (const std::string_view option = listed_option(help_text.substr(0, line_end)); !option.empty()) {
      features.options.emplace(option);
    }
    help_text.remove_prefix(std::min(line_end + 1, help_text.size()));
  }
  return features;
}

Status check_supported(const TestSpec& spec, const Iperf3Features& features) {
  if (features.options.empty()) {
    return fail(ErrorKind::unsupported, "no iperf3 could be run when netperfd started; its log says why");
  }
  std::vector<Iperf3Option> needed = client_options(spec, features);
  if (spec.path.local) std::ranges::move(server_options(spec), std::back_inserter(needed));
  std::string problems;
  for (const Iperf3Option& option : needed) {
    if (features.has(option.name)) continue;
    if (!problems.empty()) problems += '\n';
    problems += fmt::format("workload.iperf3.{}: iperf3 {} has no option {}", option.key, features.version,
                            option.name);
  }
  if (!problems.empty()) return fail(ErrorKind::unsupported, std::move(problems));
  return {};
}

}  // namespace netperfd::workload
