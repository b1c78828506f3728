// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/asking_bus.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include "daemon/base/fd.hpp"
#include "tests/support/forgery.hpp"
#include "tests/unit/bus/private_bus.hpp"

namespace netperfd::bus {
namespace {

// The bus closes what it does not pass on. Nobody reads from the connection meanwhile.
TEST(AskingBusTest, is_passed_no_descriptor_of_anybody) {
  auto bus = PrivateBus::start(PrivateBus::Rules::lax);
  if (!bus) GTEST_SKIP() << bus.error().message;
  dbus::AskingBus asking;
  ASSERT_GE(asking.open(), 0);
  const std::string name = forgery::unique_name(asking.get());
  const forgery::Stranger stranger;
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  forgery::send_signal(stranger.bus(), name, "/", "a.test", "Word", "h", pipe->write.get());
  pipe->write.reset();
  forgery::settle(stranger.bus());
  pollfd watched{pipe->read.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 10'000), 1);
  EXPECT_NE(watched.revents & POLLHUP, 0);
  forgery::settle(asking.get());  // it goes on
}

}  // namespace
}  // namespace netperfd::bus
