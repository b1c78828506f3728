// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/bundle_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "daemon/model/run_state.hpp"
#include "daemon/store/bundle_reader.hpp"
#include "daemon/store/bundle_relations.hpp"
#include "daemon/store/bundle_tables.hpp"
#include "daemon/store/column_rules.hpp"
#include "daemon/store/compression.hpp"
#include "daemon/store/rows.hpp"

namespace netperfd::store {
namespace {

using Numbers = std::map<std::int64_t, std::int64_t>;  // in the bundle -> here

std::unexpected<Error> missing(std::string_view what, std::string_view table, std::string_view expected) {
  return invalid(fmt::format("table {}: {}; its columns are {}", table, what, expected));
}

// The values of a table's rows, each by the rule of its column, and positions that have no gaps: the rows of
// a run, or of a sample, come one after the other.
class RowCheck {
 public:
  explicit RowCheck(const BundleTable& plan) : plan_(plan) {
    for (const std::string& column : plan.columns) rules_.push_back(rule_of(plan.name, column));
    const auto place_of = [&](std::string_view column) {
      return static_cast<std::size_t>(std::ranges::find(plan.columns, column) - plan.columns.begin());
    };
    position_ = place_of("position");
    for (const std::string_view column : {std::string_view{plan.key}, std::string_view{"sample"}}) {
      if (const std::size_t place = place_of(column); place < plan.columns.size()) list_.push_back(place);
    }
  }

  Status check(const std::vector<StoredValue>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (rules_[i] == nullptr) return about(i, "this netperfd has no rule for its values");
      if (std::holds_alternative<std::monostate>(row[i])) continue;
      if (const std::string expected = rules_[i](row[i]); !expected.empty())
        return about(i, "expected is " + expected);
    }
    return position_ < row.size() ? check_position(row) : Status{};
  }

 private:
  [[nodiscard]] std::unexpected<Error> about(std::size_t place, std::string_view what) const {
    return invalid(fmt::format("column {}: {}", plan_.columns[place], what));
  }
  Status check_position(const std::vector<StoredValue>& row) {
    std::vector<StoredValue> list;
    for (const std::size_t place : list_) list.push_back(row[place]);
    if (list != last_list_) next_ = 0;
    last_list_ = std::move(list);
    if (row[position_] != StoredValue{next_}) return about(position_, fmt::format("expected is {}", next_));
    ++next_;
    return {};
  }

  const BundleTable& plan_;
  std::vector<ColumnRule> rules_;
  std::size_t position_ = 0;       // the place of the column; the number of columns if there is none
  std::vector<std::size_t> list_;  // of those that say whose position it is
  std::vector<StoredValue> last_list_;
  std::int64_t next_ = 0;
};

class BundleWriter {
 public:
  BundleWriter(Connection& connection, const StoredTables& content, const BundleOwner& owner)
      : connection_(connection), content_(content), owner_(owner) {}

  Result<std::vector<core::NewJob>> write() {
    auto plans = bundle_tables(connection_);
    if (!plans) return std::unexpected(plans.error());
    plans_ = std::move(*plans);
    Status done = expect_tables();
    if (done) done = connection_.execute("PRAGMA defer_foreign_keys = ON");
    for (const BundleTable& plan : plans_) {
      if (done) done = write_table(plan, *table_of(plan));
    }
    const Numbers& runs = numbers_[BundleTable::Of::runs];
    const auto first = std::ranges::min_element(runs, {}, &Numbers::value_type::second);
    if (done && first != runs.end()) done = check_relations(connection_, plans_, first->second);
    if (done && first != runs.end()) done = expect_new(first->second);
    if (done) done = add_flags();
    if (!done) return std::unexpected(std::move(done.error()));
    return jobs();
  }

 private:
  [[nodiscard]] const StoredTable* table_of(const BundleTable& plan) const {
    const auto found = std::ranges::find(content_.tables, plan.name, &StoredTable::name);
    return found == content_.tables.end() ? nullptr : &*found;
  }

