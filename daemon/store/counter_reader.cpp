// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/counter_reader.hpp"

#include <fmt/format.h>

#include <string>
#include <tuple>

#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {

Result<Counters> read_counters(Connection& connection, RunId run) {
  const auto known =
      connection.value<std::int64_t>(fmt::format("SELECT count(*) FROM runs WHERE id = {}", run));
  if (!known) return std::unexpected(known.error());
  if (*known == 0) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  Counters counters;
  auto done = read_all(connection, "counters", "position", run, counters.deltas);
  if (done) {
    done = read_all(connection, "tcp_samples", "position", run, counters.tcp);
  }
  if (done) {
    done = read_all(connection, "queue_samples", "position", run, counters.queues);
  }
  if (done) {
    done = read_all(connection, "counters_unknown", "clause", "position", run, counters.unknown,
                    [](std::string& clause) { return std::tie(clause); });
  }
  if (done) {
    done = expect_intact(connection, of_run(run),
                         {"counters", "tcp_samples", "queue_samples", "counters_unknown"});
  }
  if (!done) return std::unexpected(done.error());
  if (counters == Counters{}) {
    return fail(ErrorKind::not_found, fmt::format("run {}: no counters were read", run));
  }
  return counters;
}

}  // namespace netperfd::store
