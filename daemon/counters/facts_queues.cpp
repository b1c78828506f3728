// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "daemon/counters/device_facts.hpp"

namespace netperfd::counters {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

// Reads one file of every queue whose name begins with `prefix`.
void add_of_queues(std::string_view group, const std::string& label, const std::string& queues,
                   std::string_view prefix, const char* file, FactSheet& sheet) {
  Values values;
  for (const std::string& queue : names_in(queues)) {
    if (!queue.starts_with(prefix)) continue;
    // A device with a single queue has no transmit mask and returns an error.
    if (auto text = read_text(fmt::format("{}/{}/{}", queues, queue, file)))
      values.emplace_back(queue, *text);
  }
  if (!values.empty()) sheet.add(group, fmt::format("{} {}", label, file), collapsed(values));
}

std::string real_path(const std::string& path) {
  std::error_code absent;
  return std::filesystem::canonical(path, absent).string();
}

// /proc/irq/NUMBER has a directory for each handler, besides its files.
std::vector<std::string> handlers_of(const std::string& interrupt) {
  std::vector<std::string> handlers;
  for (const std::string& name : names_in(interrupt)) {
    std::error_code ignored;
    if (std::filesystem::is_directory(interrupt + "/" + name, ignored)) handlers.push_back(name);
  }
  return handlers;
}

// "virtio1-input.0" is named after virtio1, but "virtio10-input.0" is not.
bool is_named_after(std::string_view handler, std::string_view name) {
  if (!handler.starts_with(name)) return false;
  handler.remove_prefix(name.size());
  return handler.empty() || handler.front() < '0' || handler.front() > '9';
}

// Adds the interrupts of the device itself or, for a virtio device, those of its parent on the bus. Without
// MSI there is no list of them: their handlers are named after the device or the interface.
void add_interrupts(const SystemRoots& roots, const std::string& device, const std::string& label,
                    const std::string& interface, FactSheet& sheet) {
  const std::string real = real_path(device + "/device");
  if (real.empty()) return;  // no hardware
  const std::string bus_name = real.substr(real.find_last_of('/') + 1);
  const std::string all = roots.proc + "/irq";
  std::vector<std::string> numbers = names_in(real + "/msi_irqs");
  if (numbers.empty()) numbers = names_in(real + "/../msi_irqs");
  const bool listed = !numbers.empty();
  if (!listed) numbers = names_in(all);
  for (const std::string& number : numbers) {
    const std::string interrupt = all + "/" + number;
    for (const std::string& handler : handlers_of(interrupt)) {
      if (!listed && !is_named_after(handler, bus_name) && !is_named_after(handler, interface)) continue;
      sheet.add_file("irq", fmt::format("{} {}", label, handler), interrupt + "/smp_affinity_list");
    }
  }
}

}  // namespace

void add_queue_facts(const SystemRoots& roots, const NamespaceView& view, const Link& link,
                     FactSheet& sheet) {
  if (view.sys.empty()) return;
  const std::string label = view.label(link);
  const std::string device = fmt::format("{}/class/net/{}", view.sys, link.name);
  const std::string queues = device + "/queues";
  add_of_queues("rps", label, queues, "rx-", "rps_cpus", sheet);
  add_of_queues("rps", label, queues, "rx-", "rps_flow_cnt", sheet);
  add_of_queues("xps", label, queues, "tx-", "xps_cpus", sheet);
  add_of_queues("xps", label, queues, "tx-", "xps_rxqs", sheet);
  add_of_queues("xps", label, queues, "tx-", "byte_queue_limits/limit_max", sheet);
  add_interrupts(roots, device, label, link.name, sheet);
}

}  // namespace netperfd::counters
