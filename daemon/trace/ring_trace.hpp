// One run's trace: the session, the pipes of its ring buffers, what is counted of them, and the record.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports.hpp"
#include "daemon/trace/drain.hpp"
#include "daemon/trace/session.hpp"
#include "daemon/trace/tally.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

// What a trace stands on; all must outlive it.
struct TracePorts {
  core::Clock& clock;
  Tracefs& tracefs;
  core::TraceListener& listener;
};

struct RingTraceSettings {
  std::string kallsyms = "/proc/kallsyms";
  std::chrono::milliseconds progress_period{1000};
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
  RingTrace(TracePorts ports, std::unique_ptr<TraceSession> session, const TraceSpec& spec,
            RingTraceSettings settings, TallySettings tally, std::vector<RingPipe> pipes,
            std::unique_ptr<TracefsFile> marker);
  void tell_progress();
  void end(const Status& drained);
  [[nodiscard]] TraceRecord make_record();
  void add_statistics(TraceRecord& record);

  TracePorts ports_;
  TraceSpec spec_;
  RingTraceSettings settings_;
  // In this order: rmdir of an instance is refused while one of its files is open.
  std::unique_ptr<TraceSession> session_;
  std::unique_ptr<TracefsFile> marker_;
  std::vector<RingPipe> pipes_;  // until the drain has them
  DrainSettings drain_settings_;
  Tally tally_;
  std::optional<Drain> drain_;
  core::Timer progress_;
  WallTime told_at_{};  // the last progress
  std::string broken_;
  std::uint32_t user_marks_ = 0;
};

}  // namespace netperfd::trace
