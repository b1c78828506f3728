// SPDX-License-Identifier: GPL-2.0-or-later
// Where the part of a run begins and ends that iperf3 counts. There, CPU times are read (host_noise.hpp).
//
// A client with --json-stream tells when its test begins: it is connected, and its buffers are filled. Then
// the part lasts as long as it was asked to, and what iperf3 does before and after is not in it. Other
// clients tell nothing: of their runs, only the omitted part is apart. With probes, the run tells its phases.
#pragma once

#include <chrono>
#include <optional>

#include "daemon/core/ports/clock.hpp"
#include "daemon/counters/host_noise.hpp"

namespace netperfd::counters {

struct CountedPlan {
  bool probed = false;  // there are probes beside iperf3
  std::chrono::milliseconds omit{0};
  std::optional<std::chrono::milliseconds> duration = std::nullopt;  // absent: it ends otherwise
};

class CountedPart {
 public:
  // Both must outlive it.
  CountedPart(core::Clock& clock, HostNoise& noise, const CountedPlan& plan)
      : clock_(clock), noise_(noise), plan_(plan) {}
  CountedPart(const CountedPart&) = delete;
  CountedPart& operator=(const CountedPart&) = delete;

  // iperf3's client was released just now.
  void load_begun() {
    if (plan_.omit.count() > 0) {
      begin_after_omit();
    } else if (plan_.probed) {
      noise_.count_begins();
    }
  }

  // Its client has told just now that its test begins.
  void test_begun() {
    if (plan_.probed) return;
    noise_.test_begins();
    end_awaited_ = plan_.duration.has_value();
    // Before a reading, which takes milliseconds.
    if (plan_.duration)
      ends_ = clock_.after(plan_.omit + *plan_.duration, [this] {
        end_awaited_ = false;
        noise_.count_ends(ReadAtEnd::test);
      });
    if (plan_.omit.count() > 0) {
      begin_after_omit();
    } else {
      noise_.count_begins();
    }
  }

  // Only with probes.
  void load_ended() { noise_.count_ends(ReadAtEnd::load); }

  // The run has ended: nothing is read any more.
  void stop() {
    if (end_awaited_) noise_.ends_with_run();
    begins_.reset();
    ends_.reset();
  }

 private:
  void begin_after_omit() {
    begins_ = clock_.after(plan_.omit, [this] { noise_.count_begins(); });
  }

  core::Clock& clock_;
  HostNoise& noise_;
  CountedPlan plan_;
  core::Timer begins_, ends_;
  bool end_awaited_ = false;
};

}  // namespace netperfd::counters
