// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/cpu_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "daemon/counters/proc_file.hpp"

namespace netperfd::counters {
namespace {

std::optional<std::uint64_t> number_in(const std::string& path) {
  const auto text = read_file(path, kLargestText);
  if (!text) return std::nullopt;
  const auto words = words_of(std::string_view{*text}.substr(0, text->find('\n')));
  return words.empty() ? std::nullopt : parse_number<std::uint64_t>(words.front());
}

bool lists_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::string_view one = controllers.substr(0, controllers.find(','));
    if (one == "cpu") return true;
    controllers.remove_prefix(std::min(one.size() + 1, controllers.size()));
  }
  return false;
}

}  // namespace

CgroupLimits::CgroupLimits(std::string_view cgroup, const std::string& mount) {
  while (!cgroup.empty()) {
    const std::string_view line = take_line(cgroup);
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    std::vector<std::string> roots;
    if (controllers.empty()) {
      roots = {mount, mount + "/unified"};
    } else if (lists_cpu(controllers)) {
      roots = {fmt::format("{}/{}", mount, controllers), mount + "/cpu"};
    }
    for (const std::string& root : roots) {
      const std::size_t known = files_.size();
      for (std::string path{line.substr(second + 1)}; !path.empty() && path != "/";
           path.resize(std::min(path.rfind('/'), path.size()))) {
        if (Fd file = open_to_read(root + path + "/cpu.stat")) files_.push_back(std::move(file));
      }
      if (files_.size() > known) break;
    }
  }
}

std::vector<std::optional<std::uint64_t>> CgroupLimits::throttled_ns() const {
  std::vector<std::optional<std::uint64_t>> times;
  for (const Fd& file : files_) {
    const auto text = read_again(file);
    times.push_back(text ? parse_throttled_ns(*text) : std::nullopt);
  }
  return times;
}

std::optional<std::uint64_t> growth_of(const std::vector<std::optional<std::uint64_t>>& before,
                                       const std::vector<std::optional<std::uint64_t>>& after) {
  std::optional<std::uint64_t> sum;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i] && after[i] && *after[i] >= *before[i]) sum = sum.value_or(0) + (*after[i] - *before[i]);
  }
  return sum;
}

std::optional<std::uint64_t> parse_throttled_ns(std::string_view text) {
  constexpr std::uint64_t kMicro = 1000;
  while (!text.empty()) {
    const auto words = words_of(take_line(text));
    if (words.size() != 2) continue;
    const auto value = parse_number<std::uint64_t>(words[1]);
    if (value && words[0] == "throttled_usec") return *value * kMicro;
    if (value && words[0] == "throttled_time") return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> heat_throttles(const std::string& cpus,
                                            const std::vector<std::uint32_t>& online) {
  std::optional<std::uint64_t> cores, packages;
  for (const std::uint32_t cpu : online) {
    const std::string folder = fmt::format("{}/cpu{}/thermal_throttle/", cpus, cpu);
    const auto core = number_in(folder + "core_throttle_count");
    const auto package = number_in(folder + "package_throttle_count");
    if (!core && !package) return std::nullopt;
    cores = cores.value_or(0) + core.value_or(0);
    packages = std::max(packages.value_or(0), package.value_or(0));
  }
  return cores ? std::optional{*cores + packages.value_or(0)} : std::nullopt;
}

std::optional<IrqPlaces> read_irq_places(const std::string& proc) {
  const auto text = read_file(proc + "/interrupts", kLargestText);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  const std::size_t cpus = words_of(take_line(rest)).size();
  IrqPlaces places;
  while (!rest.empty() && places.size() < kMostIrqs) {
    const auto words = words_of(take_line(rest));
    if (words.empty() || !words[0].ends_with(':')) continue;
    const auto irq = parse_number<std::uint32_t>(words[0].substr(0, words[0].size() - 1));
    if (!irq) continue;
    IrqPlace place;
    for (std::size_t i = 1; i < std::min(words.size(), cpus + 1); ++i)
      place.count += parse_number<std::uint64_t>(words[i]).value_or(0);
    const std::string folder = fmt::format("{}/irq/{}/", proc, *irq);
    auto where = read_file(folder + "effective_affinity_list", kLargestText);
    if (!where) where = read_file(folder + "smp_affinity_list", kLargestText);
    if (where) places.emplace(*irq, IrqPlace{.count = place.count, .cpus = std::move(*where)});
  }
  return places;
}

std::uint64_t moved_irqs(const IrqPlaces& before, const IrqPlaces& after) {
  return static_cast<std::uint64_t>(std::ranges::count_if(after, [&](const auto& each) {
    const auto found = before.find(each.first);
    return found != before.end() && found->second.count != each.second.count &&
           found->second.cpus != each.second.cpus;
  }));
}

std::optional<std::uint64_t> parse_pressure_us(std::string_view text) {
  for (const std::string_view word : words_of(take_line(text))) {
    if (word.starts_with("total=")) return parse_number<std::uint64_t>(word.substr(6));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> parse_reclaims(std::string_view text) {
  std::optional<std::uint64_t> sum;
  while (!text.empty()) {
    const auto words = words_of(take_line(text));
    if (words.size() != 2 || !words[0].starts_with("allocstall")) continue;
    if (const auto value = parse_number<std::uint64_t>(words[1])) sum = sum.value_or(0) + *value;
  }
  return sum;
}

}  // namespace netperfd::counters
