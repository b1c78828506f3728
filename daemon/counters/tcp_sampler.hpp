// Samples TCP_INFO of a client's connections while it runs.
//
// A look through the kernel's table of connections, at the first tick, finds the client's (at a few more
// ticks where some are missing); from then on each is asked for by its ports, addresses and cookie, which
// costs some microseconds each. Connections that were there before the release are somebody else's.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports.hpp"
#include "daemon/counters/tcp_info.hpp"

namespace netperfd::counters {

struct TcpSampling {
  TcpPeer peer;
  // Of data. iperf3 has one more, to talk to its server: where there is one too many, that with the least
  // bytes is left out of the samples.
  std::size_t connections = 1;
  std::chrono::milliseconds period{500};
  // Where there are more samples, every second moment is forgotten and the period doubles.
  std::size_t most_samples = 4000;
};

class TcpSampler {
 public:
  // `diag` belongs to the client's namespace, and must outlive this like `clock`. Looks for connections that
  // are there already.
  TcpSampler(core::Clock& clock, const Fd& diag, TcpSampling sampling);

  // Time 0 is now.
  void start();
  // What was seen, by time; the last call.
  [[nodiscard]] std::vector<TcpSample> finish();
  // Empty, or why nothing can be sampled here.
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

  core::Clock& clock_;
  const Fd& diag_;
  TcpSampling sampling_;
  std::vector<TcpConnection> foreign_;
  std::vector<TcpConnection> known_;  // as last seen
  std::vector<bool> closed_;          // of each of them
  std::vector<Kept> kept_;
  std::uint64_t tick_ = 0;    // in periods as configured
  std::uint64_t stride_ = 1;  // periods between two looks
  std::chrono::steady_clock::time_point begin_;
  std::string trouble_;
  core::Timer timer_;
};

}  // namespace netperfd::counters
