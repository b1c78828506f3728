// SPDX-License-Identifier: GPL-2.0-or-later
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
#include "daemon/config/allow_keys.hpp"
#include "daemon/config/yaml.hpp"
#include "daemon/keys/complaints.hpp"
#include "daemon/keys/schema.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/units.hpp"

namespace netperfd::config {

using namespace keys;

namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

std::optional<std::string> parse_absolute_path(std::string_view text) {
  if (!text.starts_with('/') || text.ends_with('/') || !is_printable(text)) return std::nullopt;
  return std::string(text);
}

// A reader of an absolute path, or of the plain name `name`.
auto program(std::string_view name) {
  return [name](std::string_view text) -> std::optional<std::string> {
    return text == name ? std::string(text) : parse_absolute_path(text);
  };
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
  keys.push_back({"keep", {}, {}, Need::optional, {keep, "", "a list of rules, each a mapping"}});
  keys.push_back(
      {"keep[].scenario",
       text(rule->scenario),
       {"pattern", "*", "the scenarios that the rule is for, such as 'nightly-*'; without it any", {}}});
  keys.push_back(
      {"keep[].label",
       text(rule->label),
       {"pattern", "*", "the labels that the rule is for; '' is a job without a label; without it any", {}}});
  keys.push_back(
      {"keep[].age",
       word(rule->age, parse_age, "a time of an hour or more (like 90d, 12w or 36h)"),
       {"duration, also with `d` or `w`", "none", "a job goes once its newest run is older than this", {}}});
  keys.push_back(
      {"keep[].count",
       word(rule->count, parse_run_count, "a number of runs, 1 or more"),
       {"number", "none", "a job goes once newer jobs of the rule and its owner have so many runs", {}}});
  keys.push_back(
      {"keep[].size",
       word(rule->stored_bytes, parse_stored_limit, "a number of bytes, 1 or more (like 10G; K is 1024)"),
       {"bytes",
        "none",
        "a job goes once its owner's newer jobs of the rule have so many bytes, or less if all users "
        "together "
        "have more: then each keeps the same share",
        {}}});
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

void add_limits(DaemonConfig& config, std::vector<Key>& keys) {
  constexpr std::uint32_t kMaxQueue = 10'000;
  constexpr std::uint32_t kMaxRepeat = 100'000;
  const std::vector<Key> limits{
      {"limits", {}},
      {"limits.queue",
       number(config.queue_limit, 1U, kMaxQueue),
       {"number", "", "jobs that wait at one time; root may add more", {}}},
      {"limits.user", {}},
      {"limits.user.queue",
       word(config.user_limits.queue, or_none(parse_job_count), "a whole number from 1 to 10000, or none"),
       {"number or `none`", "", "jobs of one user, except root, that wait or run", {}}},
      {"limits.user.stored",
       word(config.user_limits.stored_bytes, or_none(parse_stored_limit),
            "a number of bytes (like 4G; K is 1024), or none"),
       {"bytes or `none`", "", "bytes of the database that one user's jobs and runs may take", {}}},
      {"limits.user.time",
       word(config.user_limits.time, or_none(parse_time_limit), "a duration from 1min to 24h, or none"),
       {"duration or `none`",
        "",
        "time of one user's runs in 24 hours; live jobs count with their planned time or, if there is none, "
        "`limits.timeout`",
        {}}},
      {"limits.repeat",
       number(config.repeat_limit, 1U, kMaxRepeat),
       {"number", "", "the most runs of a job; a job with a design has several for each `repeat`", {}}},
      {"limits.timeout",
       word(config.timeout_limit, parse_timeout_limit, "a duration from 1s to 168h (like 24h)"),
       {"duration", "", "the highest `limits.timeout` of a job", {}}},
      {"log", {}},
      {"log.level",
       word(config.log_level, parse_log_level, "one of debug, info, warning or error"),
       {"`debug`, `info`, `warning`, `error`", "", "messages below this level are not written", {}}},
  };
  keys.insert(keys.end(), limits.begin(), limits.end());
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

void add_trace_keys(DaemonConfig& config, std::vector<Key>& keys) {
  std::vector<Key> trace{
      {"trace", {}},
      {"trace.events",
       list(config.trace_events, parse_event_pattern,
            "a pattern of events (like tcp:* or \"!tcp:tcp_probe\")",
            "a list of patterns of events (like [\"tcp:*\", \"skb:*\"])"),
       {"list of patterns",
        "",
        "the events that members of the group may trace in their own jobs; `!` takes events back from the "
        "patterns. Root's scenarios may name any event. Some events tell what other users run or type: see "
        "[tracing](tracing.md#which-events-may-be-traced)",
        {}}},
  };
  keys.insert(keys.end(), trace.begin(), trace.end());
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

std::vector<Key> keys_of(DaemonConfig& config) {
  const std::string account = "the name or number of a ";
  std::vector<Key> keys{
      {"scenarios",
       word(config.scenarios_dir, parse_absolute_path, "an absolute path of a directory, without a final /"),
       {"path", "", "the directory of the scenarios, one job a file, NAME.yaml", {}}},
      {"shipped_scenarios",
       word(config.shipped_scenarios_dir, parse_absolute_path,
            "an absolute path of a directory, without a final /"),
       {"path",
        "",
        "the directory of the scenarios that came with netperfd; those of the same name in `scenarios` take "
        "precedence",
        {}}},
      {"store", {}},
      {"store.database",
       word(config.database, parse_absolute_path, "an absolute path of a file"),
       {"path",
        "",
        "the SQLite database with everything that was measured; you can read it with sqlite3 while the "
        "daemon runs",
        {}}},
      {"store.min_free",
       word(config.min_free_bytes, parse_bytes, "a number of bytes (like 64M; K is 1024)"),
       {"bytes", "", "no run begins if the database's file system has less free space than this", {}}},
      {"iperf3", {}},
      {"iperf3.path",
       word(config.iperf3_path, program("iperf3"), "an absolute path, or plain iperf3"),
       {"path",
        "",
        "an absolute path, or plain `iperf3`: the first one in /usr/local/sbin, /usr/local/bin, /usr/sbin "
        "and /usr/bin",
        {}}},
      {"iperf3.user",
       word(config.iperf3_user, parse_account, account + "user"),
       {"user",
        "",
        "the user that iperf3, the prober and commands run as, by name or number; never root",
        {}}},
      {"readers", {}},
      {"readers.user",
       word(config.readers_user, parse_account, account + "user"),
       {"user",
        "",
        "the user that reads what iperf3 and others wrote, and answers queries; never root, and another one "
        "than iperf3's, since the user's processes could end each other",
        {}}},
      {"latency", {}},
      {"latency.path",
       word(config.echo_path, program("netperfd-echo"), "an absolute path, or plain netperfd-echo"),
       {"path", "", "the program that measures latency, likewise", {}}},
      {"switch", {}},
      {"switch.path",
       word(config.switch_path, parse_absolute_path, "an absolute path of a program"),
       {"path",
        "",
        "the program that sets what the sides of a design set on the machine, and undoes it",
        {}}},
      {"authorization", {}},
      {"authorization.group",
       word(config.authorization_group, parse_account, account + "group"),
       {"group", "", "its members may measure; everybody may read", {}}},
  };
  std::ranges::move(keys_of_allow(config.allow), std::back_inserter(keys));
  add_trace_keys(config, keys);
  add_limits(config, keys);
  add_keep_keys(config.keep, keys);
  return keys;
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer list

}  // namespace

Result<DaemonConfig> load_daemon_config(const std::string& path, IfMissing if_missing) {
  std::error_code ignored;  // ignored: reading the file meets the same error
  if (if_missing == IfMissing::use_defaults && !std::filesystem::exists(path, ignored) && !ignored)
    return DaemonConfig{};
  const auto text = read_file(path, kMaxYamlBytes);
  if (!text) return std::unexpected(text.error());
  return parse_daemon_config(*text, path);
}

Result<DaemonConfig> parse_daemon_config(const std::string& text, const std::string& origin) {
  DaemonConfig config;
  Complaints complaints(origin);
  const auto root = parse_yaml(text, complaints);
  if (root && root->kind != YamlNode::Kind::null) read_keys(*root, keys_of(config), complaints);
  if (root && complaints.empty()) check_order(*root, config.keep, complaints);
  if (!complaints.empty()) return std::unexpected(complaints.to_error());
  return config;
}

std::vector<std::string> keys_of_next_start(const DaemonConfig& began, const DaemonConfig& read) {
  std::vector<std::string> keys;
  const auto note = [&](const char* key, const auto member) {
    if (began.*member != read.*member) keys.emplace_back(key);
  };
  note("store.database", &DaemonConfig::database);
  note("store.min_free", &DaemonConfig::min_free_bytes);
  note("iperf3.path", &DaemonConfig::iperf3_path);
  note("iperf3.user", &DaemonConfig::iperf3_user);
  note("readers.user", &DaemonConfig::readers_user);
  note("latency.path", &DaemonConfig::echo_path);
  note("switch.path", &DaemonConfig::switch_path);
  return keys;
}

std::vector<KeyRow> daemon_config_keys() {
  DaemonConfig config;
  return rows_of(keys_of(config));
}

}  // namespace netperfd::config
