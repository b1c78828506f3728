// SPDX-License-Identifier: GPL-2.0-or-later
// Where a caller may measure: who is limited, and what becomes of a job elsewhere.
#include <unistd.h>

#include <gmock/gmock.h>

#include <string>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::StartsWith;

class Places : public BusTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to become other users";
    BusTest::SetUp();
  }
};

std::string start_text(sdbus::IProxy& manager) {
  return outcome_of([&] {
    manager.callMethod("StartJob")
        .onInterface(dbus::kManagerInterface)
        .withArguments(std::string{"name: x\n"}, std::string{"x.yaml"}, dbus::Row{});
  });
}

std::string call_with_scenario(sdbus::IProxy& manager, const char* method) {
  return outcome_of([&] {
    manager.callMethod(method)
        .onInterface(dbus::kManagerInterface)
        .withArguments(std::string{"fake"}, dbus::Row{});
  });
}

TEST_F(Places, of_everybody_but_root_are_limited) {
  const User member{.groups = {kGroup}};
  EXPECT_EQ(as(member, start_text), "ok");
  EXPECT_TRUE(scenarios.last_options.limited);
  EXPECT_EQ(as({.uid = 0, .gid = 0}, start_text), "ok");
  EXPECT_FALSE(scenarios.last_options.limited);
  for (const char* method : {"StartScenario", "CheckScenario", "CheckBoots"}) {
    scenarios.last_options.limited = false;
    EXPECT_EQ(as(member, [&](sdbus::IProxy& manager) { return call_with_scenario(manager, method); }), "ok")
        << method;
    EXPECT_TRUE(scenarios.last_options.limited) << method;
  }
}

TEST_F(Places, that_are_not_allowed_start_nothing) {
  scenarios.refusal = Error{ErrorKind::access_denied, "x.yaml:1:1: workload.iperf3.server: is not allowed"};
  EXPECT_THAT(as({.groups = {kGroup}}, start_text), StartsWith(dbus::error::kAccessDenied));
  EXPECT_TRUE(scheduler->jobs().empty());
}

}  // namespace
}  // namespace netperfd::bus
