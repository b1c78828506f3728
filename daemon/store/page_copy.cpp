// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/page_copy.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemon/store/file_header.hpp"

namespace netperfd::store {
namespace {

// ---- The first page ---------------------------------------------------------------------------------------

sqlite3_pcache_methods2 pages_of_sqlite{};
const void* first_page = nullptr;  // that was last looked up

sqlite3_pcache_page* fetch(sqlite3_pcache* cache, unsigned number, int create) {
  sqlite3_pcache_page* const page = pages_of_sqlite.xFetch(cache, number, create);
  if (number == 1 && page != nullptr) first_page = page->pBuf;
  return page;
}

// The page is in the cache, and stays there, as long as the transaction lasts.
Result<std::string> read_first_page(Connection& connection, std::size_t page_bytes) {
  first_page = nullptr;
  auto looked = connection.value<std::int64_t>("SELECT count(*) FROM sqlite_schema");
  if (!looked) return std::unexpected(looked.error());
  if (first_page == nullptr) {
    return fail(ErrorKind::internal, "this SQLite does not show the first page of its database");
  }
  return std::string{static_cast<const char*>(first_page), page_bytes};
}

// ---- The file that passes on what is written --------------------------------------------------------------

// Pages that come before their turn wait here: a few at most.
class PagesInOrder {
 public:
  static constexpr std::size_t kMostWaiting = 1024;

  PagesInOrder(const core::RunQueries::Sink& sink, std::size_t page_bytes, std::uint64_t pages)
      : sink_(sink), page_bytes_(page_bytes), pages_(pages) {}

  [[nodiscard]] bool write(const void* bytes, std::size_t size, std::uint64_t offset) {
    const std::uint64_t number = offset / page_bytes_ + 1;
    if (size != page_bytes_ || offset % page_bytes_ != 0 || waiting_.size() >= kMostWaiting) return false;
    written_ = std::max(written_, offset + size);
    if (number < next_) return number == 1;  // it has gone already, from the cache
    std::string page{static_cast<const char*>(bytes), size};
    if (number != next_) return waiting_.emplace(number, std::move(page)).second;
    return give(page) && give_waiting();
  }
  [[nodiscard]] bool give(const std::string& page) {
    if (failure_) return false;
    if (auto given = sink_(page); !given) failure_ = given.error();
    ++next_;
    return !failure_ && give_lock_page();
  }
  [[nodiscard]] Status end() const {
    if (failure_) return std::unexpected(*failure_);
    if (next_ == pages_ + 1) return {};
    return fail(ErrorKind::internal, fmt::format("{} of {} pages were copied", next_ - 1, pages_));
  }
  [[nodiscard]] bool refused() const { return failure_.has_value(); }
  // What SQLite has written so far: nothing at first, though the first page has gone.
  [[nodiscard]] std::uint64_t bytes() const { return written_; }

 private:
  [[nodiscard]] bool give_waiting() {
    while (!waiting_.empty() && waiting_.begin()->first == next_) {
      if (!give(waiting_.extract(waiting_.begin()).mapped())) return false;
    }
    return true;
  }
  // SQLite never uses the page with the bytes that it locks, and copies no such page.
  [[nodiscard]] bool give_lock_page() {
    constexpr std::uint64_t kLockedByte = std::uint64_t{1} << 30U;
    const bool turn = next_ - 1 == kLockedByte / page_bytes_;
    return !turn || next_ > pages_ || (give(std::string(page_bytes_, '\0')) && give_waiting());
  }

