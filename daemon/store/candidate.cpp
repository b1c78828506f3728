// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/candidate.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "daemon/store/backup.hpp"
#include "daemon/store/digests.hpp"
#include "daemon/store/disk_space.hpp"
#include "daemon/store/early_intervals.hpp"
#include "daemon/store/file_header.hpp"
#include "daemon/store/rows.hpp"
#include "daemon/store/schema_check.hpp"

namespace netperfd::store {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10U;

// Reads until the buffer is full or the file ends.
Result<std::size_t> read_chunk(const Fd& file, std::vector<char>& chunk) {
  std::size_t filled = 0;
  while (filled < chunk.size()) {
    const ssize_t got = ::read(file.get(), chunk.data() + filled, chunk.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("the file cannot be read", errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

Status write_chunk(const Fd& file, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(file.get(), bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && (errno == ENOSPC || errno == EDQUOT)) {
      return fail(ErrorKind::no_space,
                  fmt::format("{}: there is no space for the file; {}", path, describe_space(path)));
    }
    if (wrote < 0 && errno == EFBIG) {
      return fail(ErrorKind::no_space,
                  fmt::format("{}: the file takes more space than is left beside store.min_free; {}", path,
                              describe_space(path)));
    }
    if (wrote < 0) return fail_errno(path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

Result<FileHeader> accepted_header(std::string_view begin, std::span<const Migration> migrations) {
  const auto header = read_header(begin);
  if (!header)
    return invalid("this is no database: it does not begin as one. It may be encrypted, or compressed");
  if (header->application_id != kApplicationId) {
    return invalid(
        fmt::format("this is no database of netperfd's: its application_id is {:#x}, netperfd's is {:#x}",
                    header->application_id, kApplicationId));
  }
  // Texts are read as the bytes that they are in the file.
  if (!header->is_utf8) return invalid("its texts are not UTF-8, which netperfd's are");
  if (header->version < oldest_of(migrations)) {
    return fail(ErrorKind::unsupported,
                fmt::format("a development version of netperfd made it: its schema has version {}, and this "
                            "netperfd knows versions from {} on. Read it with the version that made it",
                            header->version, oldest_of(migrations)));
  }
  if (header->version <= newest_of(migrations)) return *header;
  return fail(
      ErrorKind::unsupported,
      fmt::format("its schema has version {}, and this netperfd knows versions up to {}: restore it with a "
                  "newer netperfd",
                  header->version, newest_of(migrations)));
}

// As many bytes as the header says: a pipe may never end.
Result<std::uint64_t> size_of_database(const FileHeader& header, const Fd& file) {
  if (header.pages > 0) return header.pages * header.page_bytes;
  struct stat found{};
  if (::fstat(file.get(), &found) == 0 && S_ISREG(found.st_mode))
    return static_cast<std::uint64_t>(found.st_size);
  return invalid("its header does not say how many bytes it has: restore it from a file");
}

Result<FileHeader> copy_bytes(const Fd& file, const Fd& to, const std::string& path,
                              std::span<const Migration> migrations) {
  std::vector<char> chunk(kChunkBytes);
  auto begin = read_chunk(file, chunk);
  if (!begin) return std::unexpected(begin.error());
  auto header = accepted_header({chunk.data(), *begin}, migrations);
  if (!header) return header;
  const auto expected = size_of_database(*header, file);
  if (!expected) return std::unexpected(expected.error());
  std::uint64_t copied = 0;
  for (auto size = begin; copied < *expected; size = read_chunk(file, chunk)) {
    if (!size) return std::unexpected(size.error());
    if (*size == 0) {
      return invalid(
          fmt::format("its end is missing: it has {} bytes, and its header says {}", copied, *expected));
    }
    const auto taken = std::min<std::uint64_t>(*size, *expected - copied);
    if (auto written = write_chunk(to, path, {chunk.data(), taken}); !written)
      return std::unexpected(written.error());
    copied += taken;
    ::sched_yield();
  }
  header->pages = *expected / header->page_bytes;
  return header;
}

// The copy must not need a log: the process that checks it only reads.
Status finish_copy(const Fd& to, const std::string& path, std::uint64_t pages) {
  std::string header(FileHeader::kBytes, '\0');
  if (::pread(to.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size())) {
    return fail_errno(path, errno);
  }
  make_self_contained(header, pages);
  if (::pwrite(to.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()) ||
      ::fsync(to.get()) != 0) {
    return fail_errno(path, errno);
  }
  return {};
}

Result<std::int64_t> write_candidate(const Fd& file, const std::string& path,
                                     std::span<const Migration> migrations) {
  std::int64_t version = 0;
  {
    const Fd to{::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640)};
    if (!to) return fail_errno(path, errno);
    const auto header = copy_bytes(file, to, path, migrations);
    if (!header) return std::unexpected(header.error());
    if (auto finished = finish_copy(to, path, header->pages); !finished)
      return std::unexpected(finished.error());
    version = header->version;
  }
  if (version == newest_of(migrations)) return version;
  auto connection = Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!connection) return std::unexpected(connection.error());
  if (auto set = connection->execute("PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF"); !set) {
    return std::unexpected(set.error());
  }
  // A migration fires triggers.
  const auto problems = schema_problems(*connection, migrations_to(version, migrations));
  if (!problems) return std::unexpected(problems.error());
  if (!problems->empty())
    return invalid(fmt::format("it is no store of netperfd's: {}", fmt::join(*problems, "\n")));
  if (auto applied = apply(migrations, version, *connection); !applied)
    return std::unexpected(applied.error());
  return version;
}

Status settle(Connection& connection, const LastNumbers& numbers) {
  auto transaction = Transaction::begin(connection, Durability::full);
  if (!transaction) return std::unexpected(transaction.error());
  // A table that never had a row has none here either.
  auto insert = connection.prepare(
      "INSERT INTO sqlite_sequence SELECT ?1, 0 WHERE EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1) "
      "AND "
      "NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)");
  if (!insert) return std::unexpected(insert.error());
  auto update = connection.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1");
  if (!update) return std::unexpected(update.error());
  for (const auto& [table, number] : numbers) {
    if (auto done = insert->bind(table).run(); !done) return done;
    if (auto done = update->bind(table, number).run(); !done) return done;
  }
  const std::string open = "state IN ('pending', 'preparing', 'running', 'collecting')";
  if (auto done = remove_early_intervals(connection, open); !done) return done;
  const auto ended =
      update_runs(connection,
                  "error = ?1 || state || '.', stored_bytes = 0, "
                  "state = iif(state = 'pending', 'canceled', 'interrupted')",
                  open, "the store was restored from a copy that was made while this run was ");
  if (!ended) return std::unexpected(ended.error());
  return transaction->commit();
}

}  // namespace

// Of those that cannot be read, as in a damaged database, the numbers of the other one count.
LastNumbers last_numbers(Connection& connection) {
  LastNumbers numbers;
  auto select = connection.prepare("SELECT name, seq FROM sqlite_sequence");
  if (!select) return numbers;
  (void)for_each_row(*select, [&numbers](RowReader& row) {
    std::string table;
    std::int64_t number = 0;
    if (row.try_read(table, number)) numbers[table] = number;
  });
  return numbers;
}

Status settle_candidate(const std::string& path, const LastNumbers& numbers) {
  auto connection = Connection::open(path, SQLITE_OPEN_READWRITE);
  if (!connection) return std::unexpected(connection.error());
  if (auto set = connection->execute("PRAGMA trusted_schema = OFF"); !set) return set;
  auto settled = settle(*connection, numbers);
  if (!settled && settled.error().kind == ErrorKind::internal) return invalid(settled.error().message);
  return settled;
}

std::string unused_name(const std::string& name) {
  std::string unused = name;
  struct stat about{};
  for (unsigned more = 2; ::lstat(unused.c_str(), &about) == 0; ++more)
    unused = fmt::format("{}-{}", name, more);
  return unused;
}

void remove_candidate(const std::string& path) {
  for (const char* beside : {"", "-journal", "-wal", "-shm"}) (void)::unlink((path + beside).c_str());
}

Result<std::int64_t> copy_candidate(const Fd& file, const std::string& path,
                                    std::span<const Migration> migrations) {
  remove_candidate(path);
  auto version = write_candidate(file, path, migrations);
  if (!version) {
    remove_candidate(path);
    return version;
  }
  if (auto synced = sync_folder_of(path); !synced) return std::unexpected(synced.error());
  return version;
}

}  // namespace netperfd::store
