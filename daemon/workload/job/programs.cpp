// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/job/programs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

namespace netperfd::workload {
namespace {

// Debian's packages of well-known programs, where the names differ; others have that of their program.
constexpr std::pair<std::string_view, std::string_view> kPackages[] = {
    {"ab", "apache2-utils"},         {"netserver", "netperf"},
    {"nginx", "nginx-light"},        {"redis-benchmark", "redis-tools"},
    {"trafgen", "netsniff-ng"},      {"xdp-bench", "xdp-tools"},
    {"xdp-trafficgen", "xdp-tools"},
};
constexpr std::string_view kOfTheirName[] = {"fio",    "iperf", "iperf3",   "memcached", "netperf",
                                             "nuttcp", "qperf", "sockperf", "wrk",       "redis-server"};

}  // namespace

std::string package_of(std::string_view program) {
  const auto* const named =
      std::ranges::find(kPackages, program, &std::pair<std::string_view, std::string_view>::first);
  if (named != std::end(kPackages)) return std::string(named->second);
  const bool same = std::ranges::find(kOfTheirName, program) != std::end(kOfTheirName);
  return same ? std::string(program) : "";
}

Result<std::string> find_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  for (std::string_view rest = kProgramPath; !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    std::string candidate = fmt::format("{}/{}", rest.substr(0, colon), program);
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  return fail(ErrorKind::not_found, fmt::format("{}: no such program in {}", program, kProgramPath));
}

Status expect_program(const std::string& name) {
  auto found = find_program(name);
  if (found && name.contains('/') && ::access(name.c_str(), X_OK) != 0) {
    const int why = errno;
    if (why == ENOENT) found = fail(ErrorKind::not_found, fmt::format("{}: no such program", name));
  }
  if (found) return {};
  const std::string package = package_of(name);
  if (package.empty()) return std::unexpected(std::move(found.error()));
  return fail(ErrorKind::not_found,
              fmt::format("{}; Debian's package {} has it", found.error().message, package));
}

std::string program_file(const std::string& program) {
  const auto path = find_program(program);
  struct stat status{};
  if (!path || ::stat(path->c_str(), &status) != 0) return {};
  return fmt::format("{}, {} bytes, {}", *path, status.st_size, status.st_mtim.tv_sec);
}

}  // namespace netperfd::workload
