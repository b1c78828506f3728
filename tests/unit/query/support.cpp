// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/query/support.hpp"

#include <systemd/sd-event.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "daemon/base/fd.hpp"
#include "daemon/query/query_pool.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::query::test {
bool turn_until(EventLoop& loop, const std::function<bool()>& fact) {
  bool late = false;
  const auto timer = loop.after(kTestPatience, [&late] { late = true; });
  if (!timer) throw std::runtime_error(timer.error().message);
  while (!fact() && !late) {
    if (sd_event_run(loop.raw(), UINT64_MAX) < 0) throw std::runtime_error("sd_event_run");
  }
  return fact();
}

std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::istringstream words{read_file(task.path() / "children", 4096).value_or("")};
    for (pid_t pid = 0; words >> pid;) found.push_back(pid);
  }
  return found;
}

char state_of(pid_t pid) {
  const auto status = read_file("/proc/" + std::to_string(pid) + "/stat", 4096);
  if (!status) return 0;
  return status->at(status->rfind(')') + 2);
}

void run_pool(const std::string& database) {
  EventLoop loop = EventLoop::create().value();
  QuerySettings settings;
  settings.uid = kNobody;
  settings.gid = kNogroup;
  settings.database = database;
  QueryPool pool{loop, settings};
  const auto handle = pool.run({}, "wait", [](const auto&) {});
  while (handle && sd_event_run(loop.raw(), UINT64_MAX) >= 0) {
  }
  ::_exit(1);
}

}  // namespace netperfd::query::test