  Status expect_tables() const {
    for (const BundleTable& plan : plans_) {
      const StoredTable* const table = table_of(plan);
      if (table == nullptr) return invalid(fmt::format("table {} is missing", plan.name));
      if (table->columns == plan.columns) continue;
      const auto expected = fmt::format("{}", fmt::join(plan.columns, ", "));
      for (const std::string& column : table->columns) {
        if (std::ranges::find(plan.columns, column) == plan.columns.end())
          return missing(fmt::format("there is no column {}", column), plan.name, expected);
      }
      return missing("a column is missing or not in its place", plan.name, expected);
    }
    if (content_.tables.size() == plans_.size()) return {};
    for (const StoredTable& table : content_.tables) {
      if (std::ranges::count(content_.tables, table.name, &StoredTable::name) > 1)
        return invalid(fmt::format("table {} is there twice", table.name));
      if (std::ranges::find(plans_, table.name, &BundleTable::name) == plans_.end())
        return invalid(fmt::format("a bundle of version {} has no table {}", content_.schema, table.name));
    }
    return {};
  }

  Status write_table(const BundleTable& plan, const StoredTable& table) {
    std::string columns = fmt::format("\"{}\"", fmt::join(plan.columns, "\", \""));
    if (plan.name == "jobs") columns += ", owner_uid, created_us";
    if (!plan.blob.empty()) columns += ", size";
    auto insert = connection_.prepare(insert_into(plan.name, columns));
    if (!insert) return std::unexpected(insert.error());
    StoredRows rows{table};
    RowCheck check{plan};
    std::vector<StoredValue> row;
    std::uint64_t number = 0;
    while (rows.next(row)) {
      ++number;
      auto done = check.check(row);
      if (done) done = write_row(*insert, plan, row);
      if (!done) {
        return fail(done.error().kind,
                    fmt::format("table {}, row {}: {}", plan.name, number, done.error().message));
      }
    }
    if (rows.damaged()) return invalid(fmt::format("table {}: its rows are damaged", plan.name));
    return {};
  }

  Status write_row(Statement& insert, const BundleTable& plan, std::vector<StoredValue>& row) {
    std::int64_t own = 0;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string& column = plan.columns[i];
      auto done = plan.is_numbered() && column == "id" ? take_number(plan, row[i], own)
                                                       : replace_number(plan, column, row[i]);
      if (done && plan.name == "runs" && column == "state") done = expect_ended(row[i]);
      if (!done) return fail(done.error().kind, fmt::format("column {}: {}", column, done.error().message));
    }
    if (plan.name == "jobs") {
      row.emplace_back(std::int64_t{owner_.uid});
      row.emplace_back(owner_.now.time_since_epoch().count());
    }
    if (!plan.blob.empty()) {
      if (auto packed = pack(plan, row); !packed) return packed;
    }
    if (auto done = insert.bind(row).run(); !done) {
      const bool is_constraint = (sqlite3_extended_errcode(connection_.raw()) & 0xff) == SQLITE_CONSTRAINT;
      return is_constraint ? invalid(sqlite3_errmsg(connection_.raw())) : done;
    }
    if (plan.is_numbered()) numbers_[plan.of][own] = connection_.last_insert_id();
    return {};
  }

