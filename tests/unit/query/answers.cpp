// SPDX-License-Identifier: GPL-2.0-or-later
// The test program's behaviour when it is started as a query's process.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <sqlite3.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "daemon/base/fd.hpp"
#include "daemon/store/page_copy.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "tests/unit/query/support.hpp"

namespace netperfd::query::test {
namespace {

sqlite3* opened = nullptr;  // the connection that SQLite opened last

int remember(sqlite3* connection, char**, const void*) {
  opened = connection;
  return SQLITE_OK;
}

std::string outcome(bool worked) {
  return worked ? "worked" : ::strerror(errno);  // NOLINT(concurrency-mt-unsafe): one thread
}

// What the process may still do, one line for each; of its database files too.
std::string tell_privileges() {
  std::string text;
  const auto tell = [&](const std::string& what, bool worked) {
    text += fmt::format("{}: {}\n", what, outcome(worked));
  };
  tell("open root's file", ::open("/etc/shadow", O_RDONLY) >= 0);
  tell("open anybody's file", ::open("/etc/passwd", O_RDONLY) >= 0);
  tell("make a file", ::open("/tmp/netperfd-query-test", O_WRONLY | O_CREAT, 0600) >= 0);
  tell("socket", ::socket(AF_INET, SOCK_STREAM, 0) >= 0);
  tell("fork", ::syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr) >= 0);
  tell("become root", ::syscall(SYS_setuid, 0) == 0);
  tell("kill the parent", ::syscall(SYS_kill, ::getppid(), 0) == 0);
  const auto map = [](int protection, int flags, int fd) {
    return ::mmap(nullptr, 4096, protection, flags, fd, 0) != MAP_FAILED;
  };
  tell("map code", map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  constexpr int kFirstOfDatabase = STDERR_FILENO + 1;
  constexpr int kBeyond = 16;
  int files = 0;
  for (int fd = kFirstOfDatabase; fd < kBeyond; ++fd) {
    char byte = 0;
    if (::pread(fd, &byte, 1, 0) != 1) continue;
    ++files;
    tell("write the database", ::write(fd, &byte, 1) == 1);
    tell("write the database at an offset", ::pwrite(fd, &byte, 1, 0) == 1);
    tell("cut the database", ::ftruncate(fd, 0) == 0);
    tell("map the database to write", map(PROT_READ | PROT_WRITE, MAP_SHARED, fd));
    struct flock exclusive{};
    exclusive.l_type = F_WRLCK;
    tell("keep others from the database", ::fcntl(fd, F_SETLK, &exclusive) == 0);
  }
  return text + fmt::format("{} files of the database\n", files);
}

Result<std::string> answer(core::RunQueries& queries, std::string_view request) {
  if (request == "privileges") return tell_privileges();
  if (request == "runs") {
    const auto page = queries.runs({}, "", 0);
    if (!page) return std::unexpected(page.error());
    return fmt::format("{} runs", page->rows.size());
  }
  if (request == "remove") {
    // A query has no such port; a process that was taken over would end the snapshot and call the store
    // itself.
    (void)sqlite3_exec(opened, "COMMIT", nullptr, nullptr, nullptr);
    const auto removed = dynamic_cast<store::SqliteStore&>(queries).remove(1);
    return removed ? "removed" : removed.error().message;
  }
  if (request == "wrong") return fail(ErrorKind::not_found, "no such run");
  if (request == "abort") std::abort();
  if (request == "throw") throw std::runtime_error("out of luck");
  if (request == "memory") return std::string(std::size_t{2} << 30U, 'x');
  if (request == "long") return std::string(std::size_t{3} << 20U, 'x');
  if (request == "wait") {
    std::uint32_t never = 0;
    while (true) ::syscall(SYS_futex, &never, FUTEX_WAIT, 0, nullptr, nullptr, 0);
  }
  if (request == "work") {
    while (true) (void)::getpid();
  }
  if (request == "leave") ::_exit(3);
  if (request == "mute") ::_exit(0);
  return std::string{request};
}

}  // namespace

QueryFunctions query_functions() {
  const auto open = [](const std::string& path) {
    (void)store::watch_first_page();
    (void)sqlite3_auto_extension(reinterpret_cast<void (*)()>(&remember));
    return store::SqliteStore::open_read_only(path);
  };
  const auto stream = [](core::RunQueries& queries, std::string_view request,
                         const QueryFunctions::Write& write) -> std::optional<Status> {
    if (request != "store") return std::nullopt;
    return queries.copy_store(write);
  };
  return {open, answer, stream};
}

QueryFunctions candidate_functions() {
  static std::int64_t version = 0;
  const auto open = [](const std::string& path) -> Result<std::unique_ptr<core::RunQueries>> {
    (void)std::signal(SIGXFSZ, SIG_IGN);
    auto candidate = store::SqliteStore::open_candidate(Fd{STDIN_FILENO}, path);
    if (!candidate) return std::unexpected(candidate.error());
    version = candidate->version;
    return std::move(candidate->queries);
  };
  const auto check = [](core::RunQueries& queries, std::string_view) -> Result<std::string> {
    const auto checked = queries.check_store();
    if (!checked) return std::unexpected(checked.error());
    return fmt::format("version {}, {} jobs, {} problems", version, checked->jobs, checked->problems.size());
  };
  return {.open = open, .answer = check};
}

}  // namespace netperfd::query::test
