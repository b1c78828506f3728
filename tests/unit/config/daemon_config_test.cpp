// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/daemon_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "daemon/config/yaml.hpp"
#include "tests/unit/config/support.hpp"

namespace netperfd::config {

using namespace keys;

namespace {

using namespace std::chrono_literals;

class DaemonConfigTest : public testing::Test {
 protected:
  Result<DaemonConfig> load(const std::string& text) {
    return load_daemon_config(directory.write("netperfd.yaml", text), IfMissing::fail);
  }
  // Without the path in front.
  std::string error_of(const std::string& text) {
    const auto config = load(text);
    if (config) return "";
    EXPECT_EQ(config.error().kind, ErrorKind::invalid_argument);
    return config.error().message.substr((directory.path() / "netperfd.yaml").string().size());
  }

  TemporaryDirectory directory;
};

const std::filesystem::path kShipped = source_root() / "daemon/config/etc/netperfd.yaml";

TEST_F(DaemonConfigTest, the_shipped_file_has_the_defaults) {
  const auto config = load_daemon_config(kShipped, IfMissing::fail);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, DaemonConfig{});
}

// Every leaf of the tree, as a path.
void collect(const YamlNode& node, const std::string& prefix, std::vector<std::string>& paths) {
  if (node.kind != YamlNode::Kind::mapping) return paths.push_back(prefix);
  for (const YamlEntry& entry : node.entries) {
    collect(entry.value, prefix.empty() ? entry.key : prefix + "." + entry.key, paths);
  }
}

// By hand: what Program::apply() hands on, and what the modules were given at their begin.
struct ChangedKey {
  const char* path;
  const char* text;
  bool at_next_start = false;
};
constexpr std::array kChanged{
    ChangedKey{"scenarios", "scenarios: /tmp"},
    ChangedKey{"shipped_scenarios", "shipped_scenarios: /tmp"},
    ChangedKey{"store.database", "store: {database: /tmp/other.db}", true},
    ChangedKey{"store.min_free", "store: {min_free: 1M}", true},
    ChangedKey{"iperf3.path", "iperf3: {path: /opt/iperf3}", true},
    ChangedKey{"iperf3.user", "iperf3: {user: nobody}", true},
    ChangedKey{"readers.user", "readers: {user: nobody}", true},
    ChangedKey{"latency.path", "latency: {path: /opt/netperfd-echo}", true},
    ChangedKey{"switch.path", "switch: {path: /opt/switch}", true},
    ChangedKey{"authorization.group", "authorization: {group: users}"},
    ChangedKey{"allow.namespaces", "allow: {namespaces: ['lab-*']}"},
    ChangedKey{"allow.hosts", "allow: {hosts: [10.0.0.0/8]}"},
    ChangedKey{"allow.ports", "allow: {ports: [5201]}"},
    ChangedKey{"allow.devices", "allow: {devices: ['veth*@lab-*']}"},
    ChangedKey{"allow.sysctls", "allow: {sysctls: ['net.ipv4.tcp_*']}"},
    ChangedKey{"allow.modules", "allow: {modules: [/srv/modules]}"},
    ChangedKey{"allow.irqs", "allow: {irqs: ['12*']}"},
    ChangedKey{"allow.governor", "allow: {governor: true}"},
    ChangedKey{"trace.events", "trace: {events: ['tcp:*']}"},
    ChangedKey{"limits.queue", "limits: {queue: 3}"},
    ChangedKey{"limits.user.queue", "limits: {user: {queue: 3}}"},
    ChangedKey{"limits.user.stored", "limits: {user: {stored: 1G}}"},
    ChangedKey{"limits.user.time", "limits: {user: {time: 2h}}"},
    ChangedKey{"limits.repeat", "limits: {repeat: 7}"},
    ChangedKey{"limits.timeout", "limits: {timeout: 1h}"},
    ChangedKey{"log.level", "log: {level: debug}"},
};

TEST_F(DaemonConfigTest, a_reload_tells_of_each_key_that_waits_for_the_next_start) {
  std::vector<std::string> paths;
  for (const ChangedKey& changed : kChanged) {
    paths.emplace_back(changed.path);
    const auto config = load(changed.text);
    ASSERT_TRUE(config) << changed.path << ": " << config.error().message;
    EXPECT_NE(*config, DaemonConfig{}) << changed.path << " is not changed";
    const std::vector<std::string> told =
        changed.at_next_start ? std::vector<std::string>{changed.path} : std::vector<std::string>{};
    EXPECT_EQ(keys_of_next_start({}, *config), told) << changed.path;
  }
  for (const KeyRow& row : daemon_config_keys()) {
    if (row.path.starts_with("keep")) continue;  // a list of rules, which are replaced as a whole
    EXPECT_THAT(paths, testing::Contains(row.path)) << "does a reload apply it?";
  }
}

TEST_F(DaemonConfigTest, the_shipped_file_names_every_key) {
  Complaints complaints("shipped");
  const auto root = parse_yaml(contents(kShipped), complaints);
  ASSERT_TRUE(root);
  std::vector<std::string> paths;
  collect(*root, "", paths);
  std::vector<std::string> keys;
  for (const KeyRow& row : daemon_config_keys()) {
    EXPECT_FALSE(row.text.type.empty() || row.text.meaning.empty()) << row.path << " is not explained";
    keys.push_back(row.path);
  }
  std::erase_if(keys, [](const std::string& key) {
    if (!key.starts_with("keep[].")) return false;
    EXPECT_THAT(contents(kShipped), testing::HasSubstr(key.substr(7) + ":")) << "the example has it";
    return true;
  });
  keys.emplace_back("keep");
  EXPECT_EQ(paths, keys);
}

TEST_F(DaemonConfigTest, reads_every_key) {
  const auto config = load(R"(scenarios: /s
shipped_scenarios: /t
store: {database: /d/x.db, min_free: 1G}
iperf3: {path: /opt/iperf3, user: 65534}
readers: {user: 65533}
authorization: {group: lab_users}
allow: {namespaces: [], hosts: [10.0.0.0/8, '*.lab'], ports: [5201, 1-9]}
trace: {events: ["a:*", "!a:b"]}
limits: {queue: 1, user: {queue: 2, stored: 3K, time: 4h}, repeat: 2, timeout: 3min}
log: {level: debug}
keep:
  - {scenario: 'a-*', label: x, age: 2w, count: 7, size: 1K}
  - {label: ''}
)");
  ASSERT_TRUE(config) << config.error().message;
  const DaemonConfig expected{
      .scenarios_dir = "/s",
      .shipped_scenarios_dir = "/t",
      .database = "/d/x.db",
      .min_free_bytes = 1U << 30U,
      .iperf3_path = "/opt/iperf3",
      .iperf3_user = "65534",
      .readers_user = "65533",
      .authorization_group = "lab_users",
      .trace_events = {"a:*", "!a:b"},
      .allow = {.namespaces = std::vector<std::string>{},
                .hosts = std::vector<std::string>{"10.0.0.0/8", "*.lab"},
                .ports = std::vector<std::string>{"5201", "1-9"}},
      .queue_limit = 1,
      .user_limits = {.queue = 2, .stored_bytes = 3072, .time = 4h},
      .repeat_limit = 2,
      .timeout_limit = 3min,
      .keep =
          {{.scenario = "a-*", .label = "x", .age = std::chrono::weeks(2), .count = 7, .stored_bytes = 1024},
           {.scenario = "*", .label = "", .age = {}, .count = {}, .stored_bytes = {}}},
      .log_level = "debug"};
  EXPECT_EQ(*config, expected);
}

TEST_F(DaemonConfigTest, a_rule_of_allow_that_is_none_is_refused) {
  EXPECT_EQ(
      error_of("allow: {hosts: [10.0.0.1/8]}"),
      ":1:16: allow.hosts: \"10.0.0.1/8\" is not an address, a network without bits beyond its length (like "
      "10.0.0.0/8) or a pattern of host names (like *.lab.example.net)");
  EXPECT_THAT(error_of("allow: {namespaces: ['../x']}"), testing::HasSubstr("allow.namespaces"));
  EXPECT_THAT(error_of("allow: {ports: [70000]}"), testing::HasSubstr("allow.ports"));
  EXPECT_THAT(error_of("allow: {hosts: 10.0.0.0/8}"), testing::HasSubstr("is not any, or a list"));
}

TEST_F(DaemonConfigTest, of_an_empty_file_are_the_defaults) {
  for (const char* text : {"", "# nothing\n", "{}\n"}) {
    const auto config = load(text);
    ASSERT_TRUE(config) << config.error().message;
    EXPECT_EQ(*config, DaemonConfig{});
  }
}

TEST_F(DaemonConfigTest, a_missing_file_is_an_error_only_where_somebody_named_it) {
  const std::string path = directory.path() / "none.yaml";
  const auto defaults = load_daemon_config(path, IfMissing::use_defaults);
  ASSERT_TRUE(defaults);
  EXPECT_EQ(*defaults, DaemonConfig{});
  const auto refused = load_daemon_config(path, IfMissing::fail);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, path + ": No such file or directory");
}

