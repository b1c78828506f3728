// SPDX-License-Identifier: GPL-2.0-or-later
// A bus that does not say in time who sent something.
#include <gmock/gmock.h>
#include <sys/mman.h>

#include <csignal>
#include <string>

#include "daemon/base/fd.hpp"
#include "daemon/bus/access/senders.hpp"
#include "tests/support/forgery.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::HasSubstr;

struct ErrorSeen {
  bool came = false;
  std::string name, text;
  static int take(sd_bus_message* answer, void* to, sd_bus_error*) {
    auto& seen = *static_cast<ErrorSeen*>(to);
    seen.came = true;
    if (const sd_bus_error* error = sd_bus_message_get_error(answer)) {
      seen.name = error->name;
      seen.text = error->message;
    }
    return 0;
  }
};

class LateBus : public BusTest {
 protected:
  // Sends an import, which the bus has passed on by then.
  void import(const forgery::Stranger& from, ErrorSeen& seen) const {
    const Fd file{::memfd_create("file", MFD_CLOEXEC)};
    sd_bus_message* made = nullptr;
    ASSERT_GE(sd_bus_message_new_method_call(from.bus(), &made, dbus::kService, dbus::kManagerPath,
                                             dbus::kManagerInterface, "ImportRun"),
              0);
    const forgery::Message call{made};
    ASSERT_GE(sd_bus_message_append(made, "ahasa{sv}", 1, file.get(), 1, "file", 0), 0);
    ASSERT_GE(sd_bus_call_async(from.bus(), nullptr, made, ErrorSeen::take, &seen, 0), 0);
    forgery::settle(from.bus());
  }
};

TEST_F(LateBus, is_the_reason_that_the_answer_gives) {
  const forgery::Stranger stranger;
  ErrorSeen seen;
  import(stranger, seen);
  bus->send_signal(SIGSTOP);
  bool is_late = false;
  const auto timer = loop->after(2 * Senders::kPatience, [&] { is_late = true; });
  ASSERT_TRUE(timer && run_until(*loop, [&] { return is_late; }));
  bus->send_signal(SIGCONT);
  dbus::attach(stranger.bus(), loop->raw());
  const bool came = run_until(*loop, [&] { return seen.came; });
  sd_bus_detach_event(stranger.bus());
  ASSERT_TRUE(came);
  EXPECT_EQ(seen.name, dbus::error::kBusy);
  EXPECT_THAT(seen.text, HasSubstr("the bus does not say in time whose they are"));
  EXPECT_TRUE(store.jobs.empty());
}

}  // namespace
}  // namespace netperfd::bus
