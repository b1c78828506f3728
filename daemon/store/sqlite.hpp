// SPDX-License-Identifier: GPL-2.0-or-later
// SQLite as RAII and Result, for this module only.
//
// This is our own code rather than SQLiteCpp (3.2.1 in Debian 12, a static library) for three reasons.
// SQLiteCpp throws on every refusal, so each call would need a catch to become a Result. It binds neither
// std::optional nor a row of values. And it loses the extended error code and errno, which distinguish a full
// disk from a broken one. What it would still save is less code than this file.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/stored_tables.hpp"
#include "daemon/store/file_guard.hpp"
#include "daemon/store/statement_cache.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace netperfd::store {

struct DigestPlan;

// Bytes of a BLOB. When bound, they are borrowed until the statement is bound again or rewound, as run() does
// at its end. When read, they are valid until the next step.
struct Blob {
  std::string_view bytes;
};

using Value = std::variant<std::int64_t, std::string>;

// One prepared statement; it must not outlive its connection.
class Statement {
 public:
  // Sets the parameters, in order; a tuple counts as its members. Parameters from an earlier call are
  // cleared. An absent optional is NULL. A value that SQLite cannot hold is reported by the next step().
  template <class... T>
  Statement& bind(const T&... values) {
    rewind();
    (put_next(bound_, values), ...);
    return *this;
  }

  // Advances to the next row; false if there is none. internal unless all parameters are bound.
  [[nodiscard]] Result<bool> step();
  // Runs to the end without reading rows; ready for the next bind().
  [[nodiscard]] Status run();
  // Ends a statement whose rows were not all read, and releases its lock on the database.
  void rewind();
  [[nodiscard]] sqlite3_stmt* raw() const { return statement_.get(); }

  // All columns of the current row, in order; internal if their number is another one. For NULL an optional
  // becomes absent, anything else zero or empty. io for a text in place of a number, and for a word that its
  // enumeration does not have.
  template <class... T>
  [[nodiscard]] Status read(T&&... values) {
    misread_.reset();
    int column = 0;
    (take_next(column, values), ...);
    return end_of_row(column);
  }
  // The first column alone.
  template <class T>
  [[nodiscard]] Status read_first(T& value) {
    misread_.reset();
    take(0, value);
    return misread();
  }

 private:
  friend class Connection;
  struct GiveBack {
    std::shared_ptr<StatementCache> cache;  // null: nobody needs the statement again
    void operator()(sqlite3_stmt* statement) const;
  };

  template <class T>
  void put_next(int& index, const T& value) {
    put(++index, value);
  }
  template <class... T>
  void put_next(int& index, const std::tuple<T...>& values) {
    std::apply([&](const auto&... each) { (put_next(index, each), ...); }, values);
  }
  void put_next(int& index, const std::vector<Value>& values) {
    for (const auto& each : values) put_next(index, each);
  }
  void put_next(int& index, const std::vector<StoredValue>& values) {
    for (const auto& each : values) put(++index, each);
  }

  template <std::integral T>
  void put(int index, T value) {
    if (std::in_range<std::int64_t>(value)) {
      put_integer(index, static_cast<std::int64_t>(value));
    } else {
      refuse(std::to_string(value) + " is more than the database can hold (63 bits)");
    }
  }
  template <class Rep, class Period>
  void put(int index, std::chrono::duration<Rep, Period> value) {
    put_integer(index, value.count());
  }
  template <class Duration>
  void put(int index, std::chrono::sys_time<Duration> value) {
    put(index, value.time_since_epoch());
  }
  template <class T>
  void put(int index, const std::optional<T>& value) {
    if (value) {
      put(index, *value);
    } else {
      put_null(index);
    }
  }
  void put(int index, const Value& value) {
    std::visit([&](const auto& each) { put(index, each); }, value);
  }
  // An enumeration is stored as its word.
  template <class Word>
    requires std::is_enum_v<Word>
  void put(int index, Word word) {
    put(index, to_string(word));
  }
  void put(int index, bool value) { put_integer(index, value ? 1 : 0); }
  void put(int index, double value);
  void put(int index, std::string_view value);
  void put(int index, const std::string& value) { put(index, std::string_view{value}); }
  void put(int index, const char* value) { put(index, std::string_view{value}); }
  void put(int index, Blob value);
  void put(int index, const StoredValue& value);
  void put_integer(int index, std::int64_t value);
  void put_null(int index);
  void refuse(std::string message);
  void check_bound(int code);

