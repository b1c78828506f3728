// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/counters/machine_facts.hpp"

namespace netperfd::counters {
namespace {

constexpr std::string_view kCpuGroup = "cpu";

// Only the first CPU's lines: for each further CPU the kernel may have to ask that CPU for its frequency.
void add_model(const std::string& path, FactSheet& sheet) {
  const Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::array<char, 2048> text{};
  const ssize_t got = file ? ::read(file.get(), text.data(), text.size()) : -1;
  if (got < 0) {
    sheet.add_unknown(kCpuGroup, "model", errno);
    return;
  }
  std::string_view rest(text.data(), static_cast<std::size_t>(got));
  // x86 has one name, Arm several identifiers, the others something similar to either.
  constexpr std::array<std::pair<std::string_view, const char*>, 10> kKeys{
      {{"vendor_id", "vendor"},
       {"cpu family", "family"},
       {"model", "model number"},
       {"model name", "model"},
       {"stepping", "stepping"},
       {"microcode", "microcode"},
       {"CPU implementer", "implementer"},
       {"CPU part", "part"},
       {"CPU revision", "revision"},
       {"uarch", "uarch"}}};
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon + 2 > line.size()) continue;
    const std::string_view key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    for (const auto& [of_file, name] : kKeys) {
      if (key == of_file) sheet.add(kCpuGroup, name, line.substr(colon + 2));
    }
  }
}

void add_frequency(const std::string& cpu, FactSheet& sheet) {
  const std::string cpufreq = cpu + "/cpufreq";
  const std::vector<std::string> names = names_in(cpufreq);
  for (const auto& [file, key] :
       {std::pair{"scaling_driver", "frequency driver"}, std::pair{"scaling_governor", "governor"},
        std::pair{"scaling_min_freq", "lowest frequency"}, std::pair{"scaling_max_freq", "highest frequency"},
        std::pair{"energy_performance_preference", "energy preference"}}) {
    std::vector<std::pair<std::string, std::string>> values;
    for (const std::string& policy : names) {
      if (!policy.starts_with("policy")) continue;
      if (auto text = read_text(cpufreq + "/" + policy + "/" + file)) values.emplace_back(policy, *text);
    }
    if (!values.empty()) sheet.add(kCpuGroup, key, collapsed(values));
  }
  sheet.add_file(kCpuGroup, "boost", cpufreq + "/boost");
  sheet.add_file(kCpuGroup, "no turbo", cpu + "/intel_pstate/no_turbo");
  sheet.add_file(kCpuGroup, "intel_pstate", cpu + "/intel_pstate/status");
  sheet.add_file(kCpuGroup, "amd_pstate", cpu + "/amd_pstate/status");
}

}  // namespace

void add_cpu_facts(const SystemRoots& roots, FactSheet& sheet) {
  add_model(roots.proc + "/cpuinfo", sheet);
  const std::string system = roots.sys + "/devices/system";
  const std::string cpu = system + "/cpu";
  sheet.add_file(kCpuGroup, "online", cpu + "/online");
  sheet.add_file(kCpuGroup, "isolated", cpu + "/isolated");
  sheet.add_file(kCpuGroup, "nohz_full", cpu + "/nohz_full");
  sheet.add_file(kCpuGroup, "smt", cpu + "/smt/control");
  sheet.add_file(kCpuGroup, "smt active", cpu + "/smt/active");
  sheet.add_file(kCpuGroup, "idle driver", cpu + "/cpuidle/current_driver");
  sheet.add_file(kCpuGroup, "idle governor", cpu + "/cpuidle/current_governor");
  sheet.add_file(kCpuGroup, "nodes", system + "/node/online");
  add_frequency(cpu, sheet);
  sheet.add_file("clock", "clocksource", system + "/clocksource/clocksource0/current_clocksource");
}

}  // namespace netperfd::counters
