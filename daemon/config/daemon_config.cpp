#include "daemon/config/daemon_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/config/complaints.hpp"
#include "daemon/config/schema.hpp"
#include "daemon/config/yaml.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::config {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

std::optional<std::string> parse_absolute_path(std::string_view text) {
  if (!text.starts_with('/') || text.ends_with('/') || !is_printable(text)) return std::nullopt;
  return std::string(text);
}

std::optional<std::string> parse_program(std::string_view text) {
  if (text == "iperf3") return std::string(text);
  return parse_absolute_path(text);
}

// A name that useradd and groupadd accept, or a number.
std::optional<std::string> parse_account(std::string_view text) {
  constexpr std::size_t kLongestName = 32;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  if (text.empty() || text.size() > kLongestName || text.front() == '-' || !std::ranges::all_of(text, fits)) {
    return std::nullopt;
  }
  return std::string(text);
}

std::optional<std::string> parse_event_pattern(const YamlNode& node) {
  if (!is_event_pattern(node.text)) return std::nullopt;
  return node.text;
}

std::optional<std::string> parse_log_level(std::string_view text) {
  constexpr std::string_view kLevels[] = {"debug", "info", "warning", "error"};
  if (std::ranges::find(kLevels, text) == std::end(kLevels)) return std::nullopt;
  return std::string(text);
}

std::optional<milliseconds> parse_timeout_limit(std::string_view text) {
  constexpr milliseconds kLongest = 24h * 7;
  const auto duration = parse_duration(text);
  return duration && *duration >= 1s && *duration <= kLongest ? duration : std::nullopt;
}

// Or the word `none`, which is an absent limit.
template <class Parse>
auto or_none(Parse parse) {
  using Parsed = std::invoke_result_t<Parse, std::string_view>;
  return [parse](std::string_view text) -> std::optional<Parsed> {
    if (text == "none") return std::optional<Parsed>{std::in_place};
    const Parsed value = parse(text);
    if (!value) return std::nullopt;
    return std::optional<Parsed>{std::in_place, value};
  };
}

std::optional<std::uint32_t> parse_job_count(std::string_view text) {
  constexpr std::uint32_t kMost = 10'000;
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool fits = error == std::errc{} && end == text.data() + text.size() && count >= 1 && count <= kMost;
  return fits ? std::optional(count) : std::nullopt;
}

std::optional<std::uint64_t> parse_stored_limit(std::string_view text) {
  const auto bytes = parse_bytes(text);
  return bytes && *bytes > 0 ? bytes : std::nullopt;
}

std::optional<milliseconds> parse_time_limit(std::string_view text) {
  const auto time = parse_duration(text);
  return time && *time >= 1min && *time <= 24h ? time : std::nullopt;
}

