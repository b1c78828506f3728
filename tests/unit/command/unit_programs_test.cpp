// SPDX-License-Identifier: GPL-2.0-or-later
// What a program's unit is asked for, and what systemd's report on its end means.
#include "daemon/command/unit_programs.hpp"

#include <gmock/gmock.h>

#include <csignal>
#include <string>
#include <vector>

#include "daemon/command/unit_properties.hpp"
#include "tests/support/forgery.hpp"
#include "tests/unit/bus/private_bus.hpp"

namespace netperfd::command::test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

core::UnitOrder order() {
  return {.description = "Program",
          .argv = {"/usr/libexec/netperfd", "--child"},
          .environment = {"LC_ALL=C"},
          .netns = "right",
          .capabilities = {"NET_ADMIN", "BPF"},
          .cleanup = {"/usr/sbin/ip", "link", "set", "dev", "$HOME", "xdp", "off"}};
}

std::string shown(const UnitValue& value) {
  struct Shown {
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(bool yes) const { return yes ? "yes" : "no"; }
    std::string operator()(std::int32_t number) const { return std::to_string(number); }
    std::string operator()(std::uint32_t number) const { return std::to_string(number); }
    std::string operator()(std::uint64_t number) const { return std::to_string(number); }
    std::string operator()(const std::vector<std::string>& words) const {
      std::string all;
      for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
      return all;
    }
    std::string operator()(const UnitMounts& mounts) const {
      std::string all;
      for (const auto& [place, options] : mounts) all += (all.empty() ? "" : " ") + place;
      return all;
    }
    std::string operator()(const UnitExec& exec) const { return (*this)(exec.argv); }
    std::string operator()(const UnitDescriptor& descriptor) const { return std::to_string(descriptor.fd); }
  };
  return std::visit(Shown{}, value);
}

std::vector<std::string> lines_of(const core::UnitOrder& asked) {
  std::vector<std::string> lines;
  for (const UnitProperty& property : properties_of_program(asked, 7))
    lines.push_back(std::string(property.name) + "=" + shown(property.value));
  return lines;
}

TEST(UnitOfProgram, has_the_listed_capabilities_and_a_sandbox_for_roots_user) {
  // CAP_NET_ADMIN is 12, CAP_BPF 39.
  EXPECT_THAT(
      lines_of(order()),
      ElementsAre("Description=Program", "Type=exec", "DefaultDependencies=no",
                  "CollectMode=inactive-or-failed", "AddRef=yes", "KillMode=control-group", "KillSignal=9",
                  "TimeoutStartUSec=20000000", "TimeoutStopUSec=10000000", "RuntimeMaxUSec=604800000000",
                  "CapabilityBoundingSet=549755817984", "NoNewPrivileges=yes", "PrivateDevices=yes",
                  "ProtectSystem=strict", "ProtectHome=yes", "ProtectKernelTunables=yes",
                  "ProtectControlGroups=yes", "TemporaryFileSystem=/dev/shm /run /tmp",
                  "WorkingDirectory=/tmp", "TasksMax=4096", "MemoryMaxScale=2147483647",
                  "LimitMEMLOCK=18446744073709551615", "Environment=LC_ALL=C",
                  "UnsetEnvironment=INVOCATION_ID JOURNAL_STREAM LANG MEMORY_PRESSURE_WATCH "
                  "MEMORY_PRESSURE_WRITE SYSTEMD_EXEC_PID",
                  "StandardInputFileDescriptor=7", "StandardOutput=journal", "StandardError=journal",
                  "NetworkNamespacePath=/run/netns/right", "ReadWritePaths=-/sys/fs/bpf",
                  "ExecStartEx=/usr/libexec/netperfd --child",
                  "ExecStopPostEx=/usr/sbin/ip link set dev $HOME xdp off"));
}

