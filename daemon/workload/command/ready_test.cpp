// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/command/ready_test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

#include "daemon/base/as_user.hpp"
#include "daemon/base/aside.hpp"

namespace netperfd::workload {
namespace {

// So short that a server is looked at again before it must be ready. Only commands of root's scenarios can
// hold up these looks.
constexpr std::chrono::seconds kPortRest{2};
constexpr std::size_t kMostTableBytes = std::size_t{1} << 20;

struct Table {
  const char* name;
  std::string_view state;  // TCP_LISTEN; of UDP, that of a socket without a peer
};
constexpr Table kTables[] = {{"tcp", "0A"}, {"tcp6", "0A"}, {"udp", "07"}, {"udp6", "07"}};

// At most kMostTableBytes of it, and no more memory than it takes: most tables are short.
std::string begin_of(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::array<char, std::size_t{1} << 14U>
      part;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  while (text.size() < kMostTableBytes && (file.read(part.data(), part.size()) || file.gcount() > 0))
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  return text;
}

// Whether the process has one of the sockets open. Only the owner may list its descriptors, and under systemd
// the daemon has no CAP_DAC_READ_SEARCH.
bool has_socket(pid_t pid, const std::vector<std::uint64_t>& sockets) {
  const std::string files = fmt::format("/proc/{}/fd", pid);
  struct stat status{};
  if (::stat(files.c_str(), &status) != 0) return false;
  const AsUser owner(status.st_uid, status.st_gid);
  std::error_code error;
  for (std::filesystem::directory_iterator entry(files, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code closed;
    const std::string target = std::filesystem::read_symlink(entry->path(), closed);
    const auto is_target = [&](std::uint64_t inode) { return target == fmt::format("socket:[{}]", inode); };
    if (!closed && std::ranges::any_of(sockets, is_target)) return true;
  }
  return false;
}

// `about`: the port, and the numbers of the processes. Empty if none has it.
std::string look_for_port(std::string_view about) {
  std::istringstream words{std::string(about)};
  std::uint16_t port = 0;
  words >> port;
  const std::vector<pid_t> pids(std::istream_iterator<pid_t>(words), std::istream_iterator<pid_t>{});
  std::vector<std::uint64_t> sockets;
  if (pids.empty()) return {};
  for (const Table& table : kTables) {
    // A kernel without IPv6 has no such table. Sockets that listen are its first ones, so that of a long
    // table the begin is enough.
    std::ranges::copy(sockets_with_port(begin_of(fmt::format("/proc/{}/net/{}", pids.front(), table.name)),
                                        table.state, port),
                      std::back_inserter(sockets));
  }
  const bool found =
      !sockets.empty() && std::ranges::any_of(pids, [&](pid_t pid) { return has_socket(pid, sockets); });
  return found ? "found" : "";
}

}  // namespace

//   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
//    0: 0100007F:1B58 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1234 ...
std::vector<std::uint64_t> sockets_with_port(std::string_view table, std::string_view state,
                                             std::uint16_t port) {
  std::vector<std::uint64_t> sockets;
  const std::string end = fmt::format(":{:04X}", port);
  // A table may have many lines, and only few with the port.
  for (std::size_t at = table.find(end + ' '); at != std::string_view::npos;
       at = table.find(end + ' ', at + 1)) {
    const std::size_t begin = table.rfind('\n', at) + 1;  // 0 of the first line
    std::istringstream words{std::string(table.substr(begin, table.find('\n', at) - begin))};
    std::string number, local, remote, found, queues, timer, retransmits, uid, timeout;
    std::uint64_t inode = 0;
    if (!(words >> number >> local >> remote >> found >> queues >> timer >> retransmits >> uid >> timeout >>
          inode))
      continue;
    if (local.ends_with(end) && found == state && inode != 0) sockets.push_back(inode);
  }
  return sockets;
}

// All are in the namespace of the first, where the workload was launched.
std::optional<bool> has_port(const std::vector<pid_t>& pids, std::uint16_t port) {
  const auto seen = look_aside(&look_for_port, fmt::format("{} {}", port, fmt::join(pids, " ")), kPortRest);
  return seen ? std::optional(!seen->empty()) : std::nullopt;
}

}  // namespace netperfd::workload
