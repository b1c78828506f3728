// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/kept_store.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "daemon/log/log.hpp"
#include "daemon/store/disk_space.hpp"

namespace netperfd {

std::optional<std::uint64_t> KeptStore::free_space() {
  return store::free_space(parts_.config.database);
}

std::uint64_t KeptStore::spare_space() {
  const std::uint64_t kept = parts_.config.min_free_bytes;
  const std::uint64_t free = free_space().value_or(std::numeric_limits<std::uint64_t>::max());
  return free - std::min(kept, free);
}

// Forgets what came from the old store. No job is live, so nothing else did.
Result<std::string> KeptStore::replace_by_candidate() {
  if (parts_.ends.waiting() > 0) return fail(ErrorKind::busy, "ends of runs wait for space in the store");
  parts_.audit.let_go();
  auto kept = parts_.store.replace_by_candidate(parts_.clock.now());
  if (!kept && kept.error().kind == ErrorKind::internal) {
    log::error(kept.error().message);
    ::_exit(EXIT_FAILURE);  // the next daemon opens what is there
  }
  parts_.retention.set_rules(parts_.config.keep);
  return kept;
}

}  // namespace netperfd
