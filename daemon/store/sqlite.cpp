// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "daemon/store/disk_space.hpp"

// Version 3.37 introduced STRICT tables.
static_assert(SQLITE_VERSION_NUMBER >= 3037000);

namespace netperfd::store {
namespace {

ErrorKind kind_of(int code, int system_error) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return ErrorKind::no_space;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return ErrorKind::busy;
    case SQLITE_IOERR:
      // A full disk is reported as an I/O error if SQLite cannot extend a file, such as the -shm of a WAL.
      return system_error == ENOSPC || system_error == EDQUOT ? ErrorKind::no_space : ErrorKind::io;
    case SQLITE_CANTOPEN:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_PROTOCOL:
      return ErrorKind::io;
    default:
      return ErrorKind::internal;
  }
}

std::string path_of(sqlite3* connection) {
  const char* path = sqlite3_db_filename(connection, "main");
  return path != nullptr ? path : "";
}

void note_damage(sqlite3* connection, std::string& damage) {
  const bool damaged = (sqlite3_errcode(connection) & 0xff) == SQLITE_CORRUPT;
  if (damaged && damage.empty()) damage = sqlite3_errmsg(connection);
}

}  // namespace

std::unexpected<Error> refusal_of(sqlite3* connection) {
  const int code = sqlite3_extended_errcode(connection);
  const int system_error = sqlite3_system_errno(connection);
  const auto kind = kind_of(code, system_error);
  auto message = fmt::format("{}: {}", path_of(connection), sqlite3_errmsg(connection));
  // SQLite keeps the errno of the last failed system call, which is meaningful only for these codes. A file
  // that ended too early has none.
  if (system_error != 0 && ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN)) {
    message += fmt::format(" ({})", std::generic_category().message(system_error));
  }
  if ((code & 0xff) == SQLITE_CORRUPT) message += "; stop netperfd, and restore a copy or move the file away";
  if (kind == ErrorKind::no_space) {
    if (const auto space = describe_space(path_of(connection)); !space.empty()) message += "; " + space;
  }
  return fail(kind, std::move(message));
}

// ---- Statement --------------------------------------------------------------------------------------------

void Statement::GiveBack::operator()(sqlite3_stmt* statement) const {
  if (cache) {
    cache->put(statement);
  } else {
    sqlite3_finalize(statement);
  }
}

Result<bool> Statement::step() {
  if (refused_) return std::unexpected(*refused_);
  if (const int asked = sqlite3_bind_parameter_count(statement_.get()); bound_ != asked) {
    return fail(ErrorKind::internal, fmt::format("{} of {} parameters are bound: {}", bound_, asked,
                                                 sqlite3_sql(statement_.get())));
  }
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      note_damage(sqlite3_db_handle(statement_.get()), *damage_);
      return refusal_of(sqlite3_db_handle(statement_.get()));
  }
}

Status Statement::run() {
  for (;;) {
    auto row = step();
    if (row && *row) continue;
    rewind();
    if (!row) return std::unexpected(row.error());
    return {};
  }
}

void Statement::rewind() {
  // Its result repeats the error of the last step, which step() has already reported.
  (void)sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
  bound_ = 0;
  refused_.reset();
}

void Statement::put_integer(int index, std::int64_t value) {
  check_bound(sqlite3_bind_int64(statement_.get(), index, value));
}

void Statement::put(int index, double value) {
  check_bound(sqlite3_bind_double(statement_.get(), index, value));
}

