// SPDX-License-Identifier: GPL-2.0-or-later
// A connection to the bus that sends what it likes: replies that nobody asked for, types that do not exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "dbus/message_head.hpp"
#include "tests/system/harness/process.hpp"
#include "tests/unit/dbus/header.hpp"

namespace netperfd::system_test {

class RawClient {
 public:
  RawClient(const std::string& address, const User& user);

  // The header of a message to `destination`, for more fields. `body`: its bytes.
  [[nodiscard]] static dbus::test::Header header(dbus::MessageType type, const std::string& destination,
                                                 const std::string& member, std::size_t body = 0);
  // Adds the number of the descriptors to the header. It has no body.
  void send(dbus::test::Header header, const std::vector<int>& descriptors = {});
  // Blocks until the bus has taken all of it.
  void send_body(dbus::test::Header header, std::span<const unsigned char> body);
  // The next error that comes, as the bytes of its message.
  [[nodiscard]] std::string wait_for_error();
  // Whether the bus has room for more. It reads no more of somebody whose messages wait for their receiver.
  [[nodiscard]] bool can_send() const;
  // Returns once the bus has dealt with everything that was sent.
  void wait_for_bus();

 private:
  [[nodiscard]] std::string read_line() const;
  void read_message();
  // Of the bus, to the oldest call that it has not answered.
  void wait_for_answer();

  Fd socket_;
  std::uint32_t serial_ = 0;
  dbus::MessageType last_type_ = dbus::MessageType::call;  // of what was read
  std::string last_sender_;
  std::string last_bytes_;
};

}  // namespace netperfd::system_test
