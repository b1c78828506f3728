// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/job/keys.hpp"

#include <cstdint>
#include <iterator>
#include <utility>

#include "daemon/model/units.hpp"
#include "daemon/workload/job/place.hpp"

namespace netperfd::workload {

using namespace keys;

namespace {

// Values filled in by the keys.
struct Iperf3Draft {
  TestSpec test;  // without its path
  PlaceDraft place;
};

std::vector<Key> keys_of_iperf3(Iperf3Draft& draft) {
  TestSpec& test = draft.test;
  return {
      {"workload.iperf3", {}},
      {"workload.iperf3.server",
       text(draft.place.path.server),
       {"host", "required: this or `local`", "name or address of a server that somebody else runs", "`-c`"}},
      {"workload.iperf3.server_wait",
       word(draft.place.server_wait, parse_duration, kDuration),
       {"duration", "`60s`; with `local`: none",
        "how long a run waits for a server that is busy or absent (see below): up to 1 h; `0s`: it fails at "
        "once",
        ""}},
      {"workload.iperf3.local", {}},
      {"workload.iperf3.local.netns",
       text(draft.place.local.netns),
       {"word", "the host's own",
        "network namespace, as `ip netns` lists it, of a server that netperfd runs for this job", ""}},
      {"workload.iperf3.local.bind",
       text(draft.place.local.bind),
       {"address", "required", "address on which that server listens and to which the client connects",
        "`-c`; the server's `-B`"},
       Need::required},
      {"workload.iperf3.netns",
       text(draft.place.path.netns),
       {"word", "the host's own", "network namespace of the client", ""}},
      {"workload.iperf3.protocol",
       word(test.traffic.protocol, parse_protocol, "one of tcp, udp or sctp"),
       {"`tcp`, `udp`, `sctp`", "`tcp`", "", "`-u`, `--sctp`"}},
      {"workload.iperf3.duration",
       word(test.traffic.duration, parse_duration, kDuration),
       {"duration", "required: this or `bytes`",
        "how long to measure, without the omitted part: 1 s to 24 h in whole seconds", "`-t`"}},
      {"workload.iperf3.bytes",
       word(test.traffic.bytes, parse_bytes, kBytes),
       {"bytes", "required: this or `duration`", "how much to send, instead of how long", "`-n`"}},
      {"workload.iperf3.omit",
       word(test.traffic.omit, parse_duration, kDuration),
       {"duration", "`0s`", "time to leave out at the beginning: up to 10 min in whole seconds", "`-O`"}},
      {"workload.iperf3.streams",
       number(test.traffic.streams),
       {"number", "1", "parallel connections (in each direction): 1 to 128", "`-P`"}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

std::vector<Key> keys_of_traffic(Iperf3Draft& draft) {
  TestSpec& test = draft.test;
  return {
      {"workload.iperf3.direction",
       word(test.traffic.direction, parse_direction, "one of send, receive or both"),
       {"`send`, `receive`, `both`", "`send`", "as seen from the client", "`-R`, `--bidir`"}},
      {"workload.iperf3.bitrate",
       word(test.traffic.bitrate, parse_bit_rate,
            "a bit rate (like 100M or 2.5G, a second; K is 1000, 0 is no limit)"),
       {"bit rate", "no limit; udp: required",
        "target rate of each stream; `0` is no limit. iperf3 alone would send udp at 1 Mbit/s", "`-b`"}},
      {"workload.iperf3.interval",
       word(test.traffic.interval, parse_duration, kDuration),
       {"duration", "`1s`", "length of a reporting interval: 100 ms to 60 s", "`-i`"}},
      {"workload.iperf3.length",
       word(test.iperf3.length_bytes, parse_bytes, kBytes),
       {"bytes", "iperf3's", "size of one write, up to 1M; of a datagram, 16 to 65507", "`-l`"}},
      {"workload.iperf3.window",
       word(test.iperf3.window_bytes, parse_bytes, kBytes),
       {"bytes", "the kernel's", "socket buffers, up to 512M", "`-w`"}},
      {"workload.iperf3.mss",
       number(test.iperf3.mss_bytes),
       {"number", "the kernel's",
        "maximum segment size: at least 88 bytes for tcp and 512 for sctp, at most 9216 bytes; not for udp",
        "`-M`"}},
      {"workload.iperf3.congestion",
       text(test.iperf3.congestion),
       {"word", "the kernel's", "congestion control algorithm, such as `bbr`; tcp only", "`-C`"}},
      {"workload.iperf3.dscp",
       text(test.iperf3.dscp),
       {"number or name", "none",
        "0 to 63, `ef`, `af11` to `af43`, `cs0` to `cs7`, `lowdelay`, `throughput`, `reliability`",
        "`--dscp`"}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

std::vector<Key> keys_of_sockets(Iperf3Draft& draft) {
  TestSpec& test = draft.test;
  return {
      {"workload.iperf3.no_delay",
       boolean(test.iperf3.no_delay),
       {"`true`, `false`", "`false`", "switches Nagle's algorithm off; not for udp", "`-N`"}},
      {"workload.iperf3.zerocopy",
       boolean(test.iperf3.zerocopy),
       {"`true`, `false`", "`false`", "sends with sendfile; tcp only", "`-Z`"}},
      {"workload.iperf3.dont_fragment",
       boolean(test.iperf3.dont_fragment),
       {"`true`, `false`", "`false`", "sets the DF bit; udp over IPv4 only", "`--dont-fragment`"}},
      {"workload.iperf3.ip_version",
       word(draft.place.path.ip_version, parse_ip_version, "one of 4, 6 or any"),
       {"`4`, `6`, `any`", "`any`", "", "`-4`, `-6`"}},
      {"workload.iperf3.port",
       number(test.iperf3.port),
       {"number", "5201", "port of the server, 1 to 65535", "`-p`"}},
      {"workload.iperf3.cport",
       number(test.iperf3.client_port),
       {"number", "the kernel's", "the client's own port, plus one for each further stream", "`--cport`"}},
      {"workload.iperf3.bind",
       text(draft.place.path.bind),
       {"address", "the kernel's", "the client's own address", "`-B`"}},
      {"workload.iperf3.affinity",
       cpu_list(test.iperf3.affinity),
       {"list of numbers", "none",
        "the CPU (0 to 1023) of the client and, with `local`, of the server: `[2]`, `[2, 3]`; netperfd binds "
        "them itself",
        ""}},
  };
}  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks)

class Iperf3Keys final : public JobKeys {
 public:
  std::vector<Key> keys() override {
    std::vector<Key> keys = keys_of_iperf3(draft_);
    const auto append = [&keys](std::vector<Key> more) {
      keys.insert(keys.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    };
    append(keys_of_traffic(draft_));
    append(keys_of_sockets(draft_));
    return keys;
  }

  void finish(const YamlNode& root, JobSpec& spec, Complaints& complaints) override {
    if (spec.workload.name != "iperf3") return;
    spec.test = std::move(draft_.test);
    spec.test.path = path_of(std::move(draft_.place), spec.workload.name, root, complaints);
  }

 private:
  Iperf3Draft draft_;
};

}  // namespace

std::unique_ptr<JobKeys> make_iperf3_keys() {
  return std::make_unique<Iperf3Keys>();
}

}  // namespace netperfd::workload