void Statement::put(int index, std::string_view value) {
  // A null pointer would bind NULL.
  const char* text = value.data() != nullptr ? value.data() : "";
  check_bound(
      sqlite3_bind_text64(statement_.get(), index, text, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}

void Statement::put(int index, Blob value) {
  const char* bytes = value.bytes.data() != nullptr ? value.bytes.data() : "";
  check_bound(sqlite3_bind_blob64(statement_.get(), index, bytes, value.bytes.size(), SQLITE_STATIC));
}

void Statement::put(int index, const StoredValue& value) {
  std::visit(
      [&]<class Held>(const Held& held) {
        if constexpr (std::is_same_v<Held, std::monostate>) {
          put_null(index);
        } else if constexpr (std::is_same_v<Held, StoredBytes>) {
          put(index, Blob{held.bytes});
        } else {
          put(index, held);
        }
      },
      value);
}

void Statement::put_null(int index) {
  check_bound(sqlite3_bind_null(statement_.get(), index));
}

void Statement::check_bound(int code) {
  if (code != SQLITE_OK && !refused_) refused_ = refusal_of(sqlite3_db_handle(statement_.get())).error();
}

void Statement::refuse(std::string message) {
  if (!refused_) refused_ = Error{ErrorKind::invalid_argument, std::move(message)};
}

void Statement::take(int column, double& value) {
  expect_number(column);
  value = sqlite3_column_double(statement_.get(), column);
}

void Statement::take(int column, std::string& value) {
  Blob borrowed;
  take(column, borrowed);
  value = borrowed.bytes;
}

void Statement::take(int column, Blob& value) {
  // The pointer must be read first: it may convert the value, and the size is that of the converted value.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  value.bytes = {static_cast<const char*>(bytes != nullptr ? bytes : ""), static_cast<std::size_t>(size)};
}

void Statement::take(int column, Value& value) {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER) {
    value = take_integer(column);
  } else {
    take(column, value.emplace<std::string>());
  }
}

void Statement::take(int column, StoredValue& value) {
  switch (sqlite3_column_type(statement_.get(), column)) {
    case SQLITE_INTEGER:
      value = take_integer(column);
      break;
    case SQLITE_FLOAT:
      take(column, value.emplace<double>());
      break;
    case SQLITE_TEXT:
      take(column, value.emplace<std::string>());
      break;
    case SQLITE_BLOB:
      take(column, value.emplace<StoredBytes>().bytes);
      break;
    default:
      value.emplace<std::monostate>();
  }
}

std::int64_t Statement::take_integer(int column) {
  expect_number(column);
  return sqlite3_column_int64(statement_.get(), column);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Statement::expect_number(int column) {
  const int type = sqlite3_column_type(statement_.get(), column);
  if (type == SQLITE_TEXT) refuse_column(column, "it has a text in place of a number");
  if (type == SQLITE_BLOB) refuse_column(column, "it has bytes in place of a number");
}

void Statement::refuse_column(int column, std::string_view why) {
  if (misread_) return;
  const char* name = sqlite3_column_name(statement_.get(), column);
  misread_ = Error{ErrorKind::io,
                   fmt::format("{}: column {} is damaged: {}", path_of(sqlite3_db_handle(statement_.get())),
                               name != nullptr ? name : "", why)};
}

Status Statement::misread() const {
  if (misread_) return std::unexpected(*misread_);
  return {};
}

Status Statement::end_of_row(int columns) const {
  const int given = sqlite3_column_count(statement_.get());
  if (columns == given) return misread();
  return fail(ErrorKind::internal,
              fmt::format("{} of {} columns are read: {}", columns, given, sqlite3_sql(statement_.get())));
}

// ---- Connection -------------------------------------------------------------------------------------------

void Connection::Close::operator()(sqlite3* connection) const {
  sqlite3_close_v2(connection);
}

Result<Connection> Connection::open(const std::string& path, int flags) {
  sqlite3* raw = nullptr;
  // One thread uses it, so SQLite needs no mutex for each row and value.
  const int code =
      sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX, nullptr);
  Connection connection;
  connection.path_ = path;
  connection.connection_.reset(raw);
  if (raw == nullptr) return fail(ErrorKind::io, fmt::format("{}: {}", path, sqlite3_errstr(code)));
  if (code != SQLITE_OK) {
    Error refusal = refusal_of(raw).error();
    if (refusal.message.starts_with(':')) refusal.message.insert(0, path);  // SQLite has no file yet
    return std::unexpected(std::move(refusal));
  }
  return connection;
}

Result<Statement> Connection::prepare(std::string_view sql) {
  Statement statement;
  statement.damage_ = damage_;
  statement.statement_.reset(cache_->take(sql));
  if (!statement.statement_) {
    auto compiled = compile(sql);
    if (!compiled) return compiled;
    statement = std::move(*compiled);
  }
  statement.statement_.get_deleter().cache = cache_;
  return statement;
}

Result<Statement> Connection::compile(std::string_view sql) {
  sqlite3_stmt* raw = nullptr;
  const int code =
      sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
  Statement statement;
  statement.statement_.reset(raw);
  statement.damage_ = damage_;
  if (code != SQLITE_OK) return refusal();
  return statement;
}

Status Connection::execute(const std::string& sql) {
  if (sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return refusal();
  }
  return {};
}

Result<Connection> Connection::open_unchanged(const std::string& path) {
  std::string address = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      address += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      address += c;
    }
  }
  struct stat log{};
  const bool has_log = ::stat((path + "-wal").c_str(), &log) == 0 && log.st_size > 0;
  // Without locks, SQLite keeps the index of the log in memory if no other connection may need it.
  auto connection =
      open(address + (has_log ? "?vfs=unix-none" : "?immutable=1"), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (!connection) return connection;
  connection->path_ = path;
  (void)sqlite3_db_config(connection->raw(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  if (auto set = connection->execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; "
                                     "PRAGMA trusted_schema = OFF; PRAGMA query_only = ON");
      !set) {
    return std::unexpected(std::move(set.error()));
  }
  return connection;
}

void Connection::before_changes(std::function<Status()> hook) {
  hook_->call = std::move(hook);
}

void Connection::go_on_as(Connection fresh) {
  auto before = std::make_unique<Connection>(std::move(*this));
  auto hook = before->hook_;
  *this = std::move(fresh);
  before_ = std::move(before);
  hook_ = std::move(hook);
}

Status Connection::check_file() {
  if (const auto hook = hook_; hook->call && !hook->under_way) {
    hook->under_way = true;
    auto ready = hook->call();
    hook->under_way = false;
    if (!ready) return ready;
  }
  if (refused_) return std::unexpected(*refused_);
  return check_guard();
}

Status Connection::check_guard() {
  return guard_ ? guard_->check(raw()) : Status{};
}

std::unexpected<Error> Connection::refusal() {
  note_damage(connection_.get(), *damage_);
  return refusal_of(connection_.get());
}

std::int64_t Connection::last_insert_id() const {
  return sqlite3_last_insert_rowid(connection_.get());
}

std::int64_t Connection::changes() const {
  return sqlite3_changes64(connection_.get());
}

bool Connection::in_transaction() const {
  return sqlite3_get_autocommit(connection_.get()) == 0;
}

bool Connection::close() {
  digest_plan_.reset();
  cache_->clear();
  if (sqlite3_close(connection_.get()) != SQLITE_OK) return false;
  (void)connection_.release();
  return true;
}

// ---- Transaction ------------------------------------------------------------------------------------------

Result<Transaction> Transaction::begin(Connection& connection, Durability durability) {
  if (auto own = connection.check_file(); !own) return std::unexpected(std::move(own.error()));
  // Outside the transaction, since SQLite refuses to change it inside.
  if (durability == Durability::full) {
    if (auto set = connection.execute("PRAGMA synchronous = FULL"); !set) return std::unexpected(set.error());
  }
  Transaction transaction{connection, durability};
  if (auto begun = connection.execute("BEGIN IMMEDIATE"); !begun) return std::unexpected(begun.error());
  return transaction;
}

// Afterwards too: what was committed to a file that lost its name meanwhile must not be acknowledged.
Status Transaction::commit() {
  if (auto own = connection_->check_guard(); !own) return own;
  if (auto done = connection_->execute("COMMIT"); !done || durability_ == Durability::normal) return done;
  return connection_->check_guard();
}

Transaction::~Transaction() {
  if (connection_ == nullptr) return;
  // After a full disk or an I/O error SQLite may have rolled back on its own.
  if (connection_->in_transaction()) (void)connection_->execute("ROLLBACK");
  if (durability_ == Durability::full) (void)connection_->execute("PRAGMA synchronous = NORMAL");
}

}  // namespace netperfd::store
