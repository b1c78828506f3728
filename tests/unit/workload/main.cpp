// SPDX-License-Identifier: GPL-2.0-or-later
// The test program also acts as the launcher and, for some tests, as the process between the test and a
// child.
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string_view>

#include "daemon/workload/launcher.hpp"
#include "daemon/workload/orphans.hpp"
#include "tests/unit/workload/support.hpp"

namespace netperfd::workload::test {
namespace {

// --nested PROGRAM ARGUMENTS...: as the current user, run a child to its end and repeat its output.
int run_nested(int argc, char** argv) {
  EventLoop loop = make_loop();
  Watched watched;
  if (const Status started = start(loop, watched, order_for({argv + 2, argv + argc})); !started) {
    (void)std::fprintf(stderr, "%s\n", started.error().message.c_str());
    return 1;
  }
  if (!turn_until(loop, [&] { return watched.ready || watched.end; })) return 1;
  watched.child->release();
  if (!turn_until(loop, [&] { return watched.end.has_value(); })) return 1;
  std::printf("%s%s", watched.child->out().c_str(), watched.end->failure.c_str());
  return 0;
}

// --parent-of waiting|running: start a child of another user in that state, print its pid, and live until
// killed.
int run_parent(std::string_view state) {
  EventLoop loop = make_loop();
  Watched watched;
  LaunchOrder order = order_for({"sh", "-c", "echo running; exec sleep 1000"});
  order.uid = kNobody;
  order.gid = kNogroup;
  if (!start(loop, watched, std::move(order))) return 1;
  if (!turn_until(loop, [&] { return watched.ready; })) return 1;
  if (state == "running") {
    watched.child->release();
    if (!turn_until(loop, [&] { return !watched.lines.empty(); })) return 1;
  }
  std::printf("%d\n", watched.child->pid());
  (void)std::fflush(stdout);
  return loop.run();
}

// --adopting: as a daemon without cgroups, run a child that leaves a process behind, and end that one.
int run_adopting() {
  if (!adopt_orphans()) return 2;
  EventLoop loop = make_loop();
  Watched watched;
  LaunchOrder order =
      order_for({"sh", "-c", "(setsid sh -c 'exec sleep 997' >/dev/null 2>&1 </dev/null &); exit 0"});
  order.uid = kNobody;
  order.gid = kNogroup;
  if (!start(loop, watched, std::move(order))) return 3;
  if (!turn_until(loop, [&] { return watched.ready; })) return 4;
  watched.child->release();
  if (!turn_until(loop, [&] { return watched.end.has_value(); })) return 5;
  if (children_with("997").size() != 1) return 6;
  if (end_orphans(kNobody + 1) != 0 || children_with("997").size() != 1) return 7;  // another user's
  if (!turn_until(loop, [&] { return end_orphans(kNobody) == 0; })) return 8;
  return children_with("997").empty() ? 0 : 9;
}

}  // namespace
}  // namespace netperfd::workload::test

int main(int argc, char** argv) {
  using namespace netperfd::workload;
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == kLauncherFlag) return run_launcher(argc, argv);
  if (mode == "--nested" && argc > 2) return test::run_nested(argc, argv);
  if (mode == "--adopting") return test::run_adopting();
  if (mode == "--parent-of" && argc > 2) return test::run_parent(argv[2]);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
