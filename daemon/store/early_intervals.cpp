// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/early_intervals.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "daemon/store/digests.hpp"
#include "daemon/store/report_writer.hpp"
#include "daemon/store/run_writer.hpp"
#include "daemon/store/usage.hpp"

namespace netperfd::store {

// The digest of the run's own row covers what all takes.
Status RunWriter::add_intervals(RunId run, std::span<const Interval> intervals, std::size_t first) {
  auto transaction = Transaction::begin(connection_, Durability::normal);
  if (!transaction) return std::unexpected(transaction.error());
  const auto state = state_of(run);
  if (!state) return std::unexpected(state.error());
  if (*state != RunState::collecting) {
    return fail(ErrorKind::internal,
                fmt::format("run {}: intervals of a run that is {}", run, to_string(*state)));
  }
  const bool intact = expect_intact(connection_, of_run(run), {"runs"}).has_value();
  const auto growth = Growth::begin(connection_);
  if (!growth) return std::unexpected(growth.error());
  if (auto done = write_intervals(connection_, run, intervals, first); !done) return done;
  const Positions added{.first = static_cast<std::int64_t>(first),
                        .last = static_cast<std::int64_t>(first + intervals.size()) - 1};
  if (auto done = write_digests(connection_, of_run(run), {"intervals"}, added); !done) return done;
  if (auto counted = count_growth("runs", run, *growth); !counted) return counted;
  if (intact) {
    if (auto done = write_digests(connection_, of_run(run), {"runs"}); !done) return done;
  }
  return transaction->commit();
}

Result<std::size_t> count_early_intervals(Connection& connection, RunId run) {
  return connection.value<std::size_t>(
      fmt::format("SELECT ifnull(max(position) + 1, 0) FROM intervals WHERE run = {}", run));
}

Result<std::size_t> take_early_intervals(Connection& connection, const RunRecord& record,
                                         std::size_t stored) {
  if (stored <= record.workload.report.intervals.size()) return stored;
  const std::string this_run = fmt::format("id = {}", record.id);
  auto done = remove_early_intervals(connection, this_run);
  if (done) done = connection.execute("UPDATE runs SET stored_bytes = 0 WHERE " + this_run);
  if (!done) return std::unexpected(std::move(done.error()));
  return 0;
}

Status remove_early_intervals(Connection& connection, const std::string& runs_where) {
  return connection.execute(fmt::format(
      "DELETE FROM intervals WHERE run IN (SELECT id FROM runs WHERE {0}); "
      "DELETE FROM run_digests WHERE part = 'intervals' AND run IN (SELECT id FROM runs WHERE {0})",
      runs_where));
}

}  // namespace netperfd::store
