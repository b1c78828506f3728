#include "daemon/base/foreign_fd.hpp"

#include <unistd.h>

#include <atomic>
#include <system_error>
#include <thread>

namespace netperfd {
namespace {

std::atomic<std::size_t> g_under_way = 0;

}  // namespace

void close_elsewhere(Fd fd) {
  if (!fd) return;
  const int number = fd.release();
  ++g_under_way;
  try {
    // The number is free for others at once, the wait comes after that. Nobody waits for the thread: it has
    // nothing that it could be too late for.
    std::thread([number] {
      ::close(number);
      --g_under_way;
    }).detach();
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): it is open, and so it is counted
  }
}

std::size_t closes_under_way() {
  return g_under_way;
}

}  // namespace netperfd