TEST_F(DaemonConfigTest, a_file_that_cannot_be_read_is_an_error_for_everybody) {
  EXPECT_FALSE(load_daemon_config(directory.path(), IfMissing::use_defaults));
  directory.write("plain", "x");
  EXPECT_FALSE(load_daemon_config(directory.path() / "plain" / "below", IfMissing::fail));
}

TEST_F(DaemonConfigTest, tells_all_errors_at_once) {
  EXPECT_EQ(
      error_of("scenarios: relative\nstore:\n  databse: /x\nlimits:\n  queue: 0\n  timeout: 0s\nlog: loud\n"),
      ":1:12: scenarios: \"relative\" is not an absolute path of a directory, without a final /\n" +
          (directory.path() / "netperfd.yaml").string() +
          ":3:3: store.databse: no such key; did you mean `database`?\n" +
          (directory.path() / "netperfd.yaml").string() +
          ":5:10: limits.queue: \"0\" is not a whole number from 1 to 10000\n" +
          (directory.path() / "netperfd.yaml").string() +
          ":6:12: limits.timeout: \"0s\" is not a duration from 1s to 168h (like 24h)\n" +
          (directory.path() / "netperfd.yaml").string() +
          ":7:6: log: \"loud\" is not a mapping (keys with values, indented)");
}

