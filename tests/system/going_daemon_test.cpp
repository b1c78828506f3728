// SPDX-License-Identifier: GPL-2.0-or-later
// The client with a fake daemon that removes a job whose end its store does not have.
#include <systemd/sd-bus.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "dbus/names.hpp"
#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/private_bus.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kJob = "/org/netperfd1/job/3";

// Shows job 3 in a state once, then removes it. Leaves the bus when it is asked for its jobs the third time.
class GoingDaemon {
 public:
  GoingDaemon(const std::string& address, std::string state) : state_(std::move(state)) {
    sd_bus* bus = nullptr;
    check(sd_bus_new(&bus), "sd_bus_new");
    bus_.reset(bus);
    check(sd_bus_set_address(bus, address.c_str()), "sd_bus_set_address");
    check(sd_bus_set_bus_client(bus, 1), "sd_bus_set_bus_client");
    check(sd_bus_start(bus), "sd_bus_start");
    check(sd_bus_add_object(bus, nullptr, dbus::kManagerPath, on_call, this), "sd_bus_add_object");
    check(sd_bus_request_name(bus, dbus::kService, 0), "sd_bus_request_name");
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (lists_ < 3 && !stop.stop_requested() && sd_bus_process(bus_.get(), nullptr) >= 0) {
        if (sd_bus_wait(bus_.get(), 100'000) < 0) break;
      }
      bus_.reset();
    });
  }

 private:
  struct Unref {
    void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
    void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
  };

  static void check(int result, const char* what) {
    if (result < 0) throw std::runtime_error(std::string(what) + ": errno " + std::to_string(-result));
  }

  static int on_call(sd_bus_message* call, void* self, sd_bus_error*) {
    auto& daemon = *static_cast<GoingDaemon*>(self);
    const std::string_view member = sd_bus_message_get_member(call);
    if (member == "GetManagedObjects" && ++daemon.lists_ == 3) return 1;
    sd_bus_message* made = nullptr;
    check(sd_bus_message_new_method_return(call, &made), "reply");
    const std::unique_ptr<sd_bus_message, Unref> reply{made};
    if (member == "GetManagedObjects") {
      daemon.list_to(made);
    } else if (member == "GetJob") {
      check(sd_bus_message_append(made, "a{sv}aa{sv}", 2, "job", "t", std::uint64_t{3}, "state", "s", "live",
                                  0),
            "job");
    } else if (member == "ListRuns") {
      check(sd_bus_message_append(made, "aa{sv}s", 0, ""), "runs");
    }
    check(sd_bus_send(nullptr, made, nullptr), "send");
    if (member == "GetManagedObjects" && daemon.lists_ == 1) {
      check(sd_bus_emit_signal(daemon.bus_.get(), dbus::kManagerPath, "org.freedesktop.DBus.ObjectManager",
                               "InterfacesRemoved", "oas", kJob, 1, dbus::kJobInterface),
            "removed");
    }
    return 1;
  }

  void list_to(sd_bus_message* reply) const {
    const int r = lists_ > 1
                      ? sd_bus_message_append(reply, "a{oa{sa{sv}}}", 0)
                      : sd_bus_message_append(reply, "a{oa{sa{sv}}}", 1, kJob, 1, dbus::kJobInterface, 4,
                                              "Id", "t", std::uint64_t{3}, "State", "s", state_.c_str(),
                                              "Runs", "at", 1, std::uint64_t{7}, "RunsEnded", "u", 1U);
    check(r, "jobs");
  }

  std::string state_;
  int lists_ = 0;  // of jobs that were asked for
  std::unique_ptr<sd_bus, Unref> bus_;
  std::jthread thread_;
};

class GoingNetperfd : public testing::Test {
 protected:
  [[nodiscard]] Outcome wait_while_it_is(const std::string& state) const {
    const GoingDaemon daemon{bus_.address(), state};
    return system_test::run({.argv = {NETPERFCTL_PROGRAM, "wait", "3"},
                             .environment = {bus_.environment(), "LC_ALL=C.UTF-8"},
                             .user = {},
                             .netns = {},
                             .stderr_file = {}});
  }

  ScratchDir directory_;
  PrivateBus bus_{directory_};
};

TEST_F(GoingNetperfd, is_not_said_to_have_ended_a_job_that_ran) {
  const Outcome waited = wait_while_it_is("running");
  EXPECT_EQ(waited.code, kUnreachable) << waited.out << waited.err;
  EXPECT_THAT(waited.err, Not(HasSubstr("has ended")));
}

TEST_F(GoingNetperfd, is_waited_for_until_it_has_stored_the_ends) {
  const Outcome waited = wait_while_it_is("finished");
  EXPECT_EQ(waited.code, kUnreachable) << waited.out << waited.err;
  EXPECT_THAT(waited.err, HasSubstr("job 3 has ended, but the ends of its last runs are not stored yet"));
}

}  // namespace
}  // namespace netperfd::system_test
