// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/host_watch.hpp"

#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/counters/proc_file.hpp"

namespace netperfd::counters {
namespace {

using std::chrono::microseconds;

constexpr std::uint32_t kFromKernel = 1;  // the group of the kernel's own uevents; udev sends to another one
constexpr std::string_view kPath = "@/devices/system/cpu/cpu";

microseconds read_clock(clockid_t clock) {
  timespec time{};
  (void)::clock_gettime(clock, &time);
  return std::chrono::duration_cast<microseconds>(std::chrono::seconds{time.tv_sec} +
                                                  std::chrono::nanoseconds{time.tv_nsec});
}

// All clocks at about the same moment: again if the thread was interrupted in between.
void read_clocks(core::HostReading& reading) {
  constexpr int kTries = 10;
  constexpr microseconds kTogether{100};
  for (int i = 0; i < kTries; ++i) {
    reading.awake = read_clock(CLOCK_MONOTONIC);
    reading.boot = read_clock(CLOCK_BOOTTIME);
    reading.wall = WallTime{read_clock(CLOCK_REALTIME)};
    if (read_clock(CLOCK_MONOTONIC) - reading.awake < kTogether) break;
  }
}

std::optional<std::uint64_t> count_in(const std::string& path) {
  constexpr std::size_t kLongest = 64;
  auto text = read_file(path, kLongest);
  if (!text) return std::nullopt;
  return parse_number<std::uint64_t>(std::string_view(*text).substr(0, text->find('\n')));
}

core::HostReading read_host(const std::string& sys) {
  core::HostReading reading;
  // A suspend that failed on its way has frozen all processes too.
  const auto done = count_in(sys + "/power/suspend_stats/success");
  const auto failed = count_in(sys + "/power/suspend_stats/fail");
  if (done && failed) reading.suspends = *done + *failed;
  constexpr std::size_t kLongestList = 4096;
  const auto online = read_file(sys + "/devices/system/cpu/online", kLongestList);
  if (online) reading.cpus = online->substr(0, online->find('\n'));
  read_clocks(reading);
  return reading;
}

// Lets only "online@..." and "offline@..." into the socket, so that other events cannot fill it.
bool filter_events(const Fd& socket) {
  constexpr std::uint32_t kOnli = 0x6f6e6c69, kOffl = 0x6f66666c, kAll = 0xffffffff;
  std::array<sock_filter, 5> program{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOnli, 1, 0),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kOffl, 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, kAll), BPF_STMT(BPF_RET | BPF_K, 0)}};
  const sock_fprog filter{.len = program.size(), .filter = program.data()};
  return ::setsockopt(socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0;
}

Fd open_events() {
  Fd socket{::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT)};
  sockaddr_nl address{};
  address.nl_family = AF_NETLINK;
  address.nl_groups = kFromKernel;
  if (!socket || !filter_events(socket) ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  return socket;
}

std::vector<std::string> changes_told(const Fd& socket) {
  constexpr std::size_t kMostChanges = 1'000;
  std::vector<std::string> changes;
  std::array<char, 4096> buffer{};
  while (socket && changes.size() < kMostChanges) {
    sockaddr_nl sender{};
    socklen_t length = sizeof sender;
    const ssize_t size = ::recvfrom(socket.get(), buffer.data(), buffer.size(), 0,
                                    reinterpret_cast<sockaddr*>(&sender), &length);
    if (size < 0 && (errno == EINTR || errno == ENOBUFS)) continue;
    if (size <= 0) break;
    if (sender.nl_pid != 0) continue;  // not the kernel
    const auto change = cpu_change({buffer.data(), static_cast<std::size_t>(size)});
    if (change) changes.push_back(*change);
  }
  return changes;
}

class Watch final : public core::ActiveHostWatch {
 public:
  explicit Watch(std::string sys) : sys_(std::move(sys)), events_(open_events()) {
    changes_.before = read_host(sys_);
  }
  core::HostChanges finish() override {
    changes_.after = read_host(sys_);
    changes_.cpus = changes_told(events_);
    return std::move(changes_);
  }

 private:
  std::string sys_;
  Fd events_;
  core::HostChanges changes_;
};

}  // namespace

std::optional<std::string> cpu_change(std::string_view uevent) {
  const std::string_view header = uevent.substr(0, uevent.find('\0'));
  const std::size_t at = header.find('@');
  if (at == std::string_view::npos || !header.substr(at).starts_with(kPath)) return std::nullopt;
  const std::string_view action = header.substr(0, at);
  if (action != "online" && action != "offline") return std::nullopt;
  const auto cpu = parse_number<std::uint32_t>(header.substr(at + kPath.size()));
  if (!cpu) return std::nullopt;
  return fmt::format("CPU {} {} {}", *cpu, action == "online" ? "came" : "went", action);
}

std::unique_ptr<core::ActiveHostWatch> KernelHostWatch::watch() {
  return std::make_unique<Watch>(sys_);
}

}  // namespace netperfd::counters
