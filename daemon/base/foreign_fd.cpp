// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/foreign_fd.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/base/own_files.hpp"

namespace netperfd {
namespace {

// Each descriptor whose close does not return has one of them. There are enough for all that may be here,
// each with a copy for the process that reads it: nobody waits for somebody else's.
constexpr std::size_t kMostThreads = 128;

struct Waiting {
  int number = -1;
  std::shared_ptr<const void> counted;
};

// What the threads share. It outlives all of them: nothing waits for a thread that never ends.
struct Closing {
  std::mutex mutex;
  std::deque<Waiting> waiting;
  std::size_t threads = 0;
  std::size_t under_way = 0;  // those waiting and those being closed
  std::vector<Waiting> kept;  // of own files
};

Closing& closing() {
  static auto* const shared = new Closing;  // NOLINT(cppcoreguidelines-owning-memory): see above
  return *shared;
}

// A close that waits for unsent data would end with the interval that the socket's owner chose. If the
// descriptor is of no socket, this fails, as it should.
void do_not_linger(int number) {
  const linger none{};
  (void)::setsockopt(number, SOL_SOCKET, SO_LINGER, &none, sizeof none);
}

void close_what_waits() {
  Closing& shared = closing();
  std::unique_lock lock(shared.mutex);
  while (!shared.waiting.empty()) {
    Waiting next = std::move(shared.waiting.front());
    shared.waiting.pop_front();
    lock.unlock();
    do_not_linger(next.number);
    // The kernel frees the number at once and waits after that.
    ::close(next.number);
    next.counted.reset();
    lock.lock();
    --shared.under_way;
  }
  --shared.threads;
}

}  // namespace

void close_elsewhere(Fd fd, std::shared_ptr<const void> counted) {
  if (!fd) return;
  Closing& shared = closing();
  const bool is_own = is_own_file(fd.get());
  const std::lock_guard lock(shared.mutex);
  if (is_own) return shared.kept.push_back({fd.release(), std::move(counted)});
  shared.waiting.push_back({fd.release(), std::move(counted)});
  ++shared.under_way;
  if (shared.threads == kMostThreads) return;
  try {
    // Detached: nothing depends on its end.
    std::thread(close_what_waits).detach();
    ++shared.threads;
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): it waits for the next thread
  }
}

std::size_t closes_under_way() {
  Closing& shared = closing();
  const std::lock_guard lock(shared.mutex);
  return shared.under_way;
}

}  // namespace netperfd
