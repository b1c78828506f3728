// SPDX-License-Identifier: GPL-2.0-or-later
// Another program replaces, removes or truncates the database while the daemon has it open.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Replaced : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({.gated = true, .environment = {}}); }
  void SetUp() override {
    SystemTest::SetUp();
    ASSERT_EQ(lab().ctl({"start", "quick"}).code, 0);
  }
  void TearDown() override {
    lab().gate().open();
    SystemTest::TearDown();
  }

  static std::string contents(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
  }
  static void expect_refusal(const std::string& what, const std::string& what_doctor_says) {
    const Outcome refused = lab().ctl({"start", "quick"});
    EXPECT_EQ(refused.code, kOther);
    EXPECT_THAT(refused.err, HasSubstr(lab().database_path() + ": " + what));
    EXPECT_THAT(lab().ctl({"doctor"}).out, HasSubstr(lab().database_path() + ": " + what_doctor_says));
  }
  static void expect_refusal(const std::string& what) { expect_refusal(what, what); }
};

TEST_F(Replaced, by_another_file_during_a_run_it_takes_nothing_until_it_is_put_back) {
  const std::string path = lab().database_path();
  const std::string away = path + ".away";
  EXPECT_TRUE(lab().database().rows(fmt::format("VACUUM INTO '{}'", path + ".backup")).empty());
  const std::string other = contents(path + ".backup");
  JobWatch watch{lab().bus().address()};
  lab().gate().close();
  const StartedJob job = lab().start("quick");
  ASSERT_EQ(lab().gate().wait_for_arrival(), "--server");
  std::filesystem::rename(path, away);
  std::filesystem::rename(path + ".backup", path);
  lab().gate().open();
  const SeenRunEnd end = watch.wait_for_runs(job.id, 1).front();
  EXPECT_EQ(end.state, "failed") << "nobody is told that it was stored";
  EXPECT_THAT(end.error, HasSubstr(path + ": the database was replaced by another file"));
  expect_refusal("the database was replaced by another file");
  EXPECT_EQ(contents(path), other) << "the other file is left alone";

  std::filesystem::rename(away, path);
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0) << "no restart is needed";
  EXPECT_EQ(lab().database().value(fmt::format("SELECT state FROM runs WHERE job = {}", job.id)), "failed");
  EXPECT_THAT(lab().ctl({"doctor"}).out, Not(HasSubstr("was replaced")));
}

TEST_F(Replaced, by_nothing_it_is_saved_at_the_end_of_the_daemon) {
  const std::string path = lab().database_path();
  const std::int64_t runs = lab().database().number("SELECT count(*) FROM runs");
  std::filesystem::remove(path);
  expect_refusal("the database was removed");
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), 1);
  const std::string log = lab().netperfd().log();
  const auto at = log.find(path + ".replaced-");
  ASSERT_NE(at, std::string::npos) << log;
  const std::string copy = log.substr(at, log.find_first_not_of("0123456789", at + path.size() + 10) - at);
  EXPECT_EQ(Database{copy}.number("SELECT count(*) FROM runs"), runs);
}

TEST_F(Replaced, by_a_part_of_itself_is_refused_until_somebody_decides) {
  // A daemon that ends leaves the whole content in the file instead of the log.
  ASSERT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  lab().start_netperfd();
  std::filesystem::resize_file(lab().database_path(), 4096);
  expect_refusal("database disk image is malformed; stop netperfd, and restore a copy",
                 "the database is damaged");
  EXPECT_EQ(lab().end_netperfd(SIGTERM), (Exit{0, 0}));
  NetperfdProcess next{lab().directory(), lab().bus(), lab().configuration(), "refused"};
  EXPECT_EQ(next.process().wait(), (Exit{1, 0}));
  EXPECT_THAT(next.log(), AllOf(HasSubstr(lab().database_path()), HasSubstr("damaged")));
  std::filesystem::remove(lab().database_path());
  lab().start_netperfd();
  EXPECT_EQ(lab().ctl({"start", "quick"}).code, 0);
}

}  // namespace
}  // namespace netperfd::system_test
