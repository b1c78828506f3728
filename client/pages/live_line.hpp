// SPDX-License-Identifier: GPL-2.0-or-later
// The progress line of a job. It does no I/O: its owner passes in events and the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl {

class LiveLine {
 public:
  using Time = std::chrono::steady_clock::time_point;

  LiveLine(const LiveJobView& job, Time now) { job_changed(job, now); }

  // Between two reports of the daemon, the client's own clock advances the elapsed time.
  void job_changed(const LiveJobView& job, Time now);
  // The sum of one direction.
  void interval(std::uint64_t run, const IntervalView& interval);
  void trace_progress(std::uint64_t run, const TraceProgressView& progress);

  [[nodiscard]] const LiveJobView& job() const { return job_; }
  // Whether time alone changes the line.
  [[nodiscard]] bool moves() const { return job_.run_state == "running" && job_.current_run.has_value(); }
  // Its end has been printed: the line shows the job until the next run begins.
  void run_ended(std::uint64_t run);
  // "run 41  1/3  running", without a line feed.
  [[nodiscard]] std::string state_text() const;
  // `lead` and "run 41  1/3  running  ▕████▌   ▏  6.2 s of 11 s  78.4 Mbit/s  ▃▅▆▆▅▆  0 retr", narrower than
  // the screen, without a line feed; what does not fit is left out, the sparkline and the bar first. Of a
  // traced run also "skb:kfree_skb 1,204/s, tcp:tcp_probe 17/s, 0 lost" or, in less room, "kfree_skb 1,204/s,
  // …, 0 lost" or "1,221 events/s, 0 lost". Where functions are traced their calls stand before the events:
  // "246k calls/s".
  [[nodiscard]] std::string text(const Screen& screen, Time now, const std::string& lead = {}) const;
  // "hsr_get_node 28.1k/s, hsr_forward_skb 14.0k/s": the busiest functions of the last second, as many as
  // there is room for behind `lead`; empty where no functions are traced.
  [[nodiscard]] std::string functions_text(const Screen& screen, const std::string& lead) const;

 private:
  struct Live {
    Direction direction = Direction::send;
    std::vector<double> rates;
    std::optional<std::uint64_t> retransmits;
  };

  [[nodiscard]] double elapsed_s(Time now) const;
  [[nodiscard]] std::string time_words(Time now) const;
  [[nodiscard]] std::string end_words(const Screen& screen) const;
  [[nodiscard]] std::string rate_words() const;
  // `by_name`: nothing rather than the sum of all, where not even the most frequent event has room.
  [[nodiscard]] std::string trace_words(const Screen& screen, std::size_t room, bool by_name) const;
  // What the trace says in `room` columns beside `line`, which becomes `shorter` where that makes room.
  [[nodiscard]] std::string place_trace(const Screen& screen, std::size_t room, const std::string& shorter,
                                        std::string& line) const;
  [[nodiscard]] std::string run_text() const;  // "run 41  1/3"

  LiveJobView job_;
  std::uint64_t run_ = 0;
  std::optional<std::uint64_t> ended_;  // the run whose end has been printed
  double anchor_s_ = 0;                 // elapsed at anchor_time_
  Time anchor_time_;
  std::vector<Live> live_;                  // one a direction
  std::optional<TraceProgressView> trace_;  // the newest; `lost` since the line knows of the run
  bool calls_ = false;                      // of this run: functions are traced
};

// The lines of all jobs that live, by their numbers, and how to leave.
[[nodiscard]] std::string watched_text(const Screen& screen, const std::map<std::uint64_t, LiveLine>& jobs,
                                       LiveLine::Time now);

}  // namespace netperfctl
