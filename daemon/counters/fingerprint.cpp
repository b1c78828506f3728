// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/fingerprint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/counters/device_facts.hpp"
#include "daemon/counters/device_path.hpp"
#include "daemon/counters/machine_facts.hpp"
#include "daemon/counters/named_netns.hpp"
#include "daemon/counters/namespace_view.hpp"
#include "daemon/counters/routes.hpp"

namespace netperfd::counters {
namespace {

constexpr std::size_t kLargestRoutes = std::size_t{16} << 20;
constexpr std::size_t kMostNamespaces = 8;

// Builds one fingerprint.
class Taking {
 public:
  Taking(const SystemRoots& roots, const JobSpec& spec, const std::vector<pid_t>& workload)
      : roots_(roots), spec_(spec), workload_(workload) {}

  // Must run on a thread that ends afterwards: the thread stays in the namespace it entered last.
  void look_at_namespaces() {
    enter("", roots_.proc + "/thread-self/ns/net");
    if (!spec_.workload.measures_path || workload_.empty()) return;
    client_ = enter(spec_.test.path.netns, fmt::format("{}/{}/ns/net", roots_.proc, workload_[0]));
    if (spec_.test.path.local && workload_.size() > 1) {
      server_ = enter(spec_.test.path.local->netns, fmt::format("{}/{}/ns/net", roots_.proc, workload_[1]));
    }
    learn_numbers();
    ends_ = find_ends();
    enter_between();
  }

  Fingerprint take(std::string_view iperf3_version) {
    add_kernel_facts(roots_, sheet_);
    add_cpu_facts(roots_, sheet_);
    sheet_.add_file("irq", "default", roots_.proc + "/irq/default_smp_affinity");
    std::set<std::string> modules;
    if (spec_.workload.facts) {
      for (const Fact& fact : spec_.workload.facts(spec_, iperf3_version))
        sheet_.add(fact.group, fact.key, fact.value);
      if (iperf3_version.empty())
        sheet_.add_unknown(fmt::format("{}: version: not known", spec_.workload.name));
    }
    if (spec_.latency) add_latency_facts(spec_, sheet_);
    if (spec_.workload.measures_path) add_devices(modules);
    if (spec_.trace && spec_.trace->function_graph && !spec_.trace->function_graph->module.empty()) {
      modules.insert(spec_.trace->function_graph->module);
    }
    if (!spec_.test.iperf3.congestion.empty()) modules.insert("tcp_" + spec_.test.iperf3.congestion);
    add_module_facts(roots_, modules, sheet_);
    return sheet_.take(read_text(roots_.proc + "/sys/kernel/random/boot_id").value_or(""));
  }

 private:
  // The index of its view; absent if the namespace cannot be entered.
  std::optional<std::size_t> enter(const std::string& netns, const std::string& path) {
    Fd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    struct ::stat status{};
    if (!file || ::fstat(file.get(), &status) != 0) {
      note_not_entered(netns, errno);
      return std::nullopt;
    }
    const auto known = std::ranges::find(views_, std::uint64_t{status.st_ino}, &NamespaceView::inode);
    if (known != views_.end()) return static_cast<std::size_t>(known - views_.begin());
    const bool own = views_.empty();
    if (!own && ::setns(file.get(), CLONE_NEWNET) != 0) {
      note_not_entered(netns, errno);
      return std::nullopt;
    }
    views_.push_back(look_around(netns, own, roots_.sys));
    for (const std::string& clause : views_.back().trouble) sheet_.add_unknown(clause);
    add_sysctl_facts(roots_.proc, netns, own, sheet_);
    files_.push_back(std::move(file));
    return views_.size() - 1;
  }

  // The numbers by which the namespaces refer to each other.
  void learn_numbers() {
    numbers_.clear();
    for (std::size_t view = 0; view < files_.size(); ++view) {
      for (std::size_t other = 0; other < files_.size(); ++other) {
        if (other == view || !views_[view].route) continue;
        if (const auto number = number_of_netns(views_[view].route, files_[other]))
          numbers_.push_back({view, *number, other});
      }
    }
  }

