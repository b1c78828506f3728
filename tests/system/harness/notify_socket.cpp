// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/notify_socket.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace netperfd::system_test {
namespace {

void must_succeed(bool done, const std::string& what) {
  if (!done) throw std::system_error(errno, std::generic_category(), what);
}

Fd make_eventfd() {
  Fd fd{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  must_succeed(static_cast<bool>(fd), "eventfd");
  return fd;
}

}  // namespace

NotifySocket::NotifySocket(std::string path)
    : path_(std::move(path)), news_(make_eventfd()), stop_(make_eventfd()) {
  ::unlink(path_.c_str());  // of an earlier daemon
  socket_.reset(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path_.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  must_succeed(
      socket_ && ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
      path_);
  reader_ = std::thread([this] { read_on(); });
}

NotifySocket::~NotifySocket() {
  (void)::eventfd_write(stop_.get(), 1);
  reader_.join();
}

std::vector<std::string> NotifySocket::lines() {
  receive();  // handles messages sent before
  const std::scoped_lock lock{mutex_};
  return lines_;
}

std::size_t NotifySocket::count(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count(lines(), line));
}

bool NotifySocket::wait_for(std::string_view line, std::size_t times, int pidfd, const Deadline& deadline) {
  while (count(line) < times) {
    std::array<pollfd, 2> watched{{{news_.get(), POLLIN, 0}, {pidfd, POLLIN, 0}}};
    const int ready = ::poll(watched.data(), watched.size(), deadline.poll_timeout());
    must_succeed(ready >= 0 || errno == EINTR, "poll");
    // A message sent before the end has arrived when the end is noticed.
    if (ready == 0 || watched[1].revents != 0) return count(line) >= times;
    eventfd_t seen = 0;
    (void)::eventfd_read(news_.get(), &seen);
  }
  return true;
}

void NotifySocket::read_on() {
  std::array<pollfd, 2> watched{{{socket_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  while (watched[1].revents == 0) {
    (void)::poll(watched.data(), watched.size(), -1);
    receive();
  }
}

void NotifySocket::receive() {
  std::array<char, 4096> message;  // NOLINT(cppcoreguidelines-pro-type-member-init): recv() fills it
  const std::scoped_lock lock{mutex_};
  for (;;) {
    const ssize_t got = ::recv(socket_.get(), message.data(), message.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;
    std::string_view text{message.data(), static_cast<std::size_t>(got)};
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines_.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    (void)::eventfd_write(news_.get(), 1);
  }
}

}  // namespace netperfd::system_test
