// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/fake_daemon.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "dbus/names.hpp"

namespace netperfd::system_test {

FakeDaemon::FakeDaemon(const std::string& address, Answer answer) : answer_(std::move(answer)) {
  sd_bus* bus = nullptr;
  check(sd_bus_new(&bus), "sd_bus_new");
  bus_.reset(bus);
  check(sd_bus_set_address(bus, address.c_str()), "sd_bus_set_address");
  check(sd_bus_set_bus_client(bus, 1), "sd_bus_set_bus_client");
  check(sd_bus_negotiate_fds(bus, 1), "sd_bus_negotiate_fds");
  check(sd_bus_start(bus), "sd_bus_start");
  check(sd_bus_add_object(bus, nullptr, dbus::kManagerPath, on_call, this), "sd_bus_add_object");
  check(sd_bus_request_name(bus, dbus::kService, 0), "sd_bus_request_name");
  stop_.reset(::eventfd(0, EFD_CLOEXEC));
  thread_ = std::jthread([this] { serve(); });
}

FakeDaemon::~FakeDaemon() {
  const std::uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

std::ptrdiff_t FakeDaemon::calls_of(std::string_view member) const {
  const std::scoped_lock lock{mutex_};
  return std::ranges::count(called_, member);
}

void FakeDaemon::check(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string(what) + ": errno " + std::to_string(-result));
}

void FakeDaemon::serve() {
  for (;;) {
    const int more = sd_bus_process(bus_.get(), nullptr);
    if (more < 0) return;
    if (more > 0) continue;
    std::array<pollfd, 2> watched{
        {{sd_bus_get_fd(bus_.get()), static_cast<short>(sd_bus_get_events(bus_.get())), 0},
         {stop_.get(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    if (watched[1].revents != 0) return;
  }
}

int FakeDaemon::on_call(sd_bus_message* call, void* self, sd_bus_error*) {
  auto& daemon = *static_cast<FakeDaemon*>(self);
  const std::string_view member = sd_bus_message_get_member(call);
  {
    const std::scoped_lock lock{daemon.mutex_};
    daemon.called_.emplace_back(member);
  }
  sd_bus_message* made = nullptr;
  check(sd_bus_message_new_method_return(call, &made), "reply");
  const std::unique_ptr<sd_bus_message, Unref> reply{made};
  if (const char* error = daemon.answer_(member, call, made))
    return sd_bus_reply_method_errorf(call, error, "no %s here", sd_bus_message_get_member(call));
  return sd_bus_send(nullptr, made, nullptr);
}

}  // namespace netperfd::system_test
