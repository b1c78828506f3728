// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/run_counters.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/counters/counted_part.hpp"
#include "daemon/counters/deltas.hpp"
#include "daemon/counters/host_noise.hpp"
#include "daemon/counters/named_netns.hpp"
#include "daemon/counters/namespace_sockets.hpp"
#include "daemon/counters/nic_statistics.hpp"
#include "daemon/counters/perf_counters.hpp"
#include "daemon/counters/proc_file.hpp"
#include "daemon/counters/queue_sampler.hpp"
#include "daemon/counters/readings.hpp"
#include "daemon/counters/routes.hpp"
#include "daemon/counters/tcp_sampler.hpp"
#include "daemon/model/counter_figure.hpp"
#include "daemon/model/nearest.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::counters {
namespace {

using Parse = std::function<Readings(std::string_view text)>;

// A text file with counters. While it is open, it keeps the namespace alive that the counters belong to.
struct TextFile {
  CounterKind kind;
  std::string netns;
  bool is_between = false;
  Parse parse;
  Fd file;
  std::optional<Readings> before;
};

// A network namespace on the path of the run.
struct Namespace {
  std::string name;
  NamespaceSockets sockets;
  ino_t inode = 0;
  bool is_between = false;  // the run has no process in it, as in that of a router
  std::optional<NicStatistics> before;
};

struct NamespaceFile {
  const CounterKind* kind;
  Parse parse;
  const char* name;  // in /proc/PID/net
};
// A kernel without IPv6 has no snmp6, so nothing is missing then.
const NamespaceFile kNamespaceFiles[] = {
    {&kSnmp, parse_snmp, "snmp"}, {&kNetstat, parse_snmp, "netstat"}, {&kSnmp6, parse_snmp6, "snmp6"}};

// Tells one namespace from another; 0 if there is no such file.
ino_t inode_of(const std::string& path) {
  struct ::stat status{};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

std::string not_read(std::string_view source, std::string_view netns, std::string_view why) {
  return fmt::format("{}{}{}: not available here: {}", source, netns.empty() ? "" : " of ", netns, why);
}

class Counting final : public core::ActiveCounters {
 public:
  Counting(core::Clock& clock, std::string proc) : clock_(clock), proc_(std::move(proc)) {}

  // `process` is its directory below /proc: a number, or "self".
  void add_namespace(const std::string& name, const std::string& process) {
    for (const NamespaceFile& each : kNamespaceFiles)
      add_file(*each.kind, name, each.parse, fmt::format("{}/{}/net/{}", proc_, process, each.name));
    auto sockets = open_sockets_in(fmt::format("{}/{}/ns/net", proc_, process));
    if (!sockets) {
      counters_.unknown.push_back(not_read("nic", name, sockets.error().message));
      return;
    }
    const ino_t inode = inode_of(fmt::format("{}/{}/ns/net", proc_, process));
    namespaces_.push_back({.name = name, .sockets = std::move(*sockets), .inode = inode, .before = {}});
  }

  void add_machine() {
    add_file(kSoftnet, "", parse_softnet, proc_ + "/net/softnet_stat");
    add_file(kSoftirqs, "", parse_softirqs, proc_ + "/softirqs");
    add_file(kInterrupts, "", parse_interrupts, proc_ + "/interrupts");
    const auto parse_stat = [this](std::string_view text) {
      return parse_cpu_times(text, static_cast<std::uint64_t>(std::max(::sysconf(_SC_CLK_TCK), 0L)),
                             clock_.since_boot());
    };
    add_file(kCpu, "", parse_stat, proc_ + "/stat");
  }

  // The load begins with load_begun() if there are probes, otherwise with the release.
  void expect_load(const CountedPlan& plan) { plan_ = plan; }

  // Samples in the first namespace, which is the client's, while there is load.
  void sample_tcp(const TcpSamplerSettings& sampling) {
    if (namespaces_.empty()) return;
    tcp_.emplace(clock_, namespaces_.front().sockets.diag, sampling);
    if (!tcp_->trouble().empty()) counters_.unknown.push_back(not_read("TCP_INFO", "", tcp_->trouble()));
  }

  // Samples the queues of the device through which the client reaches the server and, in another namespace,
  // of the device that has the server's address. Also those of the other end of each, if it is in a third
  // namespace.
  void sample_queues(const TestSpec& spec, const std::vector<pid_t>& workload) {
    queues_.emplace(clock_);
    const auto address = parse_address(spec.path.server);
    if (!address) {
      counters_.unknown.emplace_back(
          "queues: not available here: the server is given by a host name, so its device is not known");
      return;
    }
    sample_queues(spec.path.netns, [&](const Fd& route) -> Result<NamedDevice> {
      const auto net = fmt::format("{}/{}/net", proc_, workload.front());
      const auto name = device_to(*address, read_route_texts(net));
      return name ? find_device(route, *name) : fail(ErrorKind::not_found, "no route to the server");
    });
    if (!spec.path.local || spec.path.local->netns == spec.path.netns) return;
    sample_queues(spec.path.local->netns, [&](const Fd& route) { return find_device(route, *address); });
  }

  // That of these figures which are read from counters.
  void expect(const std::vector<FigureChoice>& figures) {
    for (const FigureChoice& choice : figures) {
      if (is_counter_figure(choice.figure.name)) wanted_.push_back(choice.figure.name);
    }
    zeros_.figures.insert(wanted_.begin(), wanted_.end());
    zeros_between_.figures = zeros_.figures;
  }

  void begin() {
    perf_.emplace(parse_cpu_list(read_file("/sys/devices/system/cpu/online", kLargestText).value_or("")));
    counters_.unknown.insert(counters_.unknown.end(), perf_->unknown().begin(), perf_->unknown().end());
    for (Namespace& each : namespaces_) {
      auto read = read_nic_statistics(each.sockets);
      if (read) {
        each.before = std::move(*read);
      } else {
        counters_.unknown.push_back(not_read("nic", each.name, read.error().message));
      }
    }
    for (TextFile& each : files_) each.before = read(each);
    perf_before_ = perf_->read();
  }

  // The last of the first readings: the workload begins next.
  void begin_noise(const std::string& sys, const std::vector<pid_t>& workload) {
    noise_.emplace(clock_, proc_, sys, workload);
    counted_.emplace(clock_, *noise_, plan_);
  }

  void released(core::LiveRates live) override {
    released_ = std::chrono::steady_clock::now();
    live_ = std::move(live);
    if (!plan_.probed) load_begun();
    if (queues_) queues_->start();
  }

  void load_begun() override {
    if (tcp_) tcp_->start(std::move(live_), released_);
    if (counted_) counted_->load_begun();
  }

  void test_begun() override {
    if (counted_) counted_->test_begun();
  }

  void load_ended() override {
    if (counted_) counted_->load_ended();
  }

  [[nodiscard]] std::string lacking() const override {
    if (wanted_.empty()) return {};
    const std::vector<std::string> there = figures();
    for (const std::string& name : wanted_) {
      if (std::ranges::find(there, name) == there.end()) {
        return fmt::format("the figure {}: nothing on the path of this run has such a counter{}",
                           in_quotes(name), nearest_clause(nearest_counters(name, there)));
      }
    }
    return {};
  }

  Counters finish() override {
    if (counted_) counted_->stop();
    const Readings perf = perf_->read();
    std::vector<std::optional<Readings>> texts;
    for (const TextFile& each : files_) texts.push_back(read(each));
    std::vector<std::optional<NicStatistics>> devices;
    for (const Namespace& each : namespaces_) devices.push_back(read(each));
    if (noise_) noise_->read_again();
    if (queues_) counters_.queues = queues_->finish();

    // All readings are taken; only now may the work take time.
    if (tcp_) counters_.tcp = tcp_->finish();
    if (queues_) std::ranges::copy(queues_->unknown(), std::back_inserter(counters_.unknown));
    add_deltas(kPerf, "", perf_before_, perf, counters_, zeros_);
    for (std::size_t i = 0; i < files_.size(); ++i) add(files_[i], texts[i]);
    for (std::size_t i = 0; i < namespaces_.size(); ++i) add(namespaces_[i], devices[i]);
    if (noise_) noise_->add_to(counters_);
    std::ranges::sort(counters_.deltas, {}, [](const CounterDelta& delta) {
      return std::tie(delta.source, delta.netns, delta.name);
    });
    return std::move(counters_);
  }

 private:
  void add_file(const CounterKind& kind, const std::string& netns, Parse parse, const std::string& path) {
    add_file(kind, netns, std::move(parse), path, open_to_read(path), false);
  }

  void add_file(const CounterKind& kind, const std::string& netns, Parse parse, const std::string& path,
                Fd file, bool is_between) {
    if (!file && kind.source == kSnmp6.source) return;
    if (!file) {
      counters_.unknown.push_back(not_read(kind.source, netns, path + " cannot be read"));
      return;
    }
    files_.push_back({kind, netns, is_between, std::move(parse), std::move(file), {}});
  }

  // The names of the figures of all that was read first.
  [[nodiscard]] std::vector<std::string> figures() const {
    std::vector<std::string> names = queues_ ? queues_->figures() : std::vector<std::string>{};
    add_figures(kPerf, "", perf_before_, names);
    for (const TextFile& each : files_) {
      if (each.before) add_figures(each.kind, each.netns, *each.before, names);
    }
    for (const Namespace& each : namespaces_) {
      if (!each.before) continue;
      add_figures(kNic, each.name, each.before->devices, names);
      add_figures(kEthtool, each.name, each.before->drivers, names);
    }
    return names;
  }

  template <class Find>
  void sample_queues(const std::string& netns, Find find) {
    const auto in = std::ranges::find(namespaces_, netns, &Namespace::name);
    const Result<NamedDevice> device = in != namespaces_.end()
                                           ? find(in->sockets.route)
                                           : fail(ErrorKind::not_found, "it could not be entered");
    if (device) {
      queues_->add(in->sockets.route, netns, *device);
      if (device->peer_netns) sample_other_end(in->sockets.route, *device);
    } else {
      counters_.unknown.push_back(not_read("queues", netns, device.error().message));
    }
  }

  // If it is in a namespace between client and server, as that of a router, and if that one has a name or is
  // the host's own.
  void sample_other_end(const Fd& route, const NamedDevice& device) {
    const Namespace* there = namespace_between(route, *device.peer_netns);
    if (there == nullptr) return;
    if (const auto other = find_device(there->sockets.route, *device.peer))
      queues_->add(there->sockets.route, there->name, *other);
  }

  // Null: it is one of those with a process, or it cannot be entered.
  const Namespace* namespace_between(const Fd& route, int number) {
    const auto netns = netns_of(route, number);
    if (!netns) return nullptr;
    const ino_t inode = inode_of(netns->path);
    const auto known = std::ranges::find(namespaces_, inode, &Namespace::inode);
    if (known != namespaces_.end()) return known->is_between ? &*known : nullptr;
    std::vector<Fd> files;
    auto sockets = open_sockets_in(netns->path, [&] {
      for (const NamespaceFile& each : kNamespaceFiles)
        files.push_back(open_to_read(fmt::format("{}/thread-self/net/{}", proc_, each.name)));
    });
    if (!sockets) return nullptr;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const NamespaceFile& each = kNamespaceFiles[i];
      add_file(*each.kind, netns->name, each.parse, each.name, std::move(files[i]), true);
    }
    return &namespaces_.emplace_back(Namespace{.name = netns->name,
                                               .sockets = std::move(*sockets),
                                               .inode = inode,
                                               .is_between = true,
                                               .before = {}});
  }

  [[nodiscard]] std::optional<NamedNetns> netns_of(const Fd& route, int number) const {
    if (auto named = find_named_netns(route, number)) return named;
    std::string own = fmt::format("{}/self/ns/net", proc_);
    const Fd file = open_to_read(own);
    if (!file || number_of_netns(route, file) != number) return std::nullopt;
    return NamedNetns{.name = {}, .path = std::move(own)};
  }

  static std::optional<Readings> read(const TextFile& each) {
    const auto text = read_again(each.file);
    if (!text) return std::nullopt;
    return each.parse(*text);
  }

  static std::optional<NicStatistics> read(const Namespace& each) {
    auto read = read_nic_statistics(each.sockets);
    if (!read) return std::nullopt;
    return std::move(*read);
  }

  void add(const TextFile& each, const std::optional<Readings>& after) {
    if (each.before && after && !each.before->empty()) {
      add_deltas(each.kind, each.netns, *each.before, *after, counters_,
                 each.is_between ? zeros_between_ : zeros_);
    } else {
      counters_.unknown.push_back(not_read(each.kind.source, each.netns, "its text cannot be read"));
    }
  }

  void add(const Namespace& each, const std::optional<NicStatistics>& after) {
    if (!each.before) return;  // reported already
    if (!after) {
      counters_.unknown.push_back(not_read("nic", each.name, "the devices could not be read again"));
      return;
    }
    add_deltas(kNic, each.name, each.before->devices, after->devices, counters_, zeros_);
    add_deltas(kEthtool, each.name, each.before->drivers, after->drivers, counters_, zeros_);
  }

  core::Clock& clock_;
  std::string proc_;
  std::vector<TextFile> files_;
  std::deque<Namespace> namespaces_;  // samplers refer to its elements
  std::vector<std::string> wanted_;   // figures of the job that are read from counters
  KeptZeros zeros_, zeros_between_{.expected = false};
  std::optional<TcpSampler> tcp_;
  CountedPlan plan_;
  core::LiveRates live_;
  std::chrono::steady_clock::time_point released_;
  std::optional<QueueSampler> queues_;
  std::optional<PerfCounters> perf_;
  Readings perf_before_;
  std::optional<HostNoise> noise_;
  std::optional<CountedPart> counted_;  // of `noise_`
  Counters counters_;
};

TcpSamplerSettings sampling_of(const TestSpec& spec) {
  TcpSamplerSettings sampling;
  sampling.peer = {parse_address(spec.path.server), spec.iperf3.port};
  sampling.connections =
      std::size_t{spec.traffic.streams} * (spec.traffic.direction == Direction::both ? 2 : 1);
  sampling.direction = spec.traffic.direction;
  sampling.omit = spec.traffic.omit;
  return sampling;
}

}  // namespace

