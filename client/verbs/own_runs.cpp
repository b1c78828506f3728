// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/verbs/own_runs.hpp"

#include <fmt/format.h>

#include "client/base/users.hpp"
#include "client/terminal/text.hpp"
#include "client/verbs/selection.hpp"

namespace netperfctl {

Outcome<RunPage> own_runs(Daemon& daemon, RunFilter filter, const std::string& words) {
  filter.owner = "me";
  auto page = daemon.runs(filter, std::nullopt);
  if (!page || !page->runs.empty()) return page;
  filter.owner.reset();
  const auto others = daemon.runs(filter, 1);
  if (!others) return std::unexpected(others.error());
  if (others->runs.empty() || !others->runs.front().owner)
    return fail(Exit::not_found, fmt::format("{}: no run matches", printable(words)));
  const std::string owner = owner_word(*others->runs.front().owner);
  return fail(Exit::not_found,
              fmt::format("{}: no run of yours matches; {} has such runs: \"{}\" selects those",
                          printable(words), printable(owner), printable(with_owner(words, owner))));
}

}  // namespace netperfctl
