// SPDX-License-Identifier: GPL-2.0-or-later
// Information from /proc on processes that the test did not start itself.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace netperfd::system_test {

struct SeenProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  uid_t uid = 0;      // real
  std::string netns;  // "net:[4026531840]"
  std::vector<std::string> argv;

  [[nodiscard]] bool has_word(const std::string& word) const;
};

// All living ones, without zombies.
[[nodiscard]] std::vector<SeenProcess> all_processes();
// The netns of a process started with `ip netns exec NAME`.
[[nodiscard]] std::string netns_id(const std::string& name);
// Lines of /proc/PID/status by their first word: status_of(pid).at("NoNewPrivs").
[[nodiscard]] std::map<std::string, std::string> status_of(pid_t pid);
// Targets of /proc/PID/fd by number.
[[nodiscard]] std::map<int, std::string> files_of(pid_t pid);

// Waits until no process is `unwanted` any more, including those that start meanwhile. False if one still
// exists after Deadline::kLong.
[[nodiscard]] bool wait_until_gone(const std::function<bool(const SeenProcess&)>& unwanted);

}  // namespace netperfd::system_test