RunCounters::RunCounters(core::Clock& clock, std::string proc, std::string sys)
    : clock_(clock), proc_(std::move(proc)), sys_(std::move(sys)) {}

std::unique_ptr<core::ActiveCounters> RunCounters::open(const JobSpec& spec,
                                                        const std::vector<pid_t>& workload) {
  auto counting = std::make_unique<Counting>(clock_, proc_);
  const TestSpec& test = spec.test;
  const bool measured = spec.workload.measures_path && !workload.empty();
  counting->add_namespace(test.path.netns, measured ? fmt::format("{}", workload.front()) : "self");
  if (measured && workload.size() > 1 && test.path.local && test.path.local->netns != test.path.netns) {
    counting->add_namespace(test.path.local->netns, fmt::format("{}", workload[1]));
  }
  counting->add_machine();
  if (measured && spec.workload.makes_traffic) {
    counting->expect_load(
        {.probed = spec.latency.has_value(), .omit = test.traffic.omit, .duration = test.traffic.duration});
    if (test.traffic.protocol == Protocol::tcp) counting->sample_tcp(sampling_of(test));
  }
  if (measured) counting->sample_queues(test, workload);
  counting->expect(spec.figures);
  counting->begin();
  counting->begin_noise(sys_, measured ? workload : std::vector<pid_t>{});
  return counting;
}

}  // namespace netperfd::counters