  // A device of the path may have its other end in a namespace that no process of the run is in, as that of a
  // router or a switch. It is looked at too if it has a name.
  void enter_between() {
    std::set<DevicePlace> tried;
    while (views_.size() < kMostNamespaces) {
      const DevicePath path = devices_on_path(views_, numbers_, ends_);
      const auto open_end = std::ranges::find_if(path.devices, [&](const DevicePlace& place) {
        const Link& link = *views_[place.view].find(place.index);
        return link.kind == "veth" && link.lower_netns && !tried.contains(place) &&
               other_end(views_, numbers_, place).empty();
      });
      if (open_end == path.devices.end()) return;
      tried.insert(*open_end);
      const int number = *views_[open_end->view].find(open_end->index)->lower_netns;
      const auto found = find_named_netns(views_[open_end->view].route, number);
      if (found && enter(found->name, found->path)) learn_numbers();
    }
  }

  void note_not_entered(const std::string& netns, int error_number) {
    add_unknown_devices(fmt::format("network namespace {}: {}", netns.empty() ? "of the workload" : netns,
                                    std::generic_category().message(error_number)));
    sheet_.add_unknown("sysctl", netns, error_number);
  }

  // If devices are unknown, every group with device facts is unknown.
  void add_unknown_devices(const std::string& why) {
    for (const char* group : {"nic", "qdisc", "rps", "xps", "irq", "topology"}) {
      sheet_.add_unknown(fmt::format("{}: {}", group, why));
    }
  }

  [[nodiscard]] std::optional<DevicePlace> device_of_client(const Address& server) const {
    const std::string net = fmt::format("{}/{}/net", roots_.proc, workload_[0]);
    const auto text_of = [&net](const char* name) {
      return read_file(fmt::format("{}/{}", net, name), kLargestRoutes).value_or("");
    };
    const auto device = device_to(server, {text_of("route"), text_of("fib_trie"), text_of("ipv6_route")});
    const Link* link = device ? views_[*client_].find(*device) : nullptr;
    if (link == nullptr) return std::nullopt;
    return DevicePlace{*client_, link->index};
  }

  // The devices of client and server; only "lo" if both are in the same place.
  std::vector<DevicePlace> find_ends() {
    if (!client_) return {};
    const auto server = parse_address(spec_.test.path.server);
    if (!server) {
      add_unknown_devices("the server is given by a host name, so the way to it is not known");
      return {};
    }
    const auto from = device_of_client(*server);
    if (!from) {
      add_unknown_devices("no route to the server");
      return {};
    }
    sheet_.add("topology", "device of the client",
               views_[*client_].label(*views_[*client_].find(from->index)));
    std::vector<DevicePlace> ends{*from};
    if (!server_ || server_ == client_) return ends;
    const NamespaceView& view = views_[*server_];
    const std::string& address = spec_.test.path.server;
    if (const Link* link = view.with_address(address.substr(0, address.find('%')))) {
      sheet_.add("topology", "device of the server", view.label(*link));
      ends.push_back({*server_, link->index});
    } else {
      add_unknown_devices("no device of the local server has its address");
    }
    return ends;
  }

  void add_devices(std::set<std::string>& modules) {
    const DevicePath path = devices_on_path(views_, numbers_, ends_);
    for (const DevicePlace& device : path.devices) {
      const NamespaceView& view = views_[device.view];
      const Link& link = *view.find(device.index);
      add_nic_facts(view, link, modules, sheet_);
      add_queue_facts(roots_, view, link, sheet_);
      add_topology_facts(views_, numbers_, device, sheet_);
    }
    if (path.cut) add_unknown_devices(fmt::format("there are more devices than the first {}", kMostDevices));
  }

  const SystemRoots& roots_;
  const JobSpec& spec_;
  const std::vector<pid_t>& workload_;
  FactSheet sheet_;
  std::vector<NamespaceView> views_;  // the host's is first
  std::vector<Fd> files_;             // of their namespaces, in the same order
  std::vector<NetnsNumber> numbers_;
  std::optional<std::size_t> client_, server_;  // indexes of their views
  std::vector<DevicePlace> ends_;
};

}  // namespace

EnvironmentFingerprint::EnvironmentFingerprint(std::string iperf3_version, SystemRoots roots)
    : iperf3_version_(std::move(iperf3_version)), roots_(std::move(roots)) {}

Fingerprint EnvironmentFingerprint::take(const JobSpec& spec, const std::vector<pid_t>& workload) {
  Taking taking(roots_, spec, workload);
  std::thread([&taking] { taking.look_at_namespaces(); }).join();
  return taking.take(iperf3_version_);
}

}  // namespace netperfd::counters
