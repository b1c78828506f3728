// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/latency/job/keys.hpp"

#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "daemon/model/units.hpp"
#include "daemon/workload/job/place.hpp"

namespace netperfd::workload {

using namespace keys;

namespace {

using namespace std::chrono_literals;

// Values filled in by the keys.
struct LatencyDraft {
  LatencySpec spec;
  ProbeSpec probe;   // the probe being read
  PlaceDraft place;  // of latency alone: the keys that say where it is measured
};

std::vector<Key> keys_of_place(LatencyDraft& draft) {
  PlaceDraft& place = draft.place;
  return {
      {"workload.latency", {}},
      {"workload.latency.server",
       text(place.path.server),
       {"host", "required: this or `local`",
        "name or address of a host on which somebody runs `netperfd-echo`", ""}},
      {"workload.latency.server_wait",
       word(place.server_wait, parse_duration, kDuration),
       {"duration", "`60s`; with `local`: none",
        "how long a run waits for a server that is absent: up to 1 h; `0s`: it fails at once", ""}},
      {"workload.latency.local", {}},
      {"workload.latency.local.netns",
       text(place.local.netns),
       {"word", "the host's own", "network namespace of a server that netperfd runs for this job", ""}},
      {"workload.latency.local.bind",
       text(place.local.bind),
       {"address", "required", "address on which that server listens and to which the probes send", ""},
       Need::required},
      {"workload.latency.netns",
       text(place.path.netns),
       {"word", "the host's own", "network namespace of the probes", ""}},
      {"workload.latency.bind",
       text(place.path.bind),
       {"address", "the kernel's", "the probes' own address", ""}},
      {"workload.latency.ip_version",
       word(place.path.ip_version, parse_ip_version, "one of 4, 6 or any"),
       {"`4`, `6`, `any`", "`any`", "", ""}},
      {"workload.latency.duration",
       word(draft.spec.duration, parse_duration, kDuration),
       {"duration", "required", "how long to measure: 1 s to 24 h", ""},
       Need::required},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of std::function in an initializer list

// The names of the keys that both have.
struct Names {
  const char* port;
  const char* timeout;
  const char* interval;
  const char* probes;
  const char* name;
  const char* protocol;
  const char* rate;
  const char* length;
  const char* dscp;
};
constexpr Names kAlone{"workload.latency.port",          "workload.latency.timeout",
                       "workload.latency.interval",      "workload.latency.probes",
                       "workload.latency.probes[].name", "workload.latency.probes[].protocol",
                       "workload.latency.probes[].rate", "workload.latency.probes[].length",
                       "workload.latency.probes[].dscp"};
constexpr Names kBeside{
    "with.latency.port",          "with.latency.timeout",         "with.latency.interval",
    "with.latency.probes",        "with.latency.probes[].name",   "with.latency.probes[].protocol",
    "with.latency.probes[].rate", "with.latency.probes[].length", "with.latency.probes[].dscp"};

std::vector<Key> keys_of_probes(LatencyDraft& draft, const Names& names) {
  LatencySpec& spec = draft.spec;
  const auto keep = [&draft] { draft.spec.probes.push_back(std::exchange(draft.probe, {})); };
  return {
      {names.port, number(spec.port), {"number", "5202", "port of the server, 1 to 65535", ""}},
      {names.timeout,
       word(spec.timeout, parse_duration, kDuration),
       {"duration", "`2s`", "a request whose answer takes longer is lost: 10 ms to 1 min", ""}},
      {names.interval,
       word(spec.interval, parse_duration, kDuration),
       {"duration", "`1s`", "length of a reporting interval: 100 ms to 1 min", ""}},
      {names.probes,
       {},
       {},
       Need::optional,
       {keep, "protocol", "a list of probes (like [udp, tcp], or mappings with the key protocol)"}},
      {names.name,
       text(draft.probe.name),
       {"word", "the protocol",
        "what pages and [figures](comparing.md#figures) call the probe; unique in the job", ""}},
      {names.protocol,
       text(draft.probe.protocol),
       {"`udp`, `tcp`, `icmp`", "`udp`",
        "`icmp` needs no server, but `net.ipv4.ping_group_range` in the namespace", ""}},
      {names.rate,
       number(draft.probe.rate),
       {"number", "200",
        "requests per second, sent whether the earlier ones were answered or not: 1 to 10000", ""}},
      {names.length,
       word(draft.probe.length_bytes, parse_bytes, "a number of bytes (like 64 or 1K; K is 1024)"),
       {"bytes", "64", "of a request and of its answer, without headers: 64 to 1400", ""}},
      {names.dscp,
       text(draft.probe.dscp),
       {"number or name", "none", "0 to 63, `ef`, `af11` to `af43`, `cs0` to `cs7`", ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

std::vector<Key> keys_of_latency(LatencyDraft& draft) {
  std::vector<Key> keys = keys_of_place(draft);
  const auto append = [&keys](std::vector<Key> more) {
    keys.insert(keys.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  };
  append(keys_of_probes(draft, kAlone));
  append({{"with", {}},
          {"with.latency", {}},
          {"with.latency.idle",
           word(draft.spec.idle, parse_duration, kDuration),
           {"duration", "`2s`",
            "how long the probes measure the idle path, both before iperf3 begins and after it has ended: "
            "500 ms to 10 min",
            ""}}});
  append(keys_of_probes(draft, kBeside));
  return keys;
}

// With the defaults: a probe without a name is called like its protocol, and without any probe there is one.
LatencySpec completed(LatencySpec spec) {
  if (spec.probes.empty()) spec.probes.emplace_back();
  for (ProbeSpec& probe : spec.probes) {
    if (probe.name.empty()) probe.name = probe.protocol;
  }
  return spec;
}

// Of a job without traffic, nothing is received: its 99th percentile, or the median or the mean if too few
// requests are sent for that: 1,000 answers or 20, and some are lost or not sent.
std::vector<FigureChoice> figures_of_latency(const LatencySpec& latency) {
  const std::chrono::duration<double> duration = latency.duration.value_or(0ms);
  const double requests = latency.probes.front().rate * duration.count();
  const char* const name = requests >= 1'100 ? "latency.p99"
                           : requests >= 22  ? "latency.p50"
                                             : "latency.mean";
  return {{.figure = {.name = name}}};
}

class LatencyKeys final : public JobKeys {
 public:
  std::vector<Key> keys() override { return keys_of_latency(draft_); }

  void finish(const YamlNode& root, JobSpec& spec, Complaints& complaints) override {
    const bool alone = spec.workload.name == "latency";
    const YamlEntry* with = root.find("with");
    if (with != nullptr && (alone || !spec.workload.takes_probes))
      complaints.add(with->place, "with", "stands beside a workload of iperf3 only");
    if (alone || value_of(with ? &with->value : nullptr, "latency"))
      spec.latency = completed(std::move(draft_.spec));
    if (!alone) return;
    spec.test.path = path_of(std::move(draft_.place), spec.workload.name, root, complaints);
    if (spec.figures.empty()) spec.figures = figures_of_latency(*spec.latency);
  }

 private:
  LatencyDraft draft_;
};

}  // namespace

std::unique_ptr<JobKeys> make_latency_keys() {
  return std::make_unique<LatencyKeys>();
}

}  // namespace netperfd::workload
