// SPDX-License-Identifier: GPL-2.0-or-later
// The name on the bus of a process that died while one that it was spawning has its connection.
#include "daemon/bus/name_wait.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <thread>

#include "daemon/base/fd.hpp"
#include "dbus/names.hpp"
#include "tests/unit/bus/private_bus.hpp"

namespace netperfd::bus {
namespace {

using Connected = std::unique_ptr<sd_bus, sd_bus* (*)(sd_bus*)>;

Connected connect() {
  sd_bus* raw = nullptr;
  if (sd_bus_open_system(&raw) < 0) throw std::runtime_error("no bus");
  return {raw, sd_bus_flush_close_unref};
}

int take_name(sd_bus* bus) {
  return sd_bus_request_name(bus, dbus::kService, 0);
}

// Forks a process that takes the name, and one of its own that has its descriptors until `end` is closed;
// kills the first of them.
void leave_name(Pipe& end) {
  auto ready = make_pipe().value();
  const pid_t owner = ::fork();
  if (owner == 0) {
    end.write.reset();
    const Connected bus = connect();
    const bool taken = take_name(bus.get()) >= 0;
    const pid_t spawned = ::fork();
    char byte = 0;
    if (spawned == 0) (void)!::read(end.read.get(), &byte, 1);
    if (spawned > 0) (void)!::write(ready.write.get(), taken ? "y" : "n", 1);
    if (spawned > 0) ::pause();
    ::_exit(0);
  }
  char taken = 0;
  ASSERT_EQ(::read(ready.read.get(), &taken, 1), 1);
  ASSERT_EQ(taken, 'y');
  ASSERT_EQ(::kill(owner, SIGKILL), 0);
  ASSERT_EQ(::waitpid(owner, nullptr, 0), owner);
}

// Sees the next connection that comes to the bus.
class Arrival {
 public:
  Arrival() {
    if (sd_bus_match_signal(bus_.get(), nullptr, "org.freedesktop.DBus", nullptr, nullptr, "NameOwnerChanged",
                            on_change, &came_) < 0)
      throw std::runtime_error("no match");
  }
  void wait() {
    while (!came_ && sd_bus_wait(bus_.get(), UINT64_MAX) >= 0) {
      while (sd_bus_process(bus_.get(), nullptr) > 0) {
      }
    }
  }

 private:
  static int on_change(sd_bus_message* message, void* to, sd_bus_error* /*error*/) {
    const char* name = nullptr;
    if (sd_bus_message_read(message, "s", &name) >= 0 && *name == ':') *static_cast<bool*>(to) = true;
    return 0;
  }

  Connected bus_ = connect();
  bool came_ = false;
};

TEST(NameOfDead, is_waited_for_until_the_last_copy_of_its_connection_is_closed) {
  const auto started = PrivateBus::start();
  ASSERT_TRUE(started) << started.error().message;
  auto end = make_pipe().value();
  leave_name(end);
  const Connected own = connect();
  ASSERT_EQ(take_name(own.get()), -EEXIST);
  Arrival arrival;
  std::thread releasing([&] {
    arrival.wait();
    end.write.reset();
  });
  wait_for_name_of_dead(dbus::kService);
  releasing.join();
  EXPECT_GE(take_name(own.get()), 0);
}

TEST(NameOfDead, is_not_waited_for_if_its_owner_lives_or_nobody_has_it) {
  const auto started = PrivateBus::start();
  ASSERT_TRUE(started) << started.error().message;
  const Connected own = connect();
  wait_for_name_of_dead(dbus::kService, std::chrono::hours{1});
  ASSERT_GE(take_name(own.get()), 0);
  wait_for_name_of_dead(dbus::kService, std::chrono::hours{1});
}

}  // namespace
}  // namespace netperfd::bus
