// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/shed_descriptors.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace netperfd::dbus {
namespace {

// Ends the wait of the kernel for unsent data. By default it is ignored.
constexpr int kSignal = SIGURG;

struct Shedding {
  // The kernel writes it before it releases the descriptors. No message begins with 0.
  std::atomic<unsigned char> byte = 0;
  std::atomic<pid_t> thread = 0;
  std::mutex mutex;
  std::condition_variable changed;
  bool has_ended = false;
  bool had_descriptors = false;  // known at the end; without any, it ends
};

std::atomic<std::size_t> g_threads = 0;

// The system call itself: a tool that watches for data races would take the kernel's store for one.
// Returns whether there were descriptors.
bool take_byte(int socket, std::atomic<unsigned char>& byte) {
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  return ::syscall(SYS_recvmsg, socket, &message, MSG_DONTWAIT) > 0 && (message.msg_flags & MSG_CTRUNC) != 0;
}

void make_signal_count() {
  static const bool done = [] {
    struct sigaction action{};
    action.sa_handler = [](int) {};
    action.sa_flags = SA_RESTART;
    return ::sigaction(kSignal, &action, nullptr) == 0;
  }();
  (void)done;
}

bool start_thread(int socket, const std::shared_ptr<Shedding>& shedding) {
  if (g_threads >= kMostSheds) return false;
  ++g_threads;
  try {
    // Detached: it may never end, and nothing depends on it.
    std::thread([socket, shedding] {
      shedding->thread = static_cast<pid_t>(::syscall(SYS_gettid));
      const bool had = take_byte(socket, shedding->byte);
      --g_threads;
      const std::lock_guard lock(shedding->mutex);
      shedding->had_descriptors = had;
      shedding->has_ended = true;
      shedding->changed.notify_one();
    }).detach();
    return true;
  } catch (const std::system_error&) {
    --g_threads;
    return false;
  }
}

}  // namespace

// A message takes a millisecond if its descriptors do not close at once. There is no event to wait for: the
// thread cannot tell anything between the kernel's store and the end of the close. A look at the socket
// (MSG_PEEK) would hold the descriptors for a moment, so that this thread might be the one to close them. Nor
// may it take the byte itself, however many threads are away.
std::optional<bool> shed_descriptors(int socket) {
  constexpr std::chrono::milliseconds kMoment{1};
  make_signal_count();
  const auto shedding = std::make_shared<Shedding>();
  if (!start_thread(socket, shedding)) {
    std::this_thread::sleep_for(kMoment);
    return {};
  }
  std::unique_lock lock(shedding->mutex);
  const auto has_ended = [&] { return shedding->has_ended; };
  while (!shedding->changed.wait_for(lock, kMoment, has_ended) && shedding->byte == 0) {
  }
  if (!has_ended()) {
    ::syscall(SYS_tgkill, ::getpid(), shedding->thread.load(), kSignal);
    return true;
  }
  if (shedding->byte == 0) return {};
  return shedding->had_descriptors;
}

}  // namespace netperfd::dbus
