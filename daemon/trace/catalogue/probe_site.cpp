// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/catalogue/probe_site.hpp"

#include "daemon/trace/tracefs/own_instance.hpp"

namespace netperfd::trace {

Finding found(std::string name, core::Ability ability, std::string detail, std::string advice) {
  return {{std::move(name), ability, std::move(detail), std::move(advice)}, true};
}

Finding missing(std::string name, Reason reason) {
  return {{std::move(name), core::Ability::no, std::move(reason.detail), std::move(reason.advice)},
          reason.lasting};
}

Result<ProbeInstance> ProbeInstance::make(Tracefs& tracefs, const std::string& name) {
  std::string directory = "instances/" + name;
  auto mark = make_instance(tracefs, directory);
  if (!mark) return std::unexpected(std::move(mark.error()));
  return ProbeInstance(tracefs, std::move(directory), std::move(*mark));
}

ProbeInstance::~ProbeInstance() {
  if (directory_.empty()) return;
  mark_.reset();
  // All changes of a probe are inside the instance. If it cannot be removed now, clean_up() tries again.
  static_cast<void>(tracefs_.remove_directory(directory_));
}

}  // namespace netperfd::trace
