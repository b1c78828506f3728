// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/probes_machine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/trace/tracefs/reader_priority.hpp"

namespace netperfd::trace {
namespace {

using core::Ability;
using core::Capability;

std::string words_of(int error_number) {
  return std::generic_category().message(error_number);
}

Capability refuse(const char* name, Reason reason) {
  return {name, Ability::no, std::move(reason.detail), std::move(reason.advice)};
}

// 0, or the errno of the kernel's refusal of a counter for this process.
int try_counter(std::uint32_t type, std::uint64_t config) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.config = config;
  attributes.disabled = 1;
  const long fd = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  const Fd counter{static_cast<int>(fd)};
  return 0;
}

std::size_t count_entries(const std::string& directory) {
  std::error_code error;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace

Capability probe_pid_namespace(const CatalogueSettings& settings) {
  constexpr auto kName = "pid_namespace";
  // include/linux/proc_ns.h: PROC_PID_INIT_INO.
  constexpr ino_t kInitial = 0xEFFFFFFC;
  struct stat own{};
  if (::stat((settings.proc + "/self/ns/pid").c_str(), &own) != 0 || own.st_ino == kInitial) {
    return {kName, Ability::yes, "the initial one, so `trace.pid` means the workload's tasks", ""};
  }
  return {kName, Ability::no,
          "netperfd runs in a PID namespace of its own, whose numbers the kernel's tracing takes for other "
          "tasks",
          "leave `trace.pid` out, or run netperfd outside of it"};
}

Capability probe_perf_events() {
  constexpr auto kName = "perf_events";
  const int software = try_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
  if (software == ENOSYS) return {kName, Ability::no, "this kernel has no perf_event_open", ""};
  if (software != 0) {
    return {kName, Ability::no, fmt::format("perf_event_open is refused: {}", words_of(software)),
            "sysctl kernel.perf_event_paranoid, CAP_PERFMON and the unit's SystemCallFilter= decide"};
  }
  const int cycles = try_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
  if (cycles == 0) return {kName, Ability::yes, "software and hardware counters", ""};
  const bool no_pmu = cycles == ENOENT || cycles == EOPNOTSUPP || cycles == ENODEV;
  return {kName, Ability::limited,
          fmt::format("software counters only: hardware cycles give \"{}\"{}", words_of(cycles),
                      no_pmu ? ", as in a virtual machine without a PMU" : ""),
          ""};
}

Capability probe_network_namespaces(const CatalogueSettings& settings) {
  constexpr auto kName = "network_namespaces";
  const Fd own{::open((settings.proc + "/self/ns/net").c_str(), O_RDONLY | O_CLOEXEC)};
  if (!own) return {kName, Ability::no, "this kernel has none (CONFIG_NET_NS)", ""};
  if (::setns(own.get(), CLONE_NEWNET) != 0) {
    return {kName, Ability::no, fmt::format("setns is refused: {}", words_of(errno)),
            "netperfd needs CAP_SYS_ADMIN, and no RestrictNamespaces= in its unit"};
  }
  const std::size_t named = count_entries(settings.netns);
  return {kName, Ability::yes, fmt::format("can be entered; {} named in {}", named, settings.netns),
          named == 0 ? "ip netns add NAME makes one" : ""};
}

Capability probe_sctp(const CatalogueSettings& settings, Reasons& reasons) {
  constexpr auto kName = "sctp";
  const Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_SCTP)};
  const int refusal = errno;
  if (!socket && refusal == EPROTONOSUPPORT)
    return refuse(kName, reasons.not_loaded("CONFIG_IP_SCTP", "sctp"));
  if (!socket) return {kName, Ability::no, fmt::format("a socket is refused: {}", words_of(refusal)), ""};
  if (settings.iperf3.found && settings.iperf3.sctp == false) {
    return {kName, Ability::limited, "the kernel has it, but this iperf3 was built without",
            "install an iperf3 whose --help lists --sctp"};
  }
  return {kName, Ability::yes, "the kernel makes such sockets", ""};
}

