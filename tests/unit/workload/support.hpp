// SPDX-License-Identifier: GPL-2.0-or-later
// Helpers shared by the tests of this module: running the loop until a condition holds, and watched children.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/workload/child.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::workload::test {

inline constexpr uid_t kNobody = 65534;
inline constexpr gid_t kNogroup = 65534;

// Put this first in tests that change users or namespaces.
#define REQUIRE_ROOT() \
  ASSERT_EQ(::geteuid(), 0U) << "this test changes users or network namespaces: run it as root"

inline EventLoop make_loop() {
  Result<EventLoop> loop = EventLoop::create();
  if (!loop) throw std::runtime_error(loop.error().message);
  return *std::move(loop);
}

// Runs the loop until `fact` holds; false if it does not within `deadline`.
[[nodiscard]] bool turn_until(EventLoop& loop, const std::function<bool()>& fact,
                              std::chrono::milliseconds deadline = kTestPatience);

// True once the process (of any parent) has ended.
[[nodiscard]] bool turn_until_gone(EventLoop& loop, pid_t pid);

// Runs a program to its end; returns its exit code.
[[nodiscard]] int run_program(const std::vector<std::string>& argv);

// The children of this process whose command line contains `word`.
[[nodiscard]] std::vector<pid_t> children_with(std::string_view word);

// A child and all its events.
struct Watched {
  std::unique_ptr<Child> child;
  bool ready = false;
  std::vector<std::string> lines;
  std::optional<ChildEnd> end;
};

// An order for the test's own user, with the test program itself as launcher.
[[nodiscard]] LaunchOrder order_for(std::vector<std::string> argv);
[[nodiscard]] ChildSettings settings_named(std::string name);
// Its address must not change while the child lives.
[[nodiscard]] Status start(EventLoop& loop, Watched& watched, LaunchOrder order,
                           ChildSettings settings = settings_named("iperf3"));

// A directory that every user may enter, removed with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory();
  // Creates a program with that text; returns its path.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string add_program(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

// Two network namespaces, joined by veth: 10.97.0.1 on the left, 10.97.0.2 on the right.
class NamespacePair {
 public:
  NamespacePair();
  NamespacePair(const NamespacePair&) = delete;
  NamespacePair& operator=(const NamespacePair&) = delete;
  ~NamespacePair();
  [[nodiscard]] const std::string& left() const { return left_; }
  [[nodiscard]] const std::string& right() const { return right_; }

  static constexpr const char* kLeftAddress = "10.97.0.1";
  static constexpr const char* kRightAddress = "10.97.0.2";

 private:
  void create() const;
  void remove() const;
  std::string left_, right_;
};

// Of a test without commands.
class NoFigureReading final : public core::FigureReading {
 public:
  Result<std::shared_ptr<void>> read_figures(const std::vector<DeclaredFigure>&,
                                             const std::vector<core::FigureText>&, Done) override {
    return fail(ErrorKind::io, "nothing was run");
  }
};

// Watches the packets that arrive at veth0 of a namespace.
class PacketWatch {
 public:
  explicit PacketWatch(const std::string& netns);
  // True once a packet with a measurement's payload has arrived, not only a handshake.
  [[nodiscard]] bool turn_until_payload(EventLoop& loop) const;

 private:
  Fd socket_;
};

}  // namespace netperfd::workload::test
