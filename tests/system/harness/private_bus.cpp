// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/private_bus.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "tests/system/harness/bus_client.hpp"

namespace netperfd::system_test {
namespace {

// The rules of the real system.conf: nobody owns a name or calls a method unless a policy file allows it.
constexpr std::string_view kBusConfiguration =
    R"(<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>{}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Introspectable"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Properties"/>
    <deny send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus" send_member="UpdateActivationEnvironment"/>
  </policy>
  <include>{}</include>
  <policy user="daemon">
    <allow send_destination="org.netperfd1" send_type="method_call" send_interface="org.netperfd1.Manager" send_member="ImportRun" max_fds="2"/>
  </policy>
  <policy user="bin">
    <allow send_destination="org.netperfd1" send_type="method_call" send_interface="org.netperfd1.Manager" send_member="ImportRun" max_fds="2"/>
  </policy>
  <policy context="default">
    <allow send_destination="org.freedesktop.PolicyKit1"/>
  </policy>
  <policy user="root">
    <allow own="org.freedesktop.PolicyKit1"/>
  </policy>
  <policy user="polkitd">
    <allow own="org.freedesktop.PolicyKit1"/>
  </policy>
  {}
</busconfig>
)";

// After netperfd's own policy, so that it overrules that.
constexpr std::string_view kLaxRules = R"(<policy context="mandatory">
    <allow send_type="signal"/>
    <allow send_requested_reply="false" send_type="method_return"/>
    <allow send_requested_reply="false" send_type="error"/>
    <allow receive_requested_reply="false" receive_type="method_return"/>
    <allow receive_requested_reply="false" receive_type="error"/>
  </policy>
  <policy user="root">
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus.Monitoring"/>
  </policy>)";
constexpr std::string_view kOpenRules = R"(<policy context="mandatory">
    <allow send_destination="org.netperfd1"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="false" send_type="method_return"/>
    <allow send_requested_reply="false" send_type="error"/>
    <allow receive_requested_reply="false" receive_type="method_return"/>
    <allow receive_requested_reply="false" receive_type="error"/>
  </policy>)";
constexpr std::string_view kLossyRules = R"(<policy context="mandatory">
    <deny send_type="signal" send_interface="org.freedesktop.DBus.Properties"/>
  </policy>
  <policy user="bin">
    <deny receive_type="signal" receive_interface="org.netperfd1.Manager" receive_member="RunEnded"/>
  </policy>)";

std::string_view more_rules(PrivateBus::Rules rules) {
  switch (rules) {
    case PrivateBus::Rules::as_shipped:
      return "";
    case PrivateBus::Rules::lax:
      return kLaxRules;
    case PrivateBus::Rules::open:
      return kOpenRules;
    case PrivateBus::Rules::lossy:
      return kLossyRules;
  }
  return "";
}

}  // namespace

PrivateBus::PrivateBus(const ScratchDir& directory, Rules rules)
    : directory_(directory), address_("unix:path=" + directory.path("bus")) {
  const std::string configuration = configure(rules);
  // Nobody reads what it says of each message that it refuses, and it would wait for that.
  process_ = std::make_unique<Process>(
      Command{.argv = {"dbus-daemon", "--nofork", "--print-address", "--config-file=" + configuration},
              .environment = {},
              .user = {},
              .netns = {},
              .stderr_file = "/dev/null"});
  // Printed when it listens.
  process_->wait_for_output("unix:path=");
}

std::string PrivateBus::configure(Rules rules) const {
  return directory_.write("bus.conf",
                          fmt::format(kBusConfiguration, address_, NETPERFD_BUS_POLICY, more_rules(rules)));
}

void PrivateBus::change_rules(Rules rules) const {
  (void)configure(rules);
  constexpr const char* kBus = "org.freedesktop.DBus";
  const Reply reply =
      BusClient{address_, User{}}.call_on(kBus, "/org/freedesktop/DBus", kBus, "ReloadConfig", "");
  if (!reply.error_name.empty()) throw std::runtime_error("ReloadConfig: " + reply.error_text);
}

}  // namespace netperfd::system_test
