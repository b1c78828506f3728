// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/job/place.hpp"

#include <fmt/format.h>

#include <utility>

namespace netperfd::workload {

using namespace keys;

Path path_of(PlaceDraft draft, std::string_view name, const YamlNode& root, Complaints& complaints) {
  constexpr std::chrono::milliseconds kServerWait = std::chrono::seconds{60};
  Path path = std::move(draft.path);
  const YamlNode* workload = value_of(value_of(&root, "workload"), name);
  if (value_of(workload, "local")) {
    if (const YamlEntry* server = workload->find("server"))
      complaints.add(server->place, fmt::format("workload.{}.server", name),
                     "stands beside `local`; a job has one of the two");
    path.server = draft.local.bind;
    path.local = std::move(draft.local);
  }
  if (workload != nullptr)
    path.server_wait = draft.server_wait.value_or(path.local ? std::chrono::milliseconds{0} : kServerWait);
  return path;
}

}  // namespace netperfd::workload
