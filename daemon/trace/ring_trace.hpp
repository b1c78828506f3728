// SPDX-License-Identifier: GPL-2.0-or-later
// One run's trace: the session, the pipes of its ring buffers, the tally, and the record.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/tracer.hpp"
#include "daemon/trace/drain.hpp"
#include "daemon/trace/recording/recording.hpp"
#include "daemon/trace/ring/tally.hpp"
#include "daemon/trace/task_watch.hpp"
#include "daemon/trace/traced_functions.hpp"
#include "daemon/trace/tracefs/session.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// The objects that a trace uses; all must outlive it.
struct TracePorts {
  core::Clock& clock;
  Tracefs& tracefs;
  core::TraceListener& listener;
};

struct RingTraceSettings {
  std::string proc = "/proc";
  std::string sys = "/sys";
  std::chrono::milliseconds progress_period{1000};
  std::vector<std::string> neighbours;  // in addition to those that the session itself finds
  std::size_t most_held_bytes = 0;      // read but not counted yet; 0: as much as the machine can spare
  // The tracer's own cost, or why it is unknown.
  Result<Calibration> calibration = fail(ErrorKind::unsupported, "nobody measured the tracer's own cost");
};

class RingTrace final : public core::ActiveTrace {
 public:
  // Reads the formats and opens the pipes of an applied session. After an error the session is restored.
  [[nodiscard]] static Result<std::unique_ptr<RingTrace>> open(TracePorts ports,
                                                               std::unique_ptr<TraceSession> session,
                                                               const TraceSpec& spec,
                                                               RingTraceSettings settings);

  [[nodiscard]] Status start(const std::vector<pid_t>& workload) override;
  [[nodiscard]] Status mark(const std::string& text, bool user) override;
  void stop() override;
  [[nodiscard]] Status abandon() override;

 private:
  // Everything prepared before tracing starts.
  struct Parts {
    TallySettings tally;
    SubbufferLayout layout;
    std::size_t most_held_bytes = 0;
    std::unique_ptr<TracedFunctions> functions;
    std::vector<RingPipe> pipes;
    std::unique_ptr<TracefsFile> marker;
  };
  RingTrace(TracePorts ports, std::unique_ptr<TraceSession> session, const TraceSpec& spec,
            RingTraceSettings settings, Parts parts);
  [[nodiscard]] static Result<Parts> make_parts(Tracefs& tracefs, const TraceSession& session,
                                                const TraceSpec& spec, const RingTraceSettings& settings);
  [[nodiscard]] DrainSettings drain_settings(const Parts& parts) const;
  void tell_progress();
  void end(const Status& drained);
  [[nodiscard]] TraceRecord make_record();
  void describe(TraceRecord& record);
  void add_statistics(TraceRecord& record);
  void add_recording(TraceRecord& record);
  [[nodiscard]] TaskScreen screen() const { return tasks_ ? tasks_->screen() : TaskScreen(); }

  TracePorts ports_;
  TraceSpec spec_;
  RingTraceSettings settings_;
  // The order matters: rmdir of an instance is refused while one of its files is open.
  std::unique_ptr<TraceSession> session_;
  std::unique_ptr<TracefsFile> marker_;
  std::unique_ptr<TracedFunctions> functions_;  // null if no functions are traced; gives the tally names
  std::optional<RawKeeper> keeper_;             // if the job asked for a recording
  Tally tally_;
  std::optional<Drain> drain_;  // until the end; its pipes are files of the instance as well
  core::Timer progress_;
  std::chrono::microseconds told_at_{0};  // since boot: time of the last progress report
  std::optional<TaskWatch> tasks_;        // if an unprivileged user reads the record
  bool started_ = false;
  std::string broken_;
  std::uint32_t user_marks_ = 0;
};

}  // namespace netperfd::trace
