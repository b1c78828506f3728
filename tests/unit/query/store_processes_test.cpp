// SPDX-License-Identifier: GPL-2.0-or-later
// The processes that copy the store and check a file for it, without privileges.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/query/query_pool.hpp"
#include "daemon/store/candidate.hpp"
#include "daemon/store/migrations.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/import/silent_file.hpp"
#include "tests/unit/query/support.hpp"

namespace netperfd::query {
namespace {

using test::children;
using test::turn_until;
using testing::HasSubstr;

class StoreProcesses : public testing::Test {
 protected:
  StoreProcesses() {
    std::string folder = (std::filesystem::temp_directory_path() / "netperfd-query-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = folder;
    path_ = folder_ / "netperfd.db";
    auto store = store::SqliteStore::open(path_, 0);
    if (!store) throw std::runtime_error(store.error().message);
    store_ = std::move(*store);
    // More pages than the pipe and the copy's cache hold.
    JobSpec spec;
    spec.workload = workload::traits_of("iperf3");
    spec.text = std::string(std::size_t{1} << 21U, 'x');
    if (!store_->add_job(spec, {Slot{}}, 0, WallTime{})) throw std::runtime_error("add a job");
    pool_.emplace(loop_, QuerySettings{.uid = test::kNobody, .gid = test::kNogroup, .database = path_});
  }
  ~StoreProcesses() override {
    pool_.reset();
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  Fd stream() {
    auto bytes = pool_->stream("store", [this](const Status& end) { end_ = end; });
    if (!bytes) throw std::runtime_error(bytes.error().message);
    return std::move(*bytes);
  }
  // All that comes, read beside the loop.
  std::string read_all(Fd bytes) {
    std::string all;
    std::jthread reader{[&all, &bytes] {
      std::string chunk(std::size_t{1} << 16U, '\0');
      for (ssize_t got = 1; got > 0;) {
        got = ::read(bytes.get(), chunk.data(), chunk.size());
        if (got > 0) all.append(chunk, 0, static_cast<std::size_t>(got));
      }
    }};
    EXPECT_TRUE(turn_until(loop_, [this] { return end_.has_value(); }));
    reader.join();
    return all;
  }
  std::string written(const std::string& bytes) const {
    const std::string file = folder_ / "file.db";
    std::ofstream{file, std::ios::binary | std::ios::trunc} << bytes;
    return file;
  }
  // What the process says of the file.
  std::string answer_about(const std::string& file,
                           std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max()) {
    return answer_about(Fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC)}, most_bytes);
  }
  std::string answer_about(Fd file, std::uint64_t most_bytes) {
    std::optional<Result<std::string>> answer;
    const auto checking = pool_->check_candidate(
        std::move(file), most_bytes, [&answer](const Result<std::string>& given) { answer = given; });
    if (!checking) return checking.error().message;
    EXPECT_TRUE(turn_until(loop_, [&answer] { return answer.has_value(); }));
    return *answer ? **answer : answer->error().message;
  }

  EventLoop loop_ = EventLoop::create().value();
  std::filesystem::path folder_;
  std::string path_;
  std::unique_ptr<store::SqliteStore> store_;
  std::optional<Status> end_;  // of the stream
  std::optional<QueryPool> pool_;
};

TEST_F(StoreProcesses, copy_the_store_and_check_the_copy) {
  const std::string bytes = read_all(stream());
  EXPECT_TRUE(end_.value());
  ASSERT_GT(bytes.size(), std::size_t{1} << 21U);
  const auto version = store::newest_of(store::embedded_migrations());
  EXPECT_EQ(answer_about(written(bytes)), fmt::format("version {}, 1 jobs, 0 problems", version));
  EXPECT_TRUE(std::filesystem::exists(store::candidate_of(path_)));
}

TEST_F(StoreProcesses, say_what_is_wrong_with_a_file) {
  EXPECT_THAT(answer_about(written(std::string(5000, 'x'))), HasSubstr("it does not begin as one"));
  EXPECT_FALSE(std::filesystem::exists(store::candidate_of(path_)));
}

TEST_F(StoreProcesses, take_as_many_bytes_as_the_header_says_from_a_pipe_that_never_ends) {
  const std::string bytes = read_all(stream());
  auto pipe = make_pipe().value();
  (void)std::signal(SIGPIPE, SIG_IGN);
  std::jthread writer{[bytes, end = std::move(pipe.write)] {
    const std::string more(std::size_t{1} << 16U, 'x');
    std::string_view next = bytes;
    for (ssize_t wrote = 1; wrote > 0; next = next.empty() ? std::string_view{more} : next) {
      wrote = ::write(end.get(), next.data(), next.size());
      if (wrote > 0) next.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }};
  const auto version = store::newest_of(store::embedded_migrations());
  EXPECT_EQ(answer_about(std::move(pipe.read), bytes.size()),
            fmt::format("version {}, 1 jobs, 0 problems", version));
  EXPECT_EQ(std::filesystem::file_size(store::candidate_of(path_)), bytes.size());
}

TEST_F(StoreProcesses, leave_nothing_of_a_file_that_takes_more_space_than_there_is) {
  const std::string file = written(read_all(stream()));
  EXPECT_THAT(answer_about(file, std::uint64_t{1} << 20U),
              HasSubstr("more space than is left beside store.min_free"));
  EXPECT_FALSE(std::filesystem::exists(store::candidate_of(path_)));
}

TEST_F(StoreProcesses, make_one_copy_at_a_time_and_tell_of_one_that_was_killed) {
  const Fd bytes = stream();
  const auto second = pool_->stream("store", [](const Status&) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::busy);
  ASSERT_EQ(children().size(), 1U);
  ASSERT_EQ(::kill(children().front(), SIGKILL), 0);
  ASSERT_TRUE(turn_until(loop_, [this] { return end_.has_value(); }));
  ASSERT_FALSE(*end_);
  EXPECT_THAT(end_->error().message, HasSubstr("was killed by signal 9"));
  end_.reset();
  EXPECT_FALSE(read_all(stream()).empty()) << "the next one may begin";
}

TEST_F(StoreProcesses, leave_members_their_places_while_a_killed_check_waits_for_its_file) {
  if (!import::test::SilentFile::is_possible()) GTEST_SKIP() << "only root, with /dev/fuse";
  const auto silent = import::test::SilentFile::make();
  ASSERT_TRUE(silent);
  pool_.emplace(loop_,
                QuerySettings{.uid = test::kNobody, .gid = test::kNogroup, .database = path_, .running = 1});
  auto checking = pool_->check_candidate(silent->take(), std::numeric_limits<std::uint64_t>::max(),
                                         [](const Result<std::string>&) {});
  ASSERT_TRUE(checking) << checking.error().message;
  ASSERT_TRUE(silent->wait_for_close()) << "of the copy that the process has until it executes";
  checking->reset();  // kills it
  std::string answer;
  const auto asked = pool_->run(
      {.uid = 2000, .may_measure = true}, "hello",
      [&answer](const Result<std::string>& given) { answer = given ? *given : given.error().message; });
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_TRUE(turn_until(loop_, [&] { return !answer.empty(); }));
  EXPECT_EQ(answer, "hello");
  silent->let_go();
}

}  // namespace
}  // namespace netperfd::query
