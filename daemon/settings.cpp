// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/settings.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "daemon/core/retention/keep_rules.hpp"

namespace netperfd {
namespace {

constexpr const char* kDefaultConfig = "/etc/netperfd/netperfd.yaml";

// A user or group of the configuration is a name, or a number that need not have a name.
template <class Id>
std::optional<Id> parse_number(const std::string& text) {
  Id id{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return id;
}

struct Account {
  uid_t uid = 0;
  gid_t gid = 0;
};

// The name service calls below run while there is only one thread.
Result<Account> find_account(const char* key, const std::string& name) {
  if (const auto uid = parse_number<uid_t>(name)) return Account{*uid, static_cast<gid_t>(*uid)};
  const passwd* user = getpwnam(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (user == nullptr) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("{}: no user \"{}\" here; systemd-sysusers makes those of netperfd", key, name));
  }
  return Account{user->pw_uid, user->pw_gid};
}

// Whom hostile bytes are given to.
Result<Account> find_unprivileged(const char* key, const std::string& name) {
  auto account = find_account(key, name);
  if (account && account->uid == 0)
    return fail(ErrorKind::invalid_argument, fmt::format("{}: root is no unprivileged user", key));
  return account;
}

Status find_users(Settings& settings) {
  const auto iperf3 = find_unprivileged("iperf3.user", settings.config.iperf3_user);
  if (!iperf3) return std::unexpected(iperf3.error());
  const auto readers = find_unprivileged("readers.user", settings.config.readers_user);
  if (!readers) return std::unexpected(readers.error());
  if (iperf3->uid == readers->uid) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("readers.user: {} is the user of iperf3, whose processes could end the readers",
                            readers->uid));
  }
  settings.iperf3.path = settings.config.iperf3_path;
  settings.iperf3.uid = iperf3->uid;
  settings.iperf3.gid = iperf3->gid;
  settings.readers.uid = readers->uid;
  settings.readers.gid = readers->gid;
  return {};
}

Result<gid_t> authorized_group(const config::DaemonConfig& config) {
  if (const auto gid = parse_number<gid_t>(config.authorization_group)) return *gid;
  const group* found = getgrnam(config.authorization_group.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (found == nullptr) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("authorization.group: no group \"{}\" here", config.authorization_group));
  }
  return found->gr_gid;
}

// Who may change its directory can put another database there, and root would believe it.
Status expect_own_directory(const std::string& database) {
  const std::string directory = std::filesystem::path(database).parent_path();
  struct stat status{};
  if (::stat(directory.c_str(), &status) != 0) return {};  // the database cannot be opened, which says why
  const auto why = config::changeable(status, directory, status.st_uid == 0 ? 0 : ::geteuid());
  if (why.empty()) return {};
  return fail(ErrorKind::invalid_argument,
              "store.database: its directory must be one that nobody but root can change: " + why);
}

}  // namespace

Result<config::DaemonConfig> load_config(const Options& options) {
  return options.config ? config::load_daemon_config(*options.config, config::IfMissing::fail)
                        : config::load_daemon_config(kDefaultConfig, config::IfMissing::use_defaults);
}

Result<Settings> load_settings(const Options& options) {
  auto config = load_config(options);
  if (!config) return std::unexpected(std::move(config.error()));
  if (auto own = expect_own_directory(config->database); !own) return std::unexpected(std::move(own.error()));
  auto group = authorized_group(*config);
  if (!group) return std::unexpected(std::move(group.error()));
  Settings settings;
  settings.config = std::move(*config);
  if (auto found = find_users(settings); !found) return std::unexpected(std::move(found.error()));
  settings.group = *group;
  settings.level = log::parse_level(settings.config.log_level).value_or(log::Level::info);
  return settings;
}

config::ScenarioDirectories scenario_directories(const config::DaemonConfig& config) {
  return {{config.scenarios_dir, config.shipped_scenarios_dir},
          {.repeat = config.repeat_limit, .timeout = config.timeout_limit, .allow = config.allow}};
}

int check_settings(const Settings& settings) {
  int code = EXIT_SUCCESS;
  config::ScenarioDirectories scenarios = scenario_directories(settings.config);
  for (const auto& row : scenarios.list()) {
    if (row.error.empty()) {
      fmt::print("{}: fine\n", row.file);
    } else {
      fmt::print(stderr, "{}\n", row.error);
      code = EXIT_FAILURE;
    }
  }
  if (!settings.config.allow.all()) fmt::print("allow: {}\n", describe(settings.config.allow));
  for (std::size_t i = 0; i < settings.config.keep.size(); ++i) {
    fmt::print("keep[{}]: {}\n", i, core::describe(settings.config.keep[i]));
  }
  return code;
}

}  // namespace netperfd
