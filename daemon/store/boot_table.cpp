// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/boot_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

// Changes rows of `part` of the job, in one transaction that is on disk at its end: a boot may follow at
// once.
template <class... Values>
Status change(Connection& connection, JobId job, std::string_view part, std::string_view sql,
              const Values&... values) {
  auto transaction = Transaction::begin(connection, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  auto statement = connection.prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  if (auto intact = expect_intact(connection, of_job(job), {part}); !intact) return intact;
  if (auto done = statement->bind(values...).run(); !done) return done;
  if (auto done = write_digests(connection, of_job(job), {part}); !done) return done;
  return transaction->commit();
}

}  // namespace

Status insert_boot(Connection& connection, JobId job, const BootRecord& boot) {
  std::optional<std::uint32_t> block, letter;
  if (boot.letter != 0) {
    block = boot.block;
    letter = boot.letter;
  }
  return change(connection, job, "boots",
                "INSERT OR REPLACE INTO boots (job, number, block, letter, side, asked_us, "
                "settled_us, boot_id, kernel, failure) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                job, boot.number, block, letter, std::string_view{&boot.side, 1}, boot.asked, boot.settled,
                boot.boot_id, boot.kernel, boot.failure);
}

Status update_boot(Connection& connection, JobId job, std::uint32_t number, const BootArrival& arrival) {
  // A second report of the same boot, after a restart of the daemon within it, does not move its time.
  return change(connection, job, "boots",
                "UPDATE boots SET settled_us = ifnull(settled_us, ?), boot_id = ?, kernel = ?, "
                "failure = ? WHERE job = ? AND number = ?",
                arrival.settled, arrival.boot_id, arrival.kernel, arrival.failure, job, number);
}

Status set_held(Connection& connection, JobId job, bool held) {
  return change(connection, job, "jobs", "UPDATE jobs SET held = ? WHERE id = ?", held, job);
}

Result<std::optional<std::chrono::microseconds>> read_boot_time(Connection& connection,
                                                                const std::string& scenario) {
  auto select = connection.prepare(
      "SELECT b.settled_us - b.asked_us FROM boots b JOIN jobs j ON j.id = b.job "
      "WHERE j.name = ? AND b.settled_us > j.created_us ORDER BY b.job DESC, b.number DESC LIMIT 32");
  if (!select) return std::unexpected(select.error());
  std::vector<std::int64_t> times;
  auto read = for_each_row(select->bind(scenario), [&](RowReader& row) { row.read(times.emplace_back()); });
  if (!read) return std::unexpected(read.error());
  if (times.empty()) return std::nullopt;
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::ranges::nth_element(times, middle);
  return std::chrono::microseconds{*middle};
}

Result<std::vector<BootRecord>> read_boots(Connection& connection, JobId job) {
  auto select = connection.prepare(
      "SELECT b.number, ifnull(b.block, 0), ifnull(b.letter, 0), b.side, "
      "ifnull(iif(b.side = 'A', j.variant_a, j.variant_b), ''), b.asked_us, b.settled_us, b.boot_id, "
      "b.kernel, "
      "b.failure FROM boots b JOIN jobs j ON j.id = b.job WHERE b.job = ? ORDER BY b.number");
  if (!select) return std::unexpected(select.error());
  std::vector<BootRecord> boots;
  auto read = for_each_row(select->bind(job), [&](RowReader& row) {
    BootRecord& boot = boots.emplace_back();
    std::string side;
    row.read(boot.number, boot.block, boot.letter, side, boot.variant, boot.asked, boot.settled, boot.boot_id,
             boot.kernel, boot.failure);
    boot.side = side.front();  // the table's CHECK allows A and B
  });
  if (!read) return std::unexpected(read.error());
  return if_intact(connection, of_job(job), {"boots", "jobs"},
                   Result<std::vector<BootRecord>>{std::move(boots)});
}

}  // namespace netperfd::store
