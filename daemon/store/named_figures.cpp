// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/named_figures.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "daemon/model/figure.hpp"
#include "daemon/model/named_figure_check.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {

Status write_named_figures(Connection& connection, RunId run, const std::vector<NamedFigure>& figures) {
  if (figures.empty()) return {};
  if (const std::string problem = problem_of(figures); !problem.empty())
    return fail(ErrorKind::internal, fmt::format("run {}: {}", run, problem));
  auto insert = connection.prepare(insert_into("run_figures", fmt::format("run, {}", kNamedFigureColumns)));
  if (!insert) return std::unexpected(std::move(insert.error()));
  for (const NamedFigure& figure : figures) {
    auto done = insert->bind(run, figure.name, figure.unit, to_string(figure.better), figure.value).run();
    if (!done) return done;
  }
  return {};
}

NamedFigure read_named_figure(RowReader& row) {
  NamedFigure figure;
  row.read(figure.name, figure.unit, figure.better, figure.value);
  return figure;
}

Result<std::vector<NamedFigure>> read_named_figures(Connection& connection, RunId run) {
  auto select = connection.prepare(
      fmt::format("SELECT {} FROM run_figures AS f LEFT JOIN job_figures AS judged "
                  "ON judged.job = (SELECT job FROM runs WHERE id = f.run) AND judged.figure = f.name "
                  "WHERE f.run = ? ORDER BY judged.position IS NULL, judged.position, name",
                  kNamedFigureColumns));
  if (!select) return std::unexpected(std::move(select.error()));
  std::vector<NamedFigure> figures;
  auto read = expect_intact(connection, of_run(run), {"run_figures"});
  if (read)
    read =
        for_each_row(select->bind(run), [&](RowReader& row) { figures.push_back(read_named_figure(row)); });
  if (!read) return std::unexpected(std::move(read.error()));
  const auto job = connection.value<std::int64_t>(
      fmt::format("SELECT coalesce((SELECT job FROM runs WHERE id = {}), 0)", run));
  if (!job) return std::unexpected(job.error());
  if (*job == 0) return fail(ErrorKind::not_found, fmt::format("run {}: no such run", run));
  // The order is theirs.
  if (auto intact = expect_intact(connection, of_job(*job), {"job_figures"}); !intact)
    return std::unexpected(std::move(intact.error()));
  return figures;
}

}  // namespace netperfd::store