  template <class T>
  void take_next(int& column, T& value) {
    take(column++, value);
  }
  template <class... T>
  void take_next(int& column, std::tuple<T&...>& values) {
    std::apply([&](auto&... each) { (take_next(column, each), ...); }, values);
  }

  // As many columns as the list has values.
  void take_next(int& column, std::vector<StoredValue>& values) {
    for (auto& each : values) take(column++, each);
  }

  template <std::integral T>
  void take(int column, T& value) {
    value = static_cast<T>(take_integer(column));
  }
  template <class Word>
    requires std::is_enum_v<Word>
  void take(int column, Word& word) {
    word = Word{};
    if (is_null(column)) return;
    std::string text;
    take(column, text);
    if (!parse_word(text, word)) refuse_column(column, "\"" + text + "\" is none of its words");
  }
  void take(int column, bool& value) { value = take_integer(column) != 0; }
  template <class Rep, class Period>
  void take(int column, std::chrono::duration<Rep, Period>& value) {
    value = std::chrono::duration<Rep, Period>{take_integer(column)};
  }
  template <class Duration>
  void take(int column, std::chrono::sys_time<Duration>& value) {
    value = std::chrono::sys_time<Duration>{Duration{take_integer(column)}};
  }
  template <class T>
  void take(int column, std::optional<T>& value) {
    value.reset();
    if (!is_null(column)) take(column, value.emplace());
  }
  void take(int column, double& value);
  void take(int column, std::string& value);  // TEXT and BLOB
  void take(int column, Blob& value);
  void take(int column, Value& value);  // INTEGER as a number, everything else as text
  void take(int column, StoredValue& value);
  [[nodiscard]] std::int64_t take_integer(int column);
  [[nodiscard]] bool is_null(int column) const;
  void expect_number(int column);
  void refuse_column(int column, std::string_view why);
  [[nodiscard]] Status misread() const;
  [[nodiscard]] Status end_of_row(int columns) const;

  std::unique_ptr<sqlite3_stmt, GiveBack> statement_;
  std::shared_ptr<std::string> damage_;  // of its connection
  int bound_ = 0;                        // parameters
  std::optional<Error> refused_;         // set by bind()
  std::optional<Error> misread_;         // set by read()
};

// The current row of a statement, for those who read all rows: for_each_row() returns what went wrong.
class RowReader {
 public:
  explicit RowReader(Statement& statement) : statement_(statement) {}

  // As Statement::read().
  template <class... T>
  void read(T&&... values) {
    if (auto done = statement_.read(std::forward<T>(values)...); !done && status_) status_ = std::move(done);
  }
  // For those who go on with the next row. io: this one is damaged, and what was read of it means nothing.
  template <class... T>
  [[nodiscard]] Status try_read(T&&... values) {
    auto done = statement_.read(std::forward<T>(values)...);
    if (!done && done.error().kind != ErrorKind::io && status_) status_ = done;
    return done;
  }
  [[nodiscard]] sqlite3_stmt* raw() const { return statement_.raw(); }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  Statement& statement_;
  Status status_;
};

// One open database file, for use by one thread.
class Connection {
 public:
  // `flags` are sqlite3_open_v2's.
  [[nodiscard]] static Result<Connection> open(const std::string& path, int flags);
  // Opens a file that nobody changes, for reading only, with what is in its log. It locks nothing and creates
  // nothing beside the file, as a file system needs that takes nothing more.
  [[nodiscard]] static Result<Connection> open_unchanged(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] sqlite3* raw() const { return connection_.get(); }

