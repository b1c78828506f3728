// SPDX-License-Identifier: GPL-2.0-or-later
// Any text as a job and as netperfd.yaml. It is the text up to the first NUL. What follows are overrides of
// the start, or the word of its purpose, each up to the next NUL. The result is within all limits or an error
// that can be printed; a caller's text has no commands; no override changes a command; and the text that is
// stored with a job gives the same job again.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "daemon/config/daemon_config.hpp"
#include "daemon/config/design_keys.hpp"
#include "daemon/config/job_reader.hpp"
#include "daemon/model/answers.hpp"
#include "daemon/model/design.hpp"
#include "tests/fuzz/require.hpp"

namespace config = netperfd::config;
using netperfd::JobSpec;
using netperfd::Result;
using netperfd::fuzz::require;

namespace {

constexpr config::JobLimits kLimits{.repeat = 50, .timeout = std::chrono::hours(2)};
constexpr const char* kOrigin = "the input";

struct Input {
  std::string text;
  netperfd::core::JobOptions options;
};

Input split(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  Input input{.text = std::string(bytes.substr(0, end)), .options = {}};
  for (bytes.remove_prefix(end); !bytes.empty();) {
    bytes.remove_prefix(1);
    const std::size_t next = std::min(bytes.find('\0'), bytes.size());
    const std::string_view word = bytes.substr(0, next);
    if (const auto purpose = netperfd::parse_job_purpose(word)) {
      input.options.purpose = *purpose;
    } else {
      input.options.overrides.emplace_back(word);
    }
    bytes.remove_prefix(next);
  }
  return input;
}

Result<JobSpec> read(const std::string& text, const netperfd::core::JobOptions& options, bool of_root) {
  config::JobText job{.text = text, .origin = kOrigin, .expected_name = {}};
  if (of_root) job.commands_refused.clear();
  auto spec = config::read_job(job, options, kLimits);
  if (!spec) netperfd::fuzz::require_printable_lines(spec.error().message);
  return spec;
}

// The sides of the design, with root's commands, and whether they reboot.
using Sides = std::tuple<std::optional<netperfd::Variant>, std::optional<netperfd::Variant>,
                         std::optional<netperfd::Reboots>>;
Sides sides_of(const JobSpec& spec) {
  return spec.design ? Sides{spec.design->a, spec.design->b, spec.design->reboots} : Sides{};
}

void check_within_limits(const JobSpec& spec) {
  require(netperfd::check(spec).empty());
  require(netperfd::run_count(spec) <= kLimits.repeat && spec.limits.timeout <= kLimits.timeout);
  require(netperfd::is_printable(spec.name) && netperfd::is_printable(spec.label));
  for (const std::string& reason : netperfd::too_few_answers(spec)) require(netperfd::is_printable(reason));
}

void check_same_again(const JobSpec& spec, const netperfd::core::JobOptions& first) {
  const auto again =
      read(spec.text, {.overrides = {}, .label = {}, .repeat = {}, .purpose = first.purpose}, true);
  require(again.has_value());
  JobSpec expected = spec, got = *again;
  expected.text.clear();
  got.text.clear();
  if (expected.trace) expected.trace->of_others = false;
  require(expected == got);
}

void fuzz_job(const Input& input) {
  const auto of_caller = read(input.text, input.options, false);
  const auto of_root = read(input.text, input.options, true);
  if (of_caller) {
    require(of_root.has_value() && (!of_caller->design || config::commands_of(*of_caller->design).empty()));
    check_within_limits(*of_caller);
  }
  if (!of_root) return;
#ifdef NETPERFD_PLANTED_BUG
  if (of_root->test.traffic.omit > std::chrono::seconds{1}) netperfd::fuzz::read_too_far(of_root->text);
#endif
  check_within_limits(*of_root);
  check_same_again(*of_root, input.options);
  if (input.options.overrides.empty()) return;
  auto plain = input.options;
  plain.overrides.clear();
  const auto unchanged = read(input.text, plain, true);
  if (unchanged) require(sides_of(*unchanged) == sides_of(*of_root));
}

void fuzz_daemon_config(const std::string& text) {
  const auto config = config::parse_daemon_config(text, kOrigin);
  if (!config) return netperfd::fuzz::require_printable_lines(config.error().message);
  require(config->queue_limit >= 1 && config->queue_limit <= 10'000);
  require(config->repeat_limit >= 1 && config->repeat_limit <= 100'000);
  require(config->timeout_limit >= std::chrono::seconds(1) &&
          config->timeout_limit <= std::chrono::hours(168));
  require(config->database.starts_with('/') && config->scenarios_dir.starts_with('/'));
  for (const std::string& each : config->trace_events) require(netperfd::is_event_pattern(each));
  for (const auto& rule : config->keep) require(!rule.age || *rule.age >= std::chrono::hours(1));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = split(netperfd::fuzz::text_of(bytes, size));
  fuzz_job(input);
  fuzz_daemon_config(input.text);
  return 0;
}
