// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/budget_table.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "daemon/store/columns.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

const DigestParts kBudgetParts{"budgets", "budget_functions"};

std::string budget_columns() {
  return columns_of<rows::Budget>();
}
std::string function_columns() {
  return columns_of<rows::BudgetFunction>();
}

}  // namespace

Status insert_budget(Connection& connection, JobId job, const JobBudget& budget) {
  auto transaction = Transaction::begin(connection, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  if (auto intact = expect_intact(connection, of_job(job), kBudgetParts); !intact) return intact;
  auto head = connection.prepare(insert_into("budgets", "job, " + budget_columns()));
  if (!head) return std::unexpected(head.error());
  if (auto done = head->bind(job, members_of(budget.budget)).run(); !done) return done;
  auto each = connection.prepare(insert_into("budget_functions", "job, position, " + function_columns()));
  if (!each) return std::unexpected(each.error());
  std::int64_t position = 0;
  for (const rows::BudgetFunction& function : budget.functions) {
    if (auto done = each->bind(job, position++, members_of(function)).run(); !done) return done;
  }
  if (auto done = write_digests(connection, of_job(job), kBudgetParts); !done) return done;
  return transaction->commit();
}

Result<std::optional<JobBudget>> read_budget(Connection& connection, JobId job) {
  auto head = connection.prepare(fmt::format("SELECT {} FROM budgets WHERE job = ?", budget_columns()));
  if (!head) return std::unexpected(head.error());
  auto each = connection.prepare(
      fmt::format("SELECT {} FROM budget_functions WHERE job = ? ORDER BY position", function_columns()));
  if (!each) return std::unexpected(each.error());
  std::optional<JobBudget> budget;
  auto done =
      for_each_row(head->bind(job), [&](RowReader& row) { row.read(members_of(budget.emplace().budget)); });
  if (done && budget) {
    done = for_each_row(each->bind(job),
                        [&](RowReader& row) { row.read(members_of(budget->functions.emplace_back())); });
  }
  if (!done) return std::unexpected(done.error());
  return if_intact(connection, of_job(job), kBudgetParts,
                   Result<std::optional<JobBudget>>{std::move(budget)});
}

}  // namespace netperfd::store
