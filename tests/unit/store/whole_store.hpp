// SPDX-License-Identifier: GPL-2.0-or-later
// A store, its backup, and a candidate to take its place.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "daemon/store/candidate.hpp"
#include "tests/unit/store/store_fixture.hpp"

namespace netperfd::store {

class WholeStore : public StoreTest {
 protected:
  WholeStore() {
    open();
    store_job(a_job("veth-tcp", "old"));
  }

  static std::string bytes_of(const std::string& file) {
    return must(read_file(file, std::size_t{1} << 30U));
  }
  static void write(const std::string& file, const std::string& bytes) {
    std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
  }
  [[nodiscard]] std::string in_folder(const std::string& name) const { return (folder / name).string(); }
  static core::RunQueries::Sink into(std::string& copy) {
    return [&copy](std::string_view bytes) -> Status {
      copy += bytes;
      return {};
    };
  }
  // A copy of the store as it is now, at a path of its own.
  std::string backup(const std::string& name = "backup.db") {
    std::string copy;
    auto reader = must(SqliteStore::open_to_look(path()));
    must(reader->copy_store(into(copy)));
    write(in_folder(name), copy);
    return in_folder(name);
  }
  Result<std::int64_t> candidate(const std::string& file,
                                 std::span<const Migration> migrations = embedded_migrations()) {
    return copy_candidate(Fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)}, candidate_of(path()), migrations);
  }
  Error refusal_of_candidate(const std::string& file,
                             std::span<const Migration> migrations = embedded_migrations()) {
    const auto copied = candidate(file, migrations);
    if (copied) throw std::runtime_error("it was accepted");
    EXPECT_FALSE(std::filesystem::exists(candidate_of(path())));
    return copied.error();
  }
  // By a process that does not close the store: the log has it.
  void store_in_log(const std::string& label) {
    const pid_t child = ::fork();
    if (child == 0) {
      open();
      store_job(a_job("veth-tcp", label));
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_GT(std::filesystem::file_size(path() + "-wal"), 0U);
  }
  static std::string labels(const std::string& file) {
    return ask(file, "SELECT group_concat(label) FROM (SELECT label FROM jobs ORDER BY id)");
  }
};

}  // namespace netperfd::store
