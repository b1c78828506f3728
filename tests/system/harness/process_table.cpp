// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/process_table.hpp"

#include <poll.h>
#include <sys/stat.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {
namespace {

namespace fs = std::filesystem;

fs::path directory_of(pid_t pid) {
  return fs::path{"/proc"} / std::to_string(pid);
}

std::string link_target(const fs::path& link) {
  std::error_code gone;  // the process may end at any moment
  return fs::read_symlink(link, gone);
}

std::optional<SeenProcess> look_at(pid_t pid) {
  const auto status = status_of(pid);
  const auto state = status.find("State");
  if (state == status.end() || state->second.starts_with("Z") || state->second.starts_with("X"))
    return std::nullopt;
  SeenProcess seen;
  seen.pid = pid;
  std::istringstream{status.at("PPid")} >> seen.parent;
  std::istringstream{status.at("Uid")} >> seen.uid;
  seen.netns = link_target(directory_of(pid) / "ns/net");
  std::ifstream words{directory_of(pid) / "cmdline"};
  for (std::string word; std::getline(words, word, '\0');) seen.argv.push_back(word);
  return seen;
}

}  // namespace

bool SeenProcess::has_word(const std::string& word) const {
  return std::ranges::find(argv, word) != argv.end();
}

std::vector<SeenProcess> all_processes() {
  std::vector<SeenProcess> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc{} || end != name.data() + name.size()) continue;
    if (auto seen = look_at(pid)) all.push_back(std::move(*seen));
  }
  return all;
}

std::string netns_id(const std::string& name) {
  struct stat status{};
  if (::stat(("/run/netns/" + name).c_str(), &status) != 0) {
    throw std::system_error(errno, std::generic_category(), name);
  }
  return "net:[" + std::to_string(status.st_ino) + "]";
}

std::map<std::string, std::string> status_of(pid_t pid) {
  std::map<std::string, std::string> lines;
  std::ifstream stream{directory_of(pid) / "status"};
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t value = line.find_first_not_of(" \t", colon + 1);
    lines[line.substr(0, colon)] = value == std::string::npos ? "" : line.substr(value);
  }
  return lines;
}

std::map<int, std::string> files_of(pid_t pid) {
  std::map<int, std::string> files;
  for (const auto& entry : fs::directory_iterator(directory_of(pid) / "fd")) {
    files[std::stoi(entry.path().filename())] = link_target(entry.path());
  }
  return files;
}

bool wait_until_gone(const std::function<bool(const SeenProcess&)>& unwanted) {
  const Deadline deadline;
  for (;;) {
    const auto all = all_processes();
    const auto found = std::ranges::find_if(all, unwanted);
    if (found == all.end()) return true;
    if (deadline.has_passed()) return false;
    const Fd pidfd{::pidfd_open(found->pid, 0)};
    if (!pidfd) continue;  // it has ended meanwhile
    pollfd watched{pidfd.get(), POLLIN, 0};
    (void)::poll(&watched, 1, deadline.poll_timeout());
  }
}

}  // namespace netperfd::system_test