TEST_F(DaemonConfigTest, a_limit_of_a_user_may_be_none) {
  const auto config = load("limits: {user: {queue: none, stored: none, time: none}}");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->user_limits,
            (core::UserLimits{.queue = std::nullopt, .stored_bytes = std::nullopt, .time = std::nullopt}));
  EXPECT_THAT(error_of("limits: {user: {queue: 0}}"),
              testing::HasSubstr("limits.user.queue: \"0\" is not a whole number from 1 to 10000, or none"));
}

TEST_F(DaemonConfigTest, a_wrong_rule_is_named_with_its_place) {
  const std::string file = (directory.path() / "netperfd.yaml").string();
  EXPECT_EQ(error_of("keep:\n  - age: 10min\n  - count: 0\n    sice: 1G\n"),
            ":2:10: keep[0].age: \"10min\" is not a time of an hour or more (like 90d, 12w or 36h)\n" + file +
                ":3:12: keep[1].count: \"0\" is not a number of runs, 1 or more\n" + file +
                ":4:5: keep[1].sice: no such key; did you mean `size`?");
}

TEST_F(DaemonConfigTest, refuses_impossible_rules) {
  for (const char* text : {"keep: 90d", "keep: [90d]", "keep:", "keep: [{size: 0}]", "keep: [{count: 1.5}]",
                           "keep: [{age: 59min}]", "keep: [{age: 36501d}]", "keep: [{label: [a]}]"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

TEST_F(DaemonConfigTest, a_rule_that_no_job_reaches_is_an_error) {
  EXPECT_EQ(
      error_of("keep:\n  - {label: a}\n  - {age: 90d}\n  - {label: release}\n"),
      ":4:5: keep[2]: no job reaches this rule, since keep[1] matches all; the first rule that matches a "
      "job decides, so put that one last");
  EXPECT_EQ(error_of("keep:\n  - {label: release}\n  - {scenario: '*', age: 90d}\n"), "");
}

TEST_F(DaemonConfigTest, refuses_impossible_values) {
  for (const char* text : {"scenarios: /x/",
                           "scenarios: \"/a\\nb\"",
                           "store: {database: x.db}",
                           "store: {min_free: lots}",
                           "iperf3: {path: netperf}",
                           "iperf3: {path: ./iperf3}",
                           "iperf3: {user: -x}",
                           "iperf3: {user: ''}",
                           "iperf3: {user: a b}",
                           "readers: {user: ''}",
                           "authorization: {group: 'a:b'}",
                           "limits: {repeat: 1000000}",
                           "limits: {timeout: 169h}",
                           "limits: {user: 3}",
                           "limits: {user: {stored: 0}}",
                           "limits: {user: {time: 25h}}",
                           "log: {level: loud}",
                           "[a]",
                           "text",
                           "log: {level: info, level: debug}"}) {
    EXPECT_NE(error_of(text), "") << text;
  }
}

}  // namespace
}  // namespace netperfd::config