  // Compiles it, or takes it as an earlier statement of the same text has left it.
  [[nodiscard]] Result<Statement> prepare(std::string_view sql);
  // Runs one or more statements without parameters; their rows are discarded.
  [[nodiscard]] Status execute(const std::string& sql);
  // The first column of the first row.
  template <class T>
  [[nodiscard]] Result<T> value(std::string_view sql) {
    auto statement = compile(sql);  // a PRAGMA may already act while it is compiled
    if (!statement) return std::unexpected(statement.error());
    auto found = statement->step();
    if (!found) return std::unexpected(found.error());
    T value{};
    if (!*found) return value;
    if (auto read = statement->read_first(value); !read) return std::unexpected(read.error());
    return value;
  }
  [[nodiscard]] std::int64_t last_insert_id() const;
  [[nodiscard]] std::int64_t changes() const;  // rows that the last INSERT, UPDATE or DELETE changed directly
  [[nodiscard]] bool in_transaction() const;
  // Before each change, `hook` may refuse it, or make it possible. It may change the database itself.
  void before_changes(std::function<Status()> hook);
  // Refuses each change that `hook` does not make possible. Absent: no longer.
  void refuse_changes(std::optional<Error> why) { refused_ = std::move(why); }
  [[nodiscard]] bool refuses_changes() const { return refused_.has_value(); }
  // Goes on as `fresh`, another connection to the same file. The old one is closed with this one: closing the
  // file would give up the locks of the new one.
  void go_on_as(Connection fresh);
  // From now on no transaction begins or ends well while the file or its log has been replaced, removed or
  // emptied.
  void guard_file() { guard_ = std::make_unique<FileGuard>(path_); }
  // io, naming the path and the trouble, while that is so, or else why a change is refused.
  [[nodiscard]] Status check_file();
  // The former alone.
  [[nodiscard]] Status check_guard();
  [[nodiscard]] const FileGuard* guard() const { return guard_.get(); }
  // What SQLite has said of damage in the file since it was opened; empty: nothing.
  [[nodiscard]] const std::string& damage() const { return *damage_; }
  // Made by digests.cpp when it needs it. Null again after a change of the schema.
  [[nodiscard]] std::shared_ptr<DigestPlan>& digest_plan() { return digest_plan_; }
  // Returns whether it was closed; it is not while a statement exists.
  bool close();

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  [[nodiscard]] Result<Statement> compile(std::string_view sql);
  [[nodiscard]] std::unexpected<Error> refusal();

  struct Hook {
    std::function<Status()> call;
    bool under_way = false;
  };

  std::unique_ptr<Connection> before_;
  std::shared_ptr<Hook> hook_ = std::make_shared<Hook>();
  std::optional<Error> refused_;
  std::string path_;
  std::unique_ptr<FileGuard> guard_;  // outlives connection_
  std::shared_ptr<std::string> damage_ = std::make_shared<std::string>();
  std::shared_ptr<StatementCache> cache_ = std::make_shared<StatementCache>();
  std::shared_ptr<DigestPlan> digest_plan_;
  std::unique_ptr<sqlite3, Close> connection_;
};

// The last refusal of `connection` as an Error: no_space, naming the file system, for a full
// disk, io for other trouble with the file.
[[nodiscard]] std::unexpected<Error> refusal_of(sqlite3* connection);

// normal: consistent after a loss of power, but the last commits may be missing. full: on disk when commit()
// returns, in the files that have the names of the database and its log.
enum class Durability { normal, full };

// BEGIN IMMEDIATE until commit(). Destroying it without a commit rolls everything back. Must not outlive its
// connection.
class Transaction {
 public:
  [[nodiscard]] static Result<Transaction> begin(Connection& connection, Durability durability);
  [[nodiscard]] Status commit();

  Transaction(Transaction&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)), durability_(other.durability_) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

 private:
  Transaction(Connection& connection, Durability durability)
      : connection_(&connection), durability_(durability) {}

  Connection* connection_;
  Durability durability_;
};

}  // namespace netperfd::store
