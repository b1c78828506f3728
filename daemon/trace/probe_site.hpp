// Where the doctor tries things: a short-lived instance of its own, so that nobody else's tracing is touched.
#pragma once

#include <string>
#include <utility>

#include "daemon/core/trace_ports.hpp"
#include "daemon/trace/reasons.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

// One capability's answer, and whether it holds until the next boot.
struct Finding {
  core::Capability row;
  bool lasting = false;
  bool tried = true;  // false: something was in the way of trying it
};

[[nodiscard]] Finding found(std::string name, core::Ability ability, std::string detail,
                            std::string advice = {});
[[nodiscard]] Finding missing(std::string name, Reason reason);

// The daemon's own instance, SessionSettings::instance: nobody may be using it for a job meanwhile. Under the
// same name clean_up() finds it where the process died inside a probe.
class ProbeInstance {
 public:
  // `name`: "netperfd-4711".
  [[nodiscard]] static Result<ProbeInstance> make(Tracefs& tracefs, const std::string& name);
  ProbeInstance(ProbeInstance&& other) noexcept
      : tracefs_(other.tracefs_), directory_(std::exchange(other.directory_, {})) {}
  ProbeInstance& operator=(ProbeInstance&&) = delete;
  ProbeInstance(const ProbeInstance&) = delete;
  ProbeInstance& operator=(const ProbeInstance&) = delete;
  ~ProbeInstance();

  // Of a file in it.
  [[nodiscard]] std::string path(const std::string& file) const { return directory_ + "/" + file; }

 private:
  ProbeInstance(Tracefs& tracefs, std::string directory)
      : tracefs_(tracefs), directory_(std::move(directory)) {}

  Tracefs& tracefs_;
  std::string directory_;
};

struct ProbeSite {
  Tracefs& tracefs;
  Reasons& reasons;
  const ProbeInstance& instance;
};

}  // namespace netperfd::trace