  const core::RunQueries::Sink& sink_;
  std::size_t page_bytes_;
  std::uint64_t pages_;
  std::uint64_t next_ = 1;
  std::uint64_t written_ = 0;
  std::map<std::uint64_t, std::string> waiting_;
  std::optional<Error> failure_;
};

PagesInOrder* receiver = nullptr;  // of the copy under way

int close_file(sqlite3_file* /*file*/) {
  return SQLITE_OK;
}
// It is read only while it is empty.
int read_file_bytes(sqlite3_file* /*file*/, void* bytes, int size, sqlite3_int64 /*offset*/) {
  std::memset(bytes, 0, static_cast<std::size_t>(size));
  return SQLITE_IOERR_SHORT_READ;
}
int write_file_bytes(sqlite3_file* /*file*/, const void* bytes, int size, sqlite3_int64 offset) {
  const bool taken =
      receiver->write(bytes, static_cast<std::size_t>(size), static_cast<std::uint64_t>(offset));
  return taken ? SQLITE_OK : SQLITE_IOERR_WRITE;
}
int take_number(sqlite3_file* /*file*/, sqlite3_int64 /*size*/) {
  return SQLITE_OK;
}
int take_level(sqlite3_file* /*file*/, int /*level*/) {
  return SQLITE_OK;
}
int size_of_file(sqlite3_file* /*file*/, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(receiver->bytes());
  return SQLITE_OK;
}
int nobody_locks(sqlite3_file* /*file*/, int* locked) {
  *locked = 0;
  return SQLITE_OK;
}
int know_nothing(sqlite3_file* /*file*/, int /*what*/, void* /*argument*/) {
  return SQLITE_NOTFOUND;
}
int none_special(sqlite3_file* /*file*/) {
  return 0;
}

int open_file(sqlite3_vfs* /*files*/, const char* /*name*/, sqlite3_file* file, int flags, int* given) {
  static const sqlite3_io_methods methods{.iVersion = 1,
                                          .xClose = close_file,
                                          .xRead = read_file_bytes,
                                          .xWrite = write_file_bytes,
                                          .xTruncate = take_number,
                                          .xSync = take_level,
                                          .xFileSize = size_of_file,
                                          .xLock = take_level,
                                          .xUnlock = take_level,
                                          .xCheckReservedLock = nobody_locks,
                                          .xFileControl = know_nothing,
                                          .xSectorSize = none_special,
                                          .xDeviceCharacteristics = none_special,
                                          .xShmMap = nullptr,
                                          .xShmLock = nullptr,
                                          .xShmBarrier = nullptr,
                                          .xShmUnmap = nullptr,
                                          .xFetch = nullptr,
                                          .xUnfetch = nullptr};
  file->pMethods = &methods;
  if (given != nullptr) *given = flags;
  return SQLITE_OK;
}
int nothing_to_delete(sqlite3_vfs* /*files*/, const char* /*name*/, int /*sync*/) {
  return SQLITE_OK;
}
int nothing_there(sqlite3_vfs* /*files*/, const char* /*name*/, int /*flags*/, int* there) {
  *there = 0;
  return SQLITE_OK;
}
int name_as_it_is(sqlite3_vfs* /*files*/, const char* name, int size, char* full) {
  return sqlite3_snprintf(size, full, "%s", name) != nullptr ? SQLITE_OK : SQLITE_CANTOPEN;
}

constexpr const char* kFiles = "netperfd-copy";

Status register_files() {
  sqlite3_vfs* const usual = sqlite3_vfs_find(nullptr);
  static sqlite3_vfs files{};
  if (sqlite3_vfs_find(kFiles) != nullptr)
    return {};  // again, it would lose those behind it in SQLite's list
  if (usual == nullptr) return fail(ErrorKind::internal, "SQLite has no file system");
  files = *usual;
  files.pNext = nullptr;
  files.iVersion = 1;
  files.szOsFile = sizeof(sqlite3_file);
  files.zName = kFiles;
  files.xOpen = open_file;
  files.xDelete = nothing_to_delete;
  files.xAccess = nothing_there;
  files.xFullPathname = name_as_it_is;
  if (sqlite3_vfs_register(&files, 0) == SQLITE_OK) return {};
  return fail(ErrorKind::internal, "SQLite refuses a file system of netperfd's");
}

// ---- The copy ---------------------------------------------------------------------------------------------

struct CloseCopy {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct FinishCopy {
  void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
};

Status run_backup(Connection& from) {
  constexpr int kPagesOfStep = 64;
  sqlite3* raw = nullptr;
  const int opened = sqlite3_open_v2(
      "copy", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_NOMUTEX,
      kFiles);
  const std::unique_ptr<sqlite3, CloseCopy> to{raw};
  if (opened != SQLITE_OK) return fail(ErrorKind::internal, "SQLite cannot open a copy");
  // Without a journal, and with a cache that is small for any size of the database.
  constexpr const char* kSettings =
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = 64";
  if (sqlite3_exec(raw, kSettings, nullptr, nullptr, nullptr) != SQLITE_OK) return refusal_of(raw);
  std::unique_ptr<sqlite3_backup, FinishCopy> backup{sqlite3_backup_init(raw, "main", from.raw(), "main")};
  if (!backup) return refusal_of(raw);
  int code = SQLITE_OK;
  while (code == SQLITE_OK) {
    code = sqlite3_backup_step(backup.get(), kPagesOfStep);
    ::sched_yield();
  }
  sqlite3_backup_finish(backup.release());
  if (code == SQLITE_DONE) return {};
  return refusal_of(raw);
}

}  // namespace

bool watch_first_page() {
  if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &pages_of_sqlite) != SQLITE_OK) return false;
  sqlite3_pcache_methods2 watched = pages_of_sqlite;
  watched.xFetch = fetch;
  return sqlite3_config(SQLITE_CONFIG_PCACHE2, &watched) == SQLITE_OK;
}

namespace {

Status copy_snapshot(Connection& connection, const core::RunQueries::Sink& sink) {
  const auto page_bytes = connection.value<std::uint64_t>("PRAGMA page_size");
  if (!page_bytes) return std::unexpected(page_bytes.error());
  const auto pages = connection.value<std::uint64_t>("PRAGMA page_count");
  if (!pages) return std::unexpected(pages.error());
  auto first = read_first_page(connection, *page_bytes);
  if (!first) return std::unexpected(first.error());
  make_self_contained(*first, *pages);
  if (auto registered = register_files(); !registered) return registered;
  PagesInOrder in_order{sink, *page_bytes, *pages};
  receiver = &in_order;
  const Status copied = in_order.give(*first) ? run_backup(connection) : Status{};
  receiver = nullptr;
  if (!copied && !in_order.refused()) return copied;
  return in_order.end();
}

}  // namespace

Status copy_pages(Connection& connection, const core::RunQueries::Sink& sink) {
  const bool own = !connection.in_transaction();
  if (own) {
    if (auto begun = connection.execute("BEGIN"); !begun) return begun;
  }
  auto copied = copy_snapshot(connection, sink);
  if (own) (void)connection.execute("ROLLBACK");
  return copied;
}

}  // namespace netperfd::store
