// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as the ring of a perf event, from any position on: nothing outside of them is read, and each
// sample is counted once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "daemon/sampling/collector.hpp"
#include "daemon/sampling/records.hpp"

using netperfd::analysis::FunctionName;
using netperfd::sampling::Collector;
using netperfd::sampling::LoadedCode;
using netperfd::sampling::RawSample;
using netperfd::sampling::RecordListener;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Reads all that it is told, so that the sanitizer checks it.
class Reader final : public RecordListener {
 public:
  explicit Reader(Collector& collector) : collector_(collector) {}
  void loaded(const LoadedCode& code) override {
    static volatile int sum = 0;
    for (const char each : code.name) sum = sum + each;
    collector_.loaded(code);
  }
  void sampled(const RawSample& sample) override {
    static volatile std::uint64_t sum = 0;
    for (const std::uint64_t address : sample.addresses) sum = sum + address;
    ++samples;
    collector_.sampled(sample);
  }
  void renamed(std::int32_t pid, std::string_view name) override {
    static volatile int sum = 0;
    for (const char each : name) sum = sum + each;
#ifdef NETPERFD_PLANTED_BUG
    // Takes it that a NUL follows: detected only if the name fills the end of the input.
    sum = sum + name.data()[name.size()];
#endif
    collector_.renamed(pid, name);
  }
  void lost(std::uint64_t records) override { collector_.lost(records); }
  void throttled() override { collector_.throttled(); }
  void damaged() override {
    ++damages;
    collector_.damaged();
  }

  std::uint64_t samples = 0, damages = 0;

 private:
  Collector& collector_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  if (size < 2) return 0;
  const std::uint64_t tail = input[0];
  const std::span<const std::byte> ring = std::as_bytes(std::span(input, size)).subspan(1);
  Collector collector{{.name_of = [](std::uint64_t address) -> std::optional<FunctionName> {
                         if (address % 3 == 0) return std::nullopt;
                         return FunctionName{address % 2 == 0 ? "do_idle" : "tcp_ack", "", 0};
                       },
                       .workload = {{.pid = 1, .name = "iperf3"}},
                       .zero_is_idle = tail % 2 == 0,
                       .most_nodes = 16}};
  Reader reader{collector};
  std::vector<std::byte> bytes;
  require(netperfd::sampling::copy_out(ring, tail, tail + ring.size(), bytes));
  require(bytes.size() == ring.size());
  netperfd::sampling::read_loaded_code(bytes, reader);
  netperfd::sampling::read_records(bytes, reader);
  require(reader.samples <= ring.size() / 8 && reader.damages <= 1);
  const auto profile = collector.profile();
  std::uint64_t counted = profile.idle;
  for (const auto& node : profile.nodes) {
    require(node.frame < profile.frames.size());
    require(!node.parent || *node.parent < static_cast<std::size_t>(&node - profile.nodes.data()));
    counted += node.samples;
  }
  require(counted == reader.samples && profile.samples == reader.samples);
  return 0;
}
