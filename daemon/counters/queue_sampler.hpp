// SPDX-License-Identifier: GPL-2.0-or-later
// Samples the backlog of queueing disciplines while a run goes on.
//
// The kernel lists the queueing disciplines of a whole namespace, never those of one device. A sample of a
// device takes 9 us of CPU time in a namespace with 4 of them and 620 us in one with 1,000 (Linux 6.18, x86).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/counters/queues.hpp"
#include "daemon/model/counters.hpp"

namespace netperfd::counters {

struct QueueSamplerSettings {
  std::chrono::milliseconds period{500};
  // If there are more samples, every other one is dropped and the period doubles.
  std::size_t most_samples = 4000;
  // Of one device. Its first one is the root, which counts what its children hold.
  std::size_t most_queues = 8;
  // In a namespace with more, no device is sampled: it would take too long.
  std::size_t most_listed = 1000;
};

class QueueSampler {
 public:
  // `clock` must outlive this object.
  explicit QueueSampler(core::Clock& clock, QueueSamplerSettings sampling = {});

  // Adds a device before the start. `route` belongs to the namespace `netns` (empty: the host's own) and must
  // outlive this object. A device that has no queueing discipline now is never sampled.
  void add(const Fd& route, const std::string& netns, const NamedDevice& device);
  // The names of the figures (counter_figure.hpp) of the queueing disciplines that there are before the
  // start.
  [[nodiscard]] const std::vector<std::string>& figures() const { return figures_; }
  // Starts sampling, with a first sample: time 0 is now.
  void start();
  // Samples once more; the last call. The samples are by time, for each time by device.
  [[nodiscard]] std::vector<QueueSample> finish();
  // What could not be sampled, a clause each; complete after finish().
  [[nodiscard]] const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  struct Known {
    Queue last;
    QueueSample total;  // and what never changes; no backlog
  };
  struct Sampled {
    const Fd* route = nullptr;
    std::string netns;
    NamedDevice device;
    std::vector<Known> known;
    bool gone = false;
  };
  struct Kept {
    std::uint64_t tick = 0;
    QueueSample sample;
  };

  void arm();
  void look();
  void look_at(Sampled& sampled);
  void take(Sampled& sampled, const Queue& now, std::chrono::microseconds time);
  void note_absence(Sampled& sampled);
  void make_room();
  void note(const Sampled& sampled, const std::string& why);

  core::Clock& clock_;
  QueueSamplerSettings settings_;
  std::vector<Sampled> sampled_;
  std::vector<Kept> kept_;
  std::vector<std::string> unknown_;
  std::vector<std::string> figures_;
  bool started_ = false;
  std::uint64_t tick_ = 0;    // in configured periods
  std::uint64_t stride_ = 1;  // periods between two samples
  std::chrono::steady_clock::time_point begin_;
  core::Timer timer_;
};

// The growth of a count that wraps at 32 bits. If it went back further than a wrap explains, somebody has
// replaced the queueing discipline by a new one, which began at 0.
[[nodiscard]] std::uint64_t growth(std::uint32_t before, std::uint32_t now);

}  // namespace netperfd::counters
