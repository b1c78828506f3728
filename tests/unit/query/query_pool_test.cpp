// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/query/query_pool.hpp"

#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/confined/confinement.hpp"
#include "daemon/store/sqlite_store.hpp"
#include "daemon/workload/job/traits.hpp"
#include "tests/unit/query/support.hpp"

namespace netperfd::query {
namespace {

using confined::is_built_with_sanitizers;
using core::QueryCaller;
using test::children;
using test::turn_until;
using testing::HasSubstr;
using testing::Not;

constexpr QueryCaller kReader{.uid = 1000, .may_measure = false};
constexpr QueryCaller kMember{.uid = 2000, .may_measure = true};
constexpr QueryCaller kRoot{.uid = 0, .may_measure = true};

class QueryPoolTest : public testing::Test {
 protected:
  QueryPoolTest() {
    std::string folder = (std::filesystem::temp_directory_path() / "netperfd-query-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = folder;
    settings_ = {.uid = test::kNobody, .gid = test::kNogroup, .database = folder_ / "netperfd.db"};
    auto store = store::SqliteStore::open(settings_.database, 0);
    if (!store) throw std::runtime_error(store.error().message);
    store_ = std::move(*store);
    use(settings_);
  }
  // Reaps the processes that the pool leaves.
  ~QueryPoolTest() override {
    pool_.reset();
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
    store_.reset();
    std::filesystem::remove_all(folder_);
  }
  void use(const QuerySettings& settings) { pool_.emplace(loop_, settings); }

  using Handle = std::shared_ptr<void>;
  // Asks; the answer, or the error's text, is then in answers_ with the name.
  Handle ask(const QueryCaller& caller, const std::string& request, const std::string& name) {
    auto handle = pool_->run(caller, request, [this, name](const Result<std::string>& answer) {
      answers_[name] = answer ? *answer : answer.error().message;
      if (!answer) kinds_[name] = answer.error().kind;
      order_.push_back(name);
    });
    if (!handle) throw std::runtime_error(handle.error().message);
    return *handle;
  }
  std::string answer_to(const std::string& request, const QueryCaller& caller = kReader) {
    answers_.erase(request);
    const Handle handle = ask(caller, request, request);
    return turn_until(loop_, [&] { return answers_.contains(request); }) ? answers_[request] : "no answer";
  }
  ErrorKind refusal_of(const QueryCaller& caller) {
    const auto refused = pool_->run(caller, "x", [](const auto&) {});
    if (refused) throw std::runtime_error("it was not refused");
    refusal_ = refused.error().message;
    return refused.error().kind;
  }
  bool come_to(std::size_t processes) {
    return turn_until(loop_, [&] { return children().size() == processes; });
  }

  EventLoop loop_ = EventLoop::create().value();
  std::filesystem::path folder_;
  std::unique_ptr<store::SqliteStore> store_;
  QuerySettings settings_;
  std::map<std::string, std::string> answers_;
  std::map<std::string, ErrorKind> kinds_;
  std::vector<std::string> order_;
  std::string refusal_;
  std::optional<QueryPool> pool_;
};

TEST_F(QueryPoolTest, gives_the_answer_of_a_process) {
  EXPECT_EQ(answer_to("hello"), "hello");
  EXPECT_TRUE(come_to(0));
}

TEST_F(QueryPoolTest, reads_the_store_while_the_daemon_has_it_open) {
  EXPECT_EQ(answer_to("runs"), "0 runs");
  JobSpec job;
  job.workload = workload::traits_of("iperf3");
  ASSERT_TRUE(store_->add_job(job, {Slot{}, Slot{}}, 0, WallTime{}));
  EXPECT_EQ(answer_to("runs"), "2 runs");
}

TEST_F(QueryPoolTest, keeps_the_kind_and_text_of_an_error) {
  EXPECT_EQ(answer_to("wrong"), "no such run");
  EXPECT_EQ(kinds_["wrong"], ErrorKind::not_found);
}

TEST_F(QueryPoolTest, says_how_a_process_failed) {
  EXPECT_THAT(answer_to("abort"), HasSubstr("killed by signal 6 (Aborted)"));
  EXPECT_THAT(answer_to("leave"), HasSubstr("exit code 3 and no answer"));
  EXPECT_THAT(answer_to("mute"), HasSubstr("gave no answer"));
  if (!is_built_with_sanitizers()) {  // which handle exceptions and memory themselves
    EXPECT_THAT(answer_to("throw"), HasSubstr("out of luck"));
    EXPECT_THAT(answer_to("memory"), HasSubstr("more memory than it may"));
  }
  settings_.database = folder_ / "none.db";
  use(settings_);
  EXPECT_THAT(answer_to("hello"), HasSubstr("none.db"));
}

TEST_F(QueryPoolTest, tells_the_caller_of_a_process_that_was_killed) {
  const Handle handle = ask(kReader, "wait", "it");
  ASSERT_TRUE(come_to(1));
  ::kill(children().front(), SIGKILL);
  ASSERT_TRUE(turn_until(loop_, [&] { return answers_.contains("it"); }));
  EXPECT_EQ(answers_["it"], "the process of the query was killed by signal 9 (Killed); memory may be short");
}

TEST_F(QueryPoolTest, takes_no_answer_and_no_request_beyond_their_limits) {
  settings_.answer_bytes = std::size_t{1} << 20U;
  use(settings_);
  EXPECT_THAT(answer_to("long"), HasSubstr("longer than 1 MiB"));
  EXPECT_FALSE(pool_->run(kReader, std::string(kRequestBytes + 1, 'x'), [](const auto&) {}));
}

TEST_F(QueryPoolTest, ends_a_process_at_the_deadline_even_one_that_is_stopped) {
  settings_.deadline = std::chrono::seconds{3};
  use(settings_);
  const Handle stopped = ask(kReader, "wait", "stopped");
  ASSERT_TRUE(come_to(1));
  ::kill(children().front(), SIGSTOP);
  ASSERT_TRUE(turn_until(loop_, [&] { return answers_.contains("stopped"); }));
  EXPECT_THAT(answers_["stopped"], HasSubstr("did not end within 3 s: ask about fewer runs"));
  EXPECT_EQ(kinds_["stopped"], ErrorKind::busy);
  EXPECT_TRUE(come_to(0));
}

TEST_F(QueryPoolTest, runs_one_query_of_a_user_at_a_time_and_others_besides) {
  Handle first = ask(kReader, "wait", "first");
  ASSERT_TRUE(come_to(1));
  const Handle second = ask(kReader, "second", "second");
  EXPECT_EQ(answer_to("other", {.uid = 1001, .may_measure = false}), "other");
  EXPECT_EQ(answer_to("member", kMember), "member");
  EXPECT_FALSE(answers_.contains("second"));
  first.reset();
  EXPECT_TRUE(turn_until(loop_, [&] { return answers_.contains("second"); }));
  EXPECT_FALSE(answers_.contains("first"));
}

TEST_F(QueryPoolTest, is_busy_for_a_user_with_too_many_queries_and_only_for_that_one) {
  std::vector<Handle> handles{ask(kReader, "wait", "running")};
  ASSERT_TRUE(come_to(1));
  for (std::size_t i = 0; i < settings_.waiting_of_user; ++i) {
    handles.push_back(ask(kReader, "x", std::to_string(i)));
  }
  EXPECT_EQ(refusal_of(kReader), ErrorKind::busy);
  EXPECT_EQ(refusal_, "4 queries of uid 1000 wait already: try again when they are answered");
  EXPECT_EQ(answer_to("member", kMember), "member");
  handles.front().reset();
  EXPECT_TRUE(turn_until(loop_, [&] { return answers_.size() == 1 + settings_.waiting_of_user; }));
  EXPECT_EQ(order_, (std::vector<std::string>{"member", "0", "1", "2", "3"}));
}

TEST_F(QueryPoolTest, is_busy_beyond_its_number_of_waiting_queries) {
  settings_.waiting = 2;
  use(settings_);
  std::vector<Handle> handles{ask(kReader, "wait", "running")};
  ASSERT_TRUE(come_to(1));
  for (uid_t i = 0; i < 2; ++i) handles.push_back(ask(kReader, "x", std::to_string(i)));
  EXPECT_EQ(refusal_of(kMember), ErrorKind::busy);
  EXPECT_EQ(refusal_, "2 queries wait already: try again later");
  EXPECT_EQ(answer_to("root", kRoot), "root");
}

TEST_F(QueryPoolTest, keeps_places_to_wait_for_those_who_may_measure) {
  settings_.waiting_readers = 2;
  use(settings_);
  std::vector<Handle> handles{ask(kReader, "wait", "running")};
  ASSERT_TRUE(come_to(1));
  for (int i = 0; i < 2; ++i) handles.push_back(ask(kReader, "x", std::to_string(i)));
  EXPECT_EQ(refusal_of({.uid = 1001, .may_measure = false}), ErrorKind::busy);
  EXPECT_EQ(refusal_, "2 queries wait already: try again later");
  EXPECT_EQ(answer_to("member", kMember), "member");
}

TEST_F(QueryPoolTest, has_a_process_for_root_whatever_others_ask) {
  settings_.running = 1;
  use(settings_);
  const Handle running = ask(kMember, "wait", "running");
  ASSERT_TRUE(come_to(1));
  const Handle other = ask({.uid = 2001, .may_measure = true}, "x", "other");
  EXPECT_EQ(answer_to("root", kRoot), "root");
  EXPECT_FALSE(answers_.contains("other"));
}

TEST_F(QueryPoolTest, keeps_processes_for_those_who_may_measure) {
  std::vector<Handle> handles;
  for (uid_t i = 0; i < 4; ++i) handles.push_back(ask({.uid = 1000 + i, .may_measure = false}, "wait", "x"));
  ASSERT_TRUE(come_to(settings_.running_readers));
  EXPECT_EQ(answer_to("member", kMember), "member");
  EXPECT_EQ(children().size(), settings_.running_readers);
}

TEST_F(QueryPoolTest, lets_those_who_may_measure_go_first) {
  settings_.running = 1;
  use(settings_);
  Handle running = ask(kReader, "wait", "running");
  ASSERT_TRUE(come_to(1));
  const Handle reader = ask({.uid = 1001, .may_measure = false}, "x", "reader");
  const Handle member = ask(kMember, "x", "member");
  running.reset();
  ASSERT_TRUE(turn_until(loop_, [&] { return order_.size() == 2; }));
  EXPECT_EQ(order_, (std::vector<std::string>{"member", "reader"}));
}

TEST_F(QueryPoolTest, lets_no_query_wait_beyond_the_deadline) {
  settings_.running = 0;
  settings_.deadline = std::chrono::milliseconds{20};
  use(settings_);
  EXPECT_EQ(answer_to("x"), "the query waited 1 s for others to end: try again later");
  EXPECT_EQ(kinds_["x"], ErrorKind::busy);
}

TEST_F(QueryPoolTest, lets_the_handle_go_inside_the_call) {
  Handle handle;
  bool called = false;
  handle = pool_
               ->run(kReader, "x",
                     [&](const auto&) {
                       handle.reset();
                       called = true;
                     })
               .value();
  EXPECT_TRUE(turn_until(loop_, [&] { return called; }));
}

TEST_F(QueryPoolTest, asks_about_the_whole_store_once_a_user) {
  QueryCaller whole = kMember;
  whole.deadline = std::chrono::minutes{1};
  const Handle handle = ask(whole, "wait", "runs");
  EXPECT_EQ(refusal_of(whole), ErrorKind::busy);
  EXPECT_EQ(refusal_, "uid 2000 has asked for this already: wait until it is answered");
  EXPECT_EQ(answer_to("hello", kMember), "hello") << "beside it";
  whole.uid = 2001;
  const Handle other = ask(whole, "x", "other");
  whole.uid = 0;
  EXPECT_EQ(answer_to("root", whole), "root") << "root waits for nobody";
  EXPECT_FALSE(answers_.contains("other"));
}

TEST_F(QueryPoolTest, is_idle_although_somebody_asks_all_the_time) {
  std::vector<Handle> asked{ask(kReader, "wait", "runs"), ask(kMember, "wait", "runs too")};
  ASSERT_TRUE(come_to(2));
  asked.push_back(ask(kReader, "hello", "waits"));
  bool idle = false;
  pool_->when_idle([&](const Status& all) {
    EXPECT_TRUE(all);
    idle = true;
    EXPECT_TRUE(children().empty());
    EXPECT_FALSE(answers_.contains("waits"));
  });
  EXPECT_EQ(kinds_["runs"], ErrorKind::busy);
  EXPECT_EQ(kinds_["runs too"], ErrorKind::busy);
  asked.push_back(ask(kMember, "hello", "later"));
  EXPECT_TRUE(turn_until(loop_, [&] { return answers_.contains("waits") && answers_.contains("later"); }));
  EXPECT_TRUE(idle);
  EXPECT_EQ(answers_["waits"], "hello");
}

TEST_F(QueryPoolTest, kills_its_processes_when_it_goes) {
  const Handle handle = ask(kReader, "wait", "it");
  ASSERT_TRUE(come_to(1));
  const pid_t pid = children().front();
  pool_.reset();
  int status = 0;
  const pid_t got = ::waitpid(pid, &status, 0);
  EXPECT_TRUE(got == pid ? WIFSIGNALED(status) : errno == ECHILD) << "the second: reaped already";
  EXPECT_TRUE(answers_.empty());
}

TEST_F(QueryPoolTest, leaves_a_process_no_privilege_and_no_way_to_change_the_database) {
  ASSERT_EQ(::geteuid(), 0U) << "run it as root";
  const std::string told = answer_to("privileges");
  for (const char* what : {"write the database", "write the database at an offset", "cut the database",
                           "map the database to write", "keep others from the database", "become root"}) {
    EXPECT_THAT(told, HasSubstr(std::string("\n") + what + ": "));
    EXPECT_THAT(told, Not(HasSubstr(std::string(what) + ": worked"))) << told;
  }
  EXPECT_THAT(told, HasSubstr("3 files of the database")) << "itself, its log and the index of that";
  EXPECT_THAT(answer_to("remove"), HasSubstr("readonly"));
  if (is_built_with_sanitizers()) return;  // the rest tests the call filter
  EXPECT_THAT(told, Not(HasSubstr("worked")));
}

// The kernel's own view of a working process.
TEST_F(QueryPoolTest, makes_a_process_somebody_who_stands_back_but_does_not_starve) {
  ASSERT_EQ(::geteuid(), 0U) << "run it as root";
  const Handle handle = ask(kReader, "wait", "it");
  ASSERT_TRUE(come_to(1));
  const pid_t pid = children().front();
  const std::string proc = "/proc/" + std::to_string(pid);
  EventSource tick;
  std::string status;
  EXPECT_TRUE(turn_until(loop_, [&] {
    // There is no event for it; the timer makes the loop check again at each tick.
    tick = loop_.after(std::chrono::milliseconds{1}, [] {}).value();
    status = read_file(proc + "/status", 65536).value_or("");
    return status.find("Uid:\t65534\t65534\t65534\t65534") != std::string::npos &&
           status.find("CapEff:\t0000000000000000") != std::string::npos &&
           status.find("NoNewPrivs:\t1") != std::string::npos;
  })) << status;
  EXPECT_EQ(::getpriority(PRIO_PROCESS, static_cast<id_t>(pid)), 10);
  EXPECT_EQ(::sched_getscheduler(pid), SCHED_OTHER);
  EXPECT_EQ(read_file(proc + "/oom_score_adj", 64), "1000\n");
  const auto limits = read_file(proc + "/limits", 65536).value_or("");
  if (!is_built_with_sanitizers()) {
    EXPECT_THAT(limits, HasSubstr("Max address space         536870912"));
  }
  EXPECT_THAT(limits, HasSubstr("Max cpu time              60                   61"));
  EXPECT_THAT(limits, HasSubstr("Max file size             0                    0 "));
}

// In a second program, since it dies.
TEST_F(QueryPoolTest, s_processes_die_with_the_daemon) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const pid_t daemon = ::fork();
  if (daemon == 0) {
    ::execl("/proc/self/exe", "query_test", std::string(test::kPoolFlag).c_str(), settings_.database.c_str(),
            nullptr);
    ::_exit(127);
  }
  const std::string list =
      "/proc/" + std::to_string(daemon) + "/task/" + std::to_string(daemon) + "/children";
  pid_t query = 0;
  EventSource tick;
  // Until it sleeps in its query, privileges and death signal are settled.
  ASSERT_TRUE(turn_until(loop_, [&] {
    tick = loop_.after(std::chrono::milliseconds{1}, [] {}).value();
    query = static_cast<pid_t>(std::atoi(read_file(list, 4096).value_or("0").c_str()));
    const std::string status = read_file("/proc/" + std::to_string(query) + "/status", 65536).value_or("");
    return query > 0 && status.find("NoNewPrivs:\t1") != std::string::npos && test::state_of(query) == 'S';
  }));
  ::kill(daemon, SIGKILL);
  EXPECT_EQ(::waitpid(daemon, nullptr, 0), daemon);
  int status = 0;
  EXPECT_EQ(::waitpid(query, &status, 0), query);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST(ReadAnswer, refuses_what_no_process_of_a_query_writes) {
  const auto beyond = static_cast<char>('0' + static_cast<int>(ErrorKind::internal) + 1);
  for (const std::string& bytes : {std::string{}, std::string("E"), std::string("X1"), std::string("E/text"),
                                   std::string("E") + beyond + "text", std::string("E\xFFtext")}) {
    const auto read = read_answer(bytes);
    ASSERT_FALSE(read) << bytes;
    EXPECT_EQ(read.error().kind, ErrorKind::internal);
    EXPECT_THAT(read.error().message, HasSubstr("gave no answer"));
  }
  EXPECT_EQ(read_answer("A").value(), "");
  EXPECT_EQ(read_answer("E2later").error().kind, ErrorKind::busy);
  EXPECT_EQ(read_answer("E2" + std::string(100'000, 'x')).error().message.size(), 16U * 1024);
}

}  // namespace
}  // namespace netperfd::query