TEST(UnitOfProgram, has_nothing_that_was_not_asked_for) {
  core::UnitOrder plain = order();
  plain.netns.clear();
  plain.cleanup.clear();
  plain.capabilities = {"NET_RAW"};
  const auto lines = lines_of(plain);
  EXPECT_THAT(lines, Contains("CapabilityBoundingSet=8192"));  // 13
  for (const char* name : {"NetworkNamespacePath", "ReadWritePaths", "ExecStopPostEx"})
    EXPECT_THAT(lines, Not(Contains(testing::StartsWith(name))));
}

// As systemd reads it.
TEST(UnitOfProgram, is_sent_with_the_types_of_systemd) {
  auto private_bus = bus::PrivateBus::start(bus::PrivateBus::Rules::lax);
  ASSERT_TRUE(private_bus) << private_bus.error().message;
  const forgery::Stranger caller;
  sd_bus_message* raw = nullptr;
  ASSERT_GE(sd_bus_message_new_method_call(caller.bus(), &raw, kService, kPath, kManager, "Test"), 0);
  const Message message{raw};
  ASSERT_GE(append_properties(raw, properties_of_program(order(), STDIN_FILENO)), 0);
  ASSERT_GE(sd_bus_message_seal(raw, 1, 0), 0);
  std::vector<std::string> types;
  ASSERT_GT(sd_bus_message_enter_container(raw, 'a', "(sv)"), 0);
  while (sd_bus_message_enter_container(raw, 'r', "sv") > 0) {
    const char* name = nullptr;
    const char* contents = nullptr;
    ASSERT_GT(sd_bus_message_read(raw, "s", &name), 0);
    ASSERT_GT(sd_bus_message_peek_type(raw, nullptr, &contents), 0);
    types.push_back(std::string(name) + ":" + contents);
    ASSERT_GT(sd_bus_message_skip(raw, "v"), 0);
    ASSERT_GT(sd_bus_message_exit_container(raw), 0);
  }
  for (const char* expected :
       {"Type:s", "AddRef:b", "KillSignal:i", "MemoryMaxScale:u", "CapabilityBoundingSet:t", "Environment:as",
        "TemporaryFileSystem:a(ss)", "StandardInputFileDescriptor:h", "ExecStartEx:a(sasas)",
        "ExecStopPostEx:a(sasas)"}) {
    EXPECT_THAT(types, Contains(expected));
  }
}

TEST(EndOfProgram, is_told_by_the_exit_of_its_launcher_and_of_its_cleanup) {
  const ProcessExit good{.code = CLD_EXITED, .status = 0};
  const core::UnitEnd well = end_of_program({.result = "success", .main = good, .stop_post = good}, true);
  EXPECT_EQ(well.failure, "");
  EXPECT_EQ(well.cleanup_failure, "");
  const core::UnitEnd without = end_of_program({.result = "success", .main = good, .stop_post = {}}, false);
  EXPECT_EQ(without.cleanup_failure, "");
  const core::UnitEnd bad = end_of_program(
      {.result = "exit-code", .main = good, .stop_post = {.code = CLD_EXITED, .status = 2}}, true);
  EXPECT_EQ(bad.failure, "");
  EXPECT_EQ(bad.cleanup_failure, "exit code 2");
  const core::UnitEnd never = end_of_program({.result = "resources", .main = {}, .stop_post = {}}, true);
  EXPECT_EQ(never.failure, "systemd says resources of its unit");
  EXPECT_EQ(never.cleanup_failure, "it was not run");
  const core::UnitEnd refused = end_of_program(
      {.result = "exit-code", .main = {.code = CLD_EXITED, .status = 225}, .stop_post = good}, true);
  EXPECT_EQ(refused.failure, "systemd says exit-code of its unit: exit code 225");
  const core::UnitEnd killed = end_of_program(
      {.result = "signal", .main = {.code = CLD_KILLED, .status = SIGKILL}, .stop_post = good}, true);
  EXPECT_EQ(killed.failure, "systemd says signal of its unit: killed by signal 9 (Killed)");
}

}  // namespace
}  // namespace netperfd::command::test
