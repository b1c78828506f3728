// SPDX-License-Identifier: GPL-2.0-or-later
// Samples TCP_INFO of a client's connections while it runs.
//
// The first tick searches the kernel's table of connections for the client's (a few more ticks do if some are
// missing). From then on each connection is queried by its ports, addresses and cookie, which costs a few
// microseconds. Connections that existed before the release belong to somebody else.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/counter_source.hpp"
#include "daemon/counters/tcp_info.hpp"

namespace netperfd::counters {

struct TcpSamplerSettings {
  TcpPeer peer;
  // Number of data connections. iperf3 has one more, for control: if one too many is found, the one with the
  // fewest bytes is left out of the samples.
  std::size_t connections = 1;
  Direction direction = Direction::send;
  std::chrono::milliseconds omit{0};
  std::chrono::milliseconds period{500};
  // If there are more samples, every other one is dropped and the period doubles.
  std::size_t most_samples = 4000;
};

class TcpSampler {
 public:
  // `diag` belongs to the client's namespace; it and `clock` must outlive this object. Notes the connections
  // that exist already.
  TcpSampler(core::Clock& clock, const Fd& diag, TcpSamplerSettings sampling);

  // Starts sampling: the client connects from now on. Time 0 of the samples is `released`, that of `live` (as
  // in core::ActiveCounters::released) is now.
  void start(core::LiveRates live, std::chrono::steady_clock::time_point released);
  // All samples, by time; the last call.
  [[nodiscard]] std::vector<TcpSample> finish();
  // Empty, or the reason why sampling is impossible here.
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  struct Kept {
    std::uint64_t tick = 0;
    std::size_t connection = 0;
    TcpSample sample;
  };

  void arm();
  void tick();
  void look();
  void find_more();
  void make_room();
  void report_rates();
  void report_rate(Direction direction, std::chrono::microseconds now);
  // The one for control, if all have been found.
  [[nodiscard]] std::optional<std::size_t> control() const;

  core::Clock& clock_;
  const Fd& diag_;
  TcpSamplerSettings settings_;
  std::vector<TcpConnection> foreign_;
  std::vector<TcpConnection> known_;  // as last seen
  std::vector<bool> closed_;          // one for each of them
  std::vector<Kept> kept_;
  core::LiveRates live_;
  std::vector<TcpConnection> reported_;  // as of the last report: the first of known_
  std::chrono::microseconds reported_at_{0};
  std::chrono::milliseconds unreported_{0};  // by the periods since then
  std::uint64_t tick_ = 0;                   // in configured periods
  std::uint64_t stride_ = 1;                 // periods between two samples
  std::chrono::steady_clock::time_point released_, begin_;
  std::string trouble_;
  core::Timer timer_;
};

}  // namespace netperfd::counters
