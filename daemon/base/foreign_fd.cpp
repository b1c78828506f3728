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
    // The kernel frees the number at once and waits after that. The thread is detached: nothing depends on
    // its end.
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