  Status take_number(const BundleTable& plan, StoredValue& value, std::int64_t& own) {
    const auto* const number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) return invalid("expected is a number");
    if (numbers_[plan.of].contains(*number)) return invalid(fmt::format("{} is there twice", *number));
    own = *number;
    if (!owner_.keeps_numbers) value = std::monostate{};  // SQLite chooses one
    return {};
  }

  Status replace_number(const BundleTable& plan, const std::string& column, StoredValue& value) {
    const BundleTable* const of = referred(plans_, plan, column);
    if (of == nullptr || std::holds_alternative<std::monostate>(value)) return {};
    const auto* const number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) return invalid("expected is a number");
    const Numbers& known = numbers_[of->of];
    const auto found = known.find(*number);
    if (found != known.end()) {
      value = found->second;
    } else if (column == "confirms") {
      value = std::monostate{};  // the other job stayed where it is
    } else {
      return invalid(fmt::format("the bundle has no {} in its table {}", *number, of->name));
    }
    return {};
  }

  // Any other run would be resumed.
  static Status expect_ended(const StoredValue& value) {
    const auto* const word = std::get_if<std::string>(&value);
    const auto state = word == nullptr ? std::nullopt : parse_run_state(*word);
    if (state && has_ended(*state)) return {};
    return invalid("expected is finished, failed, canceled or interrupted");
  }

  static Status pack(const BundleTable& plan, std::vector<StoredValue>& row) {
    const auto at = std::ranges::find(plan.columns, plan.blob) - plan.columns.begin();
    auto* const blob = std::get_if<StoredBytes>(&row[static_cast<std::size_t>(at)]);
    if (blob == nullptr) return invalid(fmt::format("column {}: expected are bytes", plan.blob));
    row.emplace_back(static_cast<std::int64_t>(blob->bytes.size()));
    // The list may have moved.
    auto& bytes = std::get<StoredBytes>(row[static_cast<std::size_t>(at)]).bytes;
    auto frame = compress(bytes, kTextLevel);
    if (!frame) return std::unexpected(std::move(frame.error()));
    bytes = std::move(*frame);
    return {};
  }

  // A bundle has no number of its own. Its runs are those of an earlier one if they began and ended in the
  // same microseconds and of the same files, whoever exported them and how. Others than the own runs of the
  // user are not told of.
  Status expect_new(std::int64_t first) {
    if (owner_.flag.empty()) return {};
    // An imported document has no times; it is known by its bytes. A run with neither is not looked for.
    constexpr std::string_view kFiles =
        "(SELECT group_concat(sha256) FROM (SELECT sha256 FROM imported_files WHERE run = {}.id ORDER BY 1))";
    auto select = connection_.prepare(fmt::format(
        "SELECT (SELECT min(old.id) FROM runs AS old JOIN jobs ON jobs.id = old.job "
        "JOIN flags ON flags.run = old.id AND flags.code = ?2 "
        "WHERE old.ended_us IS new.ended_us AND old.started_us IS new.started_us AND old.idx = new.idx "
        "AND {0} IS {1} AND old.id < ?1 AND old.removing = 0 AND jobs.owner_uid = ?3) FROM runs AS new "
        "WHERE new.id >= ?1 AND ((new.started_us IS NOT NULL AND new.ended_us IS NOT NULL) OR {1} IS NOT "
        "NULL)",
        fmt::format(kFiles, "old"), fmt::format(kFiles, "new")));
    if (!select) return std::unexpected(select.error());
    std::vector<std::int64_t> stored;
    bool all = true;
    auto read = for_each_row(select->bind(first, kFromBundle, std::int64_t{owner_.uid}), [&](RowReader& row) {
      std::optional<std::int64_t> old;
      row.read(old);
      all = all && old;
      if (old) stored.push_back(*old);
    });
    if (!read) return read;
    if (!all || stored.empty()) return {};
    const auto [least, most] = std::ranges::minmax(stored);
    const std::string runs =
        least == most ? fmt::format("run {}", least) : fmt::format("runs {} to {}", least, most);
    return invalid(
        fmt::format("what the bundle has is stored already, as {}: nothing was imported. Delete what is "
                    "stored first if you want to import the bundle again",
                    runs));
  }

  Status add_flags() {
    if (owner_.flag.empty()) return {};
    auto insert = connection_.prepare(
        "INSERT INTO flags (run, position, code, message) SELECT ?1, (SELECT ifnull(max(position) + 1, 0) "
        "FROM flags WHERE run = ?1), ?2, ?3");
    if (!insert) return std::unexpected(insert.error());
    for (const auto& [there, here] : numbers_[BundleTable::Of::runs]) {
      const auto message = fmt::format("{}{}{} there", owner_.flag, kOriginalRun, there);
      if (auto done = insert->bind(here, kFromBundle, message).run(); !done) return done;
    }
    return {};
  }

  // Self-tests come with the job that was exported, and some may be newer. A job that it confirms is older.
  Result<std::vector<core::NewJob>> jobs() {
    std::vector<core::NewJob> self_tests, jobs;
    for (const auto& [there, here] : numbers_[BundleTable::Of::jobs]) {
      bool is_self_test = false;
      if (!owner_.keeps_numbers) {  // otherwise the schema may be older than purposes, and no job is told of
        const auto purpose =
            connection_.value<std::string>(fmt::format("SELECT purpose FROM jobs WHERE id = {}", here));
        if (!purpose) return std::unexpected(purpose.error());
        is_self_test = *purpose == to_string(JobPurpose::selftest);
      }
      core::NewJob& job = (is_self_test ? self_tests : jobs).emplace_back();
      job.id = here;
      auto select = connection_.prepare("SELECT id FROM runs WHERE job = ? ORDER BY id");
      if (!select) return std::unexpected(select.error());
      auto read =
          for_each_row(select->bind(here), [&](RowReader& row) { row.read(job.runs.emplace_back()); });
      if (!read) return std::unexpected(std::move(read.error()));
      // It could never be deleted: a job is deleted with its last run.
      if (job.runs.empty()) return invalid(fmt::format("table jobs: job {} has no run", there));
    }
    jobs.insert(jobs.begin(), self_tests.begin(), self_tests.end());
    if (jobs.empty()) return invalid("table jobs: there is no job");
    return jobs;
  }

  Connection& connection_;
  const StoredTables& content_;
  const BundleOwner& owner_;
  std::vector<BundleTable> plans_;
  std::map<BundleTable::Of, Numbers> numbers_;
};

