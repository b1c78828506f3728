// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/raw_client.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/system/harness/acting_as.hpp"
#include "tests/unit/dbus/sending.hpp"

namespace netperfd::system_test {
namespace {

constexpr const char* kBus = "org.freedesktop.DBus";

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(fmt::format("{}: errno {}", what, errno));
}

void read_all(const Fd& from, std::span<unsigned char> to) {
  while (!to.empty()) {
    const ssize_t got = ::read(from.get(), to.data(), to.size());
    require(got > 0, "read from the bus");
    to = to.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace

RawClient::RawClient(const std::string& address, const User& user) {
  constexpr std::string_view kUnix = "unix:path=";
  require(address.starts_with(kUnix), "the address of the bus");
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  address.copy(place.sun_path, sizeof place.sun_path - 1, kUnix.size());
  {
    const ActingAs acting{user};
    socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    require(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place) == 0,  // NOLINT
            "connect to the bus");
  }
  std::string hex;
  for (const char digit : std::to_string(user.uid)) hex += fmt::format("{:02x}", digit);
  const std::string hello =
      std::string(1, '\0') + fmt::format("AUTH EXTERNAL {}\r\nNEGOTIATE_UNIX_FD\r\nBEGIN\r\n", hex);
  require(::write(socket_.get(), hello.data(), hello.size()) == static_cast<ssize_t>(hello.size()), "greet");
  require(read_line().starts_with("OK "), "the bus knows who this is");
  require(read_line() == "AGREE_UNIX_FD", "the bus passes descriptors");
  send(header(dbus::MessageType::call, kBus, "Hello")
           .text(1, 'o', "/org/freedesktop/DBus")
           .text(2, 's', kBus));
  wait_for_answer();
}

dbus::test::Header RawClient::header(dbus::MessageType type, const std::string& destination,
                                     const std::string& member, std::size_t body) {
  dbus::test::Header made{type, false, static_cast<std::uint32_t>(body)};
  made.text(6, 's', destination);
  if (!member.empty()) made.text(3, 's', member);
  return made;
}

void RawClient::send(dbus::test::Header header, const std::vector<int>& descriptors) {
  if (!descriptors.empty()) header.count(9, static_cast<std::uint32_t>(descriptors.size()));
  auto bytes = header.serial(++serial_).bytes();  // the bus denies a call with the number of one under way
  bytes.resize((bytes.size() + 7) / 8 * 8);
  require(dbus::test::send_with(socket_, std::move(bytes), descriptors), "send to the bus");
}

void RawClient::send_body(dbus::test::Header header, std::span<const unsigned char> body) {
  send(std::move(header));
  while (!body.empty()) {
    const ssize_t sent = ::send(socket_.get(), body.data(), body.size(), MSG_NOSIGNAL);
    require(sent > 0, "send to the bus");
    body = body.subspan(static_cast<std::size_t>(sent));
  }
}

std::string RawClient::wait_for_error() {
  do {
    read_message();
  } while (last_type_ != dbus::MessageType::error);
  return last_bytes_;
}

bool RawClient::can_send() const {
  pollfd room{socket_.get(), POLLOUT, 0};
  return ::poll(&room, 1, 0) == 1;
}

void RawClient::wait_for_bus() {
  send(header(dbus::MessageType::call, kBus, "GetId")
           .text(1, 'o', "/org/freedesktop/DBus")
           .text(2, 's', kBus));
  wait_for_answer();
}

void RawClient::wait_for_answer() {
  do {
    read_message();
  } while (last_type_ != dbus::MessageType::reply || last_sender_ != kBus);
}

std::string RawClient::read_line() const {
  std::string line;
  unsigned char next = 0;
  while (read_all(socket_, {&next, 1}), next != '\n') line += static_cast<char>(next);
  line.pop_back();  // the carriage return
  return line;
}

void RawClient::read_message() {
  std::vector<unsigned char> bytes(dbus::kFixedHead);
  read_all(socket_, bytes);
  const auto size = dbus::size_of_message(std::span{bytes}.first<dbus::kFixedHead>());
  require(size.has_value(), "a message of the bus");
  bytes.resize(size->whole);
  read_all(socket_, std::span{bytes}.subspan(dbus::kFixedHead));
  const auto head = dbus::read_head(std::span{bytes}.first(size->head));
  require(head.has_value(), "a header of the bus");
  last_type_ = head->type;
  last_sender_ = head->sender;
  last_bytes_.assign(bytes.begin(), bytes.end());
}

}  // namespace netperfd::system_test