Capability probe_iperf3(const Iperf3Facts& iperf3) {
  constexpr auto kName = "iperf3";
  if (!iperf3.found) return {kName, Ability::no, "there is no iperf3 to run", "install the package iperf3"};
  const std::string version = iperf3.version.empty() ? "of an unknown version" : iperf3.version;
  if (iperf3.json_stream) {
    return {kName, Ability::yes,
            version + "; has --json-stream, so a run can be watched interval by interval", ""};
  }
  return {kName, Ability::limited,
          version + "; has no --json-stream, so a run's intervals come as a whole at its end",
          "iperf3 3.17 and later have it"};
}

Capability probe_latency(const CatalogueSettings& settings) {
  constexpr auto kName = "latency_probes";
  constexpr auto kAdvice = "install the package netperfctl, or set latency.path; then restart netperfd";
  if (!settings.echo.starts_with('/')) {
    return {kName, Ability::no, fmt::format("there is no {} to run", settings.echo), kAdvice};
  }
  if (::access(settings.echo.c_str(), X_OK) != 0) {
    return {kName, Ability::no, fmt::format("{} cannot be run: {}", settings.echo, words_of(errno)), kAdvice};
  }
  return {kName, Ability::yes, settings.echo + " measures the latency", ""};
}

Capability probe_benchmarks(const CatalogueSettings& settings) {
  constexpr auto kName = "benchmarks";
  const auto missing = settings.missing_programs ? settings.missing_programs() : std::vector<std::string>{};
  if (missing.empty()) return {kName, Ability::yes, "the programs of all scenarios are there", ""};
  return {kName, Ability::limited, fmt::format("cannot be measured: {}", fmt::join(missing, "; ")),
          "install the packages of those that you need"};
}

Capability probe_kernel_symbols(const CatalogueSettings& settings, Reasons& reasons) {
  constexpr auto kName = "kernel_symbols";
  const std::string path = settings.proc + "/kallsyms";
  std::ifstream file(path);
  // Reads only the beginning: the whole text has 100,000 lines and more, which costs the kernel tens of
  // milliseconds.
  std::array<char, 65'536> start{};
  file.read(start.data(), start.size());
  std::istringstream lines(std::string{start.data(), static_cast<std::size_t>(file.gcount())});
  bool any = false;
  for (std::string line; std::getline(lines, line);) {
    const auto blank = line.find(' ');
    if (blank == std::string::npos) continue;
    any = true;
    if (line.find_first_not_of('0') < blank) {
      return {kName, Ability::yes, "functions in stacks and drops get their names", ""};
    }
  }
  if (!any) return refuse(kName, reasons.not_built({"CONFIG_KALLSYMS"}));
  return {kName, Ability::limited, "names without addresses, so stacks and drops have no names",
          "give netperfd CAP_SYSLOG, and sysctl kernel.kptr_restrict=1 or 0"};
}

Capability probe_reader_priority() {
  constexpr auto kName = "reader_priority";
  int refusal = 0;
  try {
    std::thread([&refusal] { refusal = take_reader_priority(); }).join();
  } catch (const std::system_error& error) {
    refusal = error.code().value();
  }
  if (refusal == 0) {
    return {kName, Ability::yes,
            fmt::format("the thread that reads the ring buffers runs at a nice value of {}", kReaderNice),
            ""};
  }
  return {kName, Ability::limited,
          fmt::format("the thread that reads the ring buffers runs without priority: {}", words_of(refusal)),
          "give netperfd LimitNICE=-10 in its unit; on busy CPUs a trace needs a larger `buffer` without it"};
}

Capability judge_run_groups(const CatalogueSettings& settings) {
  constexpr auto kName = "run_cgroup";
  if (settings.run_groups_missing.empty()) {
    return {kName, Ability::yes, "each run has a cgroup of its own, with which all its processes end", ""};
  }
  return {
      kName, Ability::limited,
      fmt::format("{}; netperfd adopts what iperf3 leaves behind, and ends it", settings.run_groups_missing),
      "let systemd start netperfd (Delegate=yes), or make its cgroup writable"};
}

}  // namespace netperfd::trace