// A step of a migration must not fail on rows that refer to nothing: it would not say whose they are.
Status expect_references(Connection& connection) {
  auto select = connection.prepare("SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1");
  if (!select) return std::unexpected(select.error());
  auto found = select->step();
  if (!found) return std::unexpected(found.error());
  if (!*found) return {};
  std::string table, parent;
  if (auto read = select->read(table, parent); !read) return read;
  return invalid(fmt::format("table {}: a row refers to a row of table {} that is not there", table, parent));
}

Result<std::vector<RunId>> all_runs(Connection& connection) {
  std::vector<RunId> runs;
  auto select = connection.prepare("SELECT id FROM runs ORDER BY id");
  if (!select) return std::unexpected(select.error());
  auto read = for_each_row(*select, [&](RowReader& row) { row.read(runs.emplace_back()); });
  if (!read) return std::unexpected(std::move(read.error()));
  return runs;
}

}  // namespace

Result<std::vector<core::NewJob>> write_tables(Connection& connection, const StoredTables& content,
                                               const BundleOwner& owner) {
  return BundleWriter{connection, content, owner}.write();
}

Result<StoredTables> at_newest_version(const StoredTables& content, std::size_t most_bytes,
                                       std::span<const Migration> migrations) {
  if (content.schema == 0) return invalid("schema version 0: expected is 1 or more");
  if (content.schema < oldest_of(migrations)) {
    return fail(
        ErrorKind::unsupported,
        fmt::format("a development version of netperfd made the bundle, of schema version {}; this one "
                    "knows versions from {} on. Read it with the version that made it",
                    content.schema, oldest_of(migrations)));
  }
  if (content.schema > newest_of(migrations)) {
    return fail(ErrorKind::unsupported,
                fmt::format("a newer netperfd made the bundle, of schema version {}; this one knows versions "
                            "up to {}",
                            content.schema, newest_of(migrations)));
  }
  auto connection = Connection::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY);
  if (!connection) return std::unexpected(connection.error());
  // As the migrations need it; expect_references() checks instead.
  auto done = connection->execute(
      "PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF");
  if (done) done = apply(migrations_to(content.schema, migrations), 0, *connection);
  if (!done) return std::unexpected(std::move(done.error()));
  {
    auto transaction = Transaction::begin(*connection, Durability::normal);
    if (!transaction) return std::unexpected(transaction.error());
    BundleOwner nobody;
    nobody.keeps_numbers = true;
    const auto jobs = write_tables(*connection, content, nobody);
    if (!jobs) return std::unexpected(jobs.error());
    if (done = transaction->commit(); !done) return std::unexpected(std::move(done.error()));
  }
  done = expect_references(*connection);
  if (done) done = apply(migrations, content.schema, *connection);
  if (!done) return std::unexpected(std::move(done.error()));
  const auto runs = all_runs(*connection);
  if (!runs) return std::unexpected(runs.error());
  return read_tables(*connection, *runs, most_bytes);
}

}  // namespace netperfd::store
