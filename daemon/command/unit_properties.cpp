// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/unit_properties.hpp"

#include <algorithm>
#include <csignal>
#include <limits>
#include <type_traits>

#include "daemon/model/capabilities.hpp"

namespace netperfd::command {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;  // in microseconds
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Below these, a program would have the host's files, locks and sockets; as root's user it could ask systemd
// for anything through them.
const UnitMounts kOwnDirectories = {{"/dev/shm", "mode=1777,size=64M"},
                                    {"/run", "mode=0755,size=16M"},
                                    {"/tmp", "mode=1777,size=256M,nr_inodes=16384"}};

// What systemd sets for each service, and no workload should depend on.
const std::vector<std::string> kUnset = {
    "INVOCATION_ID",         "JOURNAL_STREAM",        "LANG",
    "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE", "SYSTEMD_EXEC_PID"};

int append_mounts(sd_bus_message* message, const UnitMounts& mounts) {
  int r = sd_bus_message_open_container(message, 'v', "a(ss)");
  if (r >= 0) r = sd_bus_message_open_container(message, 'a', "(ss)");
  for (const auto& [place, options] : mounts) {
    if (r >= 0) r = sd_bus_message_append(message, "(ss)", place.c_str(), options.c_str());
  }
  if (r >= 0) r = sd_bus_message_close_container(message);
  return r >= 0 ? sd_bus_message_close_container(message) : r;
}

int append_words(sd_bus_message* message, const std::vector<std::string>& words) {
  int r = sd_bus_message_open_container(message, 'v', "as");
  if (r >= 0) r = sd_bus_message_open_container(message, 'a', "s");
  for (const std::string& word : words) {
    if (r >= 0) r = sd_bus_message_append(message, "s", word.c_str());
  }
  if (r >= 0) r = sd_bus_message_close_container(message);
  return r >= 0 ? sd_bus_message_close_container(message) : r;
}

// "no-env-expand", since systemd would replace words like $HOME from the manager's environment.
int append_command(sd_bus_message* message, const std::vector<std::string>& argv) {
  int r = sd_bus_message_open_container(message, 'v', "a(sasas)");
  if (r >= 0) r = sd_bus_message_open_container(message, 'a', "(sasas)");
  if (r >= 0) r = sd_bus_message_open_container(message, 'r', "sasas");
  if (r >= 0) r = sd_bus_message_append(message, "s", argv.front().c_str());
  if (r >= 0) r = sd_bus_message_open_container(message, 'a', "s");
  for (const std::string& word : argv) {
    if (r >= 0) r = sd_bus_message_append(message, "s", word.c_str());
  }
  if (r >= 0) r = sd_bus_message_close_container(message);
  if (r >= 0) r = sd_bus_message_append(message, "as", 1, "no-env-expand");
  for (int depth = 0; depth < 3; ++depth) {
    if (r >= 0) r = sd_bus_message_close_container(message);
  }
  return r;
}

int append_value(sd_bus_message* message, const UnitValue& value) {
  return std::visit(
      [message](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>) {
          return sd_bus_message_append(message, "v", "s", held.c_str());
        } else if constexpr (std::is_same_v<Held, bool>) {
          return sd_bus_message_append(message, "v", "b", int{held});
        } else if constexpr (std::is_same_v<Held, std::int32_t>) {
          return sd_bus_message_append(message, "v", "i", held);
        } else if constexpr (std::is_same_v<Held, std::uint32_t>) {
          return sd_bus_message_append(message, "v", "u", held);
        } else if constexpr (std::is_same_v<Held, std::uint64_t>) {
          return sd_bus_message_append(message, "v", "t", held);
        } else if constexpr (std::is_same_v<Held, std::vector<std::string>>) {
          return append_words(message, held);
        } else if constexpr (std::is_same_v<Held, UnitMounts>) {
          return append_mounts(message, held);
        } else if constexpr (std::is_same_v<Held, UnitExec>) {
          return append_command(message, held.argv);
        } else {
          return sd_bus_message_append(message, "v", "h", held.fd);
        }
      },
      value);
}

}  // namespace

// Without DefaultDependencies=, a shutdown of the host leaves the end of a run to netperfd. The launcher sets
// what also holds for programs without capabilities: CPUs, limits, the mask of new files, the OOM score.
std::vector<UnitProperty> properties_of_program(const core::UnitOrder& order, int standard_input) {
  std::vector<UnitProperty> properties{
      {"Description", order.description},
      {"Type", std::string("exec")},
      {"DefaultDependencies", false},
      {"CollectMode", std::string("inactive-or-failed")},
      {"AddRef", true},
      // Whatever the program leaves has no say in its end.
      {"KillMode", std::string("control-group")},
      {"KillSignal", std::int32_t{SIGKILL}},
      {"TimeoutStartUSec", 20 * kSecond},
      {"TimeoutStopUSec", 10 * kSecond},  // for the cleanup
      {"RuntimeMaxUSec", std::uint64_t{7} * 24 * 3600 * kSecond},
      {"CapabilityBoundingSet", mask_of_capabilities(order.capabilities)},
      {"NoNewPrivileges", true},
      {"PrivateDevices", true},
      {"ProtectSystem", std::string("strict")},
      {"ProtectHome", std::string("yes")},
      {"ProtectKernelTunables", true},
      {"ProtectControlGroups", true},
      {"TemporaryFileSystem", kOwnDirectories},
      {"WorkingDirectory", std::string("/tmp")},
      {"TasksMax", std::uint64_t{4096}},
      {"MemoryMaxScale", std::numeric_limits<std::uint32_t>::max() / 2},  // half of the host's
      {"LimitMEMLOCK", kNoLimit},  // maps of BPF may count; MemoryMax= bounds them
      {"Environment", order.environment},
      {"UnsetEnvironment", kUnset},
      {"StandardInputFileDescriptor", UnitDescriptor{standard_input}},
      {"StandardOutput", std::string("journal")},
      {"StandardError", std::string("journal")},
  };
  if (!order.netns.empty()) properties.push_back({"NetworkNamespacePath", "/run/netns/" + order.netns});
  if (std::ranges::find(order.capabilities, "BPF") != order.capabilities.end())
    properties.push_back({"ReadWritePaths", std::vector<std::string>{"-/sys/fs/bpf"}});
  properties.push_back({"ExecStartEx", UnitExec{order.argv}});
  if (!order.cleanup.empty()) properties.push_back({"ExecStopPostEx", UnitExec{order.cleanup}});
  return properties;
}

int append_properties(sd_bus_message* message, const std::vector<UnitProperty>& properties) {
  int r = sd_bus_message_open_container(message, 'a', "(sv)");
  for (const UnitProperty& property : properties) {
    if (r >= 0) r = sd_bus_message_open_container(message, 'r', "sv");
    if (r >= 0) r = sd_bus_message_append(message, "s", property.name);
    if (r >= 0) r = append_value(message, property.value);
    if (r >= 0) r = sd_bus_message_close_container(message);
  }
  return r >= 0 ? sd_bus_message_close_container(message) : r;
}

}  // namespace netperfd::command
