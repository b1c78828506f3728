// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reread.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "daemon/base/event_loop.hpp"
#include "daemon/config/scenario.hpp"
#include "daemon/import/child_import.hpp"
#include "daemon/import/rereading.hpp"
#include "daemon/reading/child_reports.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/workload/quality_flags.hpp"

namespace netperfd {
namespace {

using std::chrono::system_clock;

Result<std::unique_ptr<store::SqliteStore>> open_store(const config::DaemonConfig& config, bool apply) {
  if (!apply) return store::SqliteStore::open_to_look(config.database);
  if (::access(config.database.c_str(), F_OK) != 0) {
    return fail(ErrorKind::not_found, fmt::format("{}: there is no database", config.database));
  }
  auto opened = store::SqliteStore::open(config.database, config.min_free_bytes);
  if (!opened && opened.error().kind == ErrorKind::busy) {
    return fail(ErrorKind::busy, fmt::format("{}. Stop it before --reread --apply: systemctl stop netperfd",
                                             opened.error().message));
  }
  return opened;
}

// Copies the database before the first change.
class Applying {
 public:
  Applying(store::SqliteStore& store, std::string database) : store_(store), database_(std::move(database)) {}

  Status operator()(const core::RunRow& run, const core::RunReading& now, std::size_t changes) {
    if (auto copied = copy_once(); !copied) return copied;
    const auto time = std::chrono::floor<std::chrono::microseconds>(system_clock::now());
    return store_.replace_reading(
        run.id, now,
        {.first = time,
         .last = time,
         .uid = ::getuid(),
         .action = "reread",
         .job = run.job,
         .run = run.id,
         .detail = fmt::format("{} changes by netperfd {}; as it was before, the database is in {}", changes,
                               NETPERFD_VERSION, copy_)});
  }
  [[nodiscard]] const std::string& copy() const { return copy_; }

 private:
  Status copy_once() {
    if (!copy_.empty()) return {};
    const auto seconds = std::chrono::floor<std::chrono::seconds>(system_clock::now().time_since_epoch());
    std::string target = fmt::format("{}.before-reread-{}", database_, seconds.count());
    if (auto copied = store_.copy_to(target); !copied) return copied;
    copy_ = std::move(target);
    return {};
  }

  store::SqliteStore& store_;
  std::string database_;
  std::string copy_;
};

// A job that was accepted once may exceed the limits of today.
config::ScenarioDirectories reader_of_jobs() {
  return {{},
          {.repeat = std::numeric_limits<std::uint32_t>::max(), .timeout = std::chrono::milliseconds::max()}};
}

void print_summary(const import::RereadCounts& counts, bool apply) {
  fmt::print("{} runs were read again: {} {}; {} cannot be read now; {} have no document\n", counts.read,
             counts.changed, apply ? "were changed" : "would change", counts.unreadable, counts.without);
}

}  // namespace

Result<int> reread(const Settings& settings, bool apply) {
  (void)std::setvbuf(stdout, nullptr, _IOLBF, 0);  // each line as soon as it is known
  auto loop = EventLoop::create();
  if (!loop) return std::unexpected(std::move(loop.error()));
  auto opened = open_store(settings.config, apply);
  if (!opened) return std::unexpected(std::move(opened.error()));
  store::SqliteStore& store = **opened;
  reading::ChildReports reports(*loop, settings.readers);
  import::ChildImport files(*loop, {.reader = settings.readers});
  auto jobs = reader_of_jobs();
  import::Rereading rereading({.loop = *loop,
                               .runs = store,
                               .store = store,
                               .reports = reports,
                               .files = files,
                               .scenarios = jobs,
                               .document_flags = workload::kQualityCodes});
  Applying applying(store, settings.config.database);
  import::Rereading::Apply store_run;
  if (apply) {
    store_run = [&applying](const core::RunRow& run, const core::RunReading& now,
                            const std::vector<import::Change>& changes) {
      return applying(run, now, changes.size());
    };
  }
  const auto counts =
      rereading.read_all([](const std::string& line) { fmt::print("{}\n", line); }, store_run);
  if (!applying.copy().empty()) fmt::print("as it was before, the database is in {}\n", applying.copy());
  if (!counts) return std::unexpected(counts.error());
  print_summary(*counts, apply);
  return counts->changed > 0 && !apply ? kWouldChange : EXIT_SUCCESS;
}

}  // namespace netperfd