// A duration as elsewhere, or in days or weeks; at least an hour.
std::optional<std::chrono::seconds> parse_age(std::string_view text) {
  constexpr auto kLongest = std::chrono::days(36'500);
  std::optional<std::chrono::seconds> age;
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
  if (error == std::errc{} && unit == "d") {
    age = std::chrono::days(count);
  } else if (error == std::errc{} && unit == "w") {
    age = std::chrono::weeks(count);
  } else if (const auto duration = parse_duration(text)) {
    age = std::chrono::floor<std::chrono::seconds>(*duration);
  }
  return age && *age >= 1h && *age <= kLongest ? age : std::nullopt;
}

std::optional<std::uint64_t> parse_run_count(std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && count > 0 ? std::optional(count) : std::nullopt;
}

// The rows of `keep`. They share the rule that is being read.
void add_keep_keys(std::vector<core::KeepRule>& rules, std::vector<Key>& keys) {
  const auto rule = std::make_shared<core::KeepRule>();
  const auto keep = [rule, &rules] { rules.push_back(std::exchange(*rule, {})); };
  keys.push_back({"keep", {}, Need::optional, {keep, "", "a list of rules, each a mapping"}});
  keys.push_back({"keep[].scenario", text(rule->scenario)});
  keys.push_back({"keep[].label", text(rule->label)});
  keys.push_back(
      {"keep[].age", word(rule->age, parse_age, "a time of an hour or more (like 90d, 12w or 36h)")});
  keys.push_back({"keep[].count", word(rule->count, parse_run_count, "a number of runs, 1 or more")});
  keys.push_back({"keep[].size", word(rule->stored_bytes, parse_stored_limit,
                                      "a number of bytes, 1 or more (like 10G; K is 1024)")});
}

// A rule that no job reaches does not keep what its author believes it keeps.
void check_order(const YamlNode& root, const std::vector<core::KeepRule>& rules, Complaints& complaints) {
  const auto matches_all = [](const core::KeepRule& rule) {
    return rule.scenario == "*" && rule.label == "*";
  };
  const auto all = std::ranges::find_if(rules, matches_all);
  if (all == rules.end() || std::next(all) == rules.end()) return;
  const auto first = static_cast<std::size_t>(all - rules.begin());
  const YamlEntry* const list = root.find("keep");
  complaints.add(list->value.items.at(first + 1).place, fmt::format("keep[{}]", first + 1),
                 fmt::format("no job reaches this rule, since keep[{}] matches all; the first rule that "
                             "matches a job decides, so put that one last",
                             first));
}

std::vector<Key> keys_of(DaemonConfig& config) {
  constexpr std::uint32_t kMaxQueue = 10'000;
  constexpr std::uint32_t kMaxRepeat = 100'000;
  const std::string account = "the name or number of a ";
  std::vector<Key> keys{
      {"scenarios",
       word(config.scenarios_dir, parse_absolute_path, "an absolute path of a directory, without a final /")},
      {"shipped_scenarios", word(config.shipped_scenarios_dir, parse_absolute_path,
                                 "an absolute path of a directory, without a final /")},
      {"store", {}},
      {"store.database", word(config.database, parse_absolute_path, "an absolute path of a file")},
      {"store.min_free", word(config.min_free_bytes, parse_bytes, "a number of bytes (like 64M; K is 1024)")},
      {"iperf3", {}},
      {"iperf3.path", word(config.iperf3_path, parse_program, "an absolute path, or plain iperf3")},
      {"iperf3.user", word(config.iperf3_user, parse_account, account + "user")},
      {"authorization", {}},
      {"authorization.group", word(config.authorization_group, parse_account, account + "group")},
      {"trace", {}},
      {"trace.events", list(config.trace_events, parse_event_pattern,
                            "a pattern of events (like tcp:* or \"!tcp:tcp_probe\")",
                            "a list of patterns of events (like [\"tcp:*\", \"skb:*\"])")},
      {"limits", {}},
      {"limits.queue", number(config.queue_limit, 1U, kMaxQueue)},
      {"limits.user", {}},
      {"limits.user.queue",
       word(config.user_limits.queue, or_none(parse_job_count), "a whole number from 1 to 10000, or none")},
      {"limits.user.stored", word(config.user_limits.stored_bytes, or_none(parse_stored_limit),
                                  "a number of bytes (like 4G; K is 1024), or none")},
      {"limits.user.time",
       word(config.user_limits.time, or_none(parse_time_limit), "a duration from 1min to 24h, or none")},
      {"limits.repeat", number(config.repeat_limit, 1U, kMaxRepeat)},
      {"limits.timeout",
       word(config.timeout_limit, parse_timeout_limit, "a duration from 1s to 168h (like 24h)")},
      {"log", {}},
      {"log.level", word(config.log_level, parse_log_level, "one of debug, info, warning or error")},
  };
  add_keep_keys(config.keep, keys);
  return keys;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer list

}  // namespace

Result<DaemonConfig> load_daemon_config(const std::string& path, IfMissing if_missing) {
  DaemonConfig config;
  std::error_code ignored;  // ignored: reading the file meets the same error
  if (if_missing == IfMissing::use_defaults && !std::filesystem::exists(path, ignored) && !ignored)
    return config;
  const auto text = read_file(path, kMaxYamlBytes);
  if (!text) return std::unexpected(text.error());

  Complaints complaints(path);
  const auto root = parse_yaml(*text, complaints);
  if (root && root->kind != YamlNode::Kind::null) read_keys(*root, keys_of(config), complaints);
  if (root && complaints.empty()) check_order(*root, config.keep, complaints);
  if (!complaints.empty()) return std::unexpected(complaints.to_error());
  return config;
}

std::vector<std::string> daemon_config_keys() {
  DaemonConfig config;
  return values_of(keys_of(config));
}

}  // namespace netperfd::config
