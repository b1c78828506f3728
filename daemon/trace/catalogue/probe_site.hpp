// SPDX-License-Identifier: GPL-2.0-or-later
// The short-lived instance in which the doctor tries things, so that nobody else's tracing is affected.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "daemon/core/ports/catalogue.hpp"
#include "daemon/trace/catalogue/reasons.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

// The answer for one capability, and whether it holds until the next boot.
struct Finding {
  core::Capability row;
  bool lasting = false;
  bool tried = true;  // false: something prevented trying it
};

[[nodiscard]] Finding found(std::string name, core::Ability ability, std::string detail,
                            std::string advice = {});
[[nodiscard]] Finding missing(std::string name, Reason reason);

// Makes the daemon's own instance (SessionSettings::instance), which no job may be using meanwhile. Because
// of the same name, clean_up() finds it if the process dies during a probe.
class ProbeInstance {
 public:
  // `name`: "netperfd-4711-9f86d081".
  [[nodiscard]] static Result<ProbeInstance> make(Tracefs& tracefs, const std::string& name);
  ProbeInstance(ProbeInstance&& other) noexcept
      : tracefs_(other.tracefs_),
        directory_(std::exchange(other.directory_, {})),
        mark_(std::move(other.mark_)) {}
  ProbeInstance& operator=(ProbeInstance&&) = delete;
  ProbeInstance(const ProbeInstance&) = delete;
  ProbeInstance& operator=(const ProbeInstance&) = delete;
  ~ProbeInstance();

  // The path of a file in it.
  [[nodiscard]] std::string path(const std::string& file) const { return directory_ + "/" + file; }

 private:
  ProbeInstance(Tracefs& tracefs, std::string directory, std::unique_ptr<TracefsFile> mark)
      : tracefs_(tracefs), directory_(std::move(directory)), mark_(std::move(mark)) {}

  Tracefs& tracefs_;
  std::string directory_;
  std::unique_ptr<TracefsFile> mark_;  // the instance is in use
};

struct ProbeSite {
  Tracefs& tracefs;
  Reasons& reasons;
  const ProbeInstance& instance;
};

}  // namespace netperfd::trace
