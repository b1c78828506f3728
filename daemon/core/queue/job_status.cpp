// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/ports/run_observer.hpp"

namespace netperfd::core {

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::pending:
      return "pending";
    case JobState::running:
      return "running";
    case JobState::finished:
      return "finished";
    case JobState::failed:
      return "failed";
    case JobState::canceled:
      return "canceled";
  }
  return "";
}

}  // namespace netperfd::core
