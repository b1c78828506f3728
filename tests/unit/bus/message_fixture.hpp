// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that are written and read, but never sent.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "dbus/compat.hpp"
#include "tests/unit/bus/private_bus.hpp"

namespace netperfd::bus {

// sdbus-c++ makes messages only on a connection.
class MessageTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto bus = PrivateBus::start();
    ASSERT_TRUE(bus) << bus.error().message;
    bus_.emplace(std::move(*bus));
    connection_ = sdbus::createSystemBusConnection();
    proxy_ = sdbus::createProxy(*connection_, dbus::ServiceName{"org.example"}, sdbus::ObjectPath{"/"});
  }
  static void TearDownTestSuite() {
    proxy_.reset();
    connection_.reset();
    bus_.reset();
  }

  // Of these values, to be read.
  template <class... Values>
  static sdbus::MethodCall message_of(const Values&... values) {
    auto message = proxy_->createMethodCall(dbus::InterfaceName{"org.example"}, dbus::MethodName{"Method"});
    (static_cast<void>(message << values), ...);
    seal(message);
    return message;
  }
  static sdbus::MethodCall empty_message() {
    return proxy_->createMethodCall(dbus::InterfaceName{"org.example"}, dbus::MethodName{"Method"});
  }
  static void seal(sdbus::MethodCall& message) {
    // A message of libsystemd's own needs a number before it can be read.
    ASSERT_GE(sd_bus_message_seal(dbus::RawMessage::of(message), 1, 0), 0);
  }
  // As libsystemd prints it, with each value and its type.
  static std::string printed(const sdbus::Message& message) {
    char* text = nullptr;
    std::size_t size = 0;
    FILE* const stream = open_memstream(&text, &size);
    EXPECT_GE(sd_bus_message_dump(dbus::RawMessage::of(message), stream, SD_BUS_MESSAGE_DUMP_SUBTREE_ONLY),
              0);
    (void)std::fclose(stream);
    const std::string all{text, size};
    std::free(text);  // NOLINT(*-no-malloc): libc allocated it
    return all;
  }

 private:
  inline static std::optional<PrivateBus> bus_;
  inline static std::unique_ptr<sdbus::IConnection> connection_;
  inline static std::unique_ptr<sdbus::IProxy> proxy_;
};

}  // namespace netperfd::bus
