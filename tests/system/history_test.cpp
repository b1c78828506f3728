// SPDX-License-Identifier: GPL-2.0-or-later
// What becomes of jobs afterwards: their history, waiting for them, selections, labels and notes.
#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/process.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class History : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  // Runs the scenario to its end; returns the document of `start`.
  static json measured(const std::vector<std::string>& more) {
    std::vector<std::string> words{"start", "local", "-o", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return json::parse(lab().ctl(words).out);
  }
  static std::string job_of(const json& started) {
    return fmt::format("job:{}", started.at("job").at("job").get<std::uint64_t>());
  }
  static json document(std::vector<std::string> words) {
    words.insert(words.end(), {"-o", "json"});
    const Outcome outcome = lab().ctl(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return json::parse(outcome.out);
  }
};

TEST_F(History, of_jobs_is_listed_shown_and_waited_for_after_their_end) {
  const json started = measured({"--repeat", "2", "--label", "history"});
  const std::string job = job_of(started);
  const json listed = document({"jobs", "--all", "--label", "history"});
  ASSERT_EQ(listed.at("jobs").size(), 1U);
  EXPECT_EQ(listed.at("jobs").at(0).at("state"), "finished");
  EXPECT_EQ(listed.at("jobs").at(0).at("runs").size(), 2U);
  EXPECT_EQ(listed.at("jobs").at(0).at("job"), started.at("job").at("job"));
  const Outcome page = lab().ctl({"show", job}, lab().users().outsider);
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("2 runs: 2 finished"));
  EXPECT_EQ(lab().ctl({"show", job, "--events"}).code, kUsage) << "a job has no list of events";
  const Outcome waited = lab().ctl({"wait", job});
  EXPECT_EQ(waited.code, 0) << waited.err;
  EXPECT_THAT(waited.out, HasSubstr("2 runs finished"));
  EXPECT_EQ(lab().ctl({"wait", "999999"}).code, kNotFound);
  EXPECT_EQ(lab().ctl({"show", "job:999999"}).code, kNotFound);
}

TEST_F(History, waiting_ends_with_the_job_and_its_exit_code) {
  const StartedJob job = lab().start("local", {"duration=30s"});
  Process waiting{lab().ctl_command({"wait", std::to_string(job.id)}, lab().users().member)};
  lab().stop(job.id);
  EXPECT_EQ(waiting.wait().code, kCanceled) << "it was canceled: " << waiting.out() << waiting.err();
  EXPECT_THAT(waiting.out(), HasSubstr("canceled"));
}

TEST_F(History, of_runs_is_selected_and_deleted_as_compare_selects) {
  const json first = measured({"--repeat", "2", "--label", "junk"});
  const json second = measured({"--label", "precious"});
  const json listed = document({"runs", "label:junk"});
  ASSERT_EQ(listed.at("runs").size(), 2U);
  EXPECT_EQ(document({"runs", job_of(second)}).at("runs").size(), 1U);
  EXPECT_EQ(document({"runs", "label:junk last:1"}).at("runs").at(0).at("run"),
            listed.at("runs").at(0).at("run"));
  const Outcome wrong = lab().ctl({"runs", "labl:junk"});
  EXPECT_EQ(wrong.code, kUsage);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean `label`?"));

  const Outcome dry = lab().ctl({"delete", "label:junk", "--dry-run"});
  EXPECT_THAT(dry.out, StartsWith("would be deleted: 2 runs"));
  EXPECT_EQ(document({"runs", "label:junk"}).at("runs").size(), 2U);
  EXPECT_EQ(lab().ctl({"delete", "owner:any label:junk"}, lab().users().outsider).code, kDenied);
  EXPECT_EQ(document({"delete", "label:junk"}).at("runs").size(), 2U);
  EXPECT_EQ(document({"runs", "label:junk"}).at("runs").size(), 0U);
  EXPECT_EQ(document({"runs", "label:precious"}).at("runs").size(), 1U);
  EXPECT_EQ(lab().ctl({"delete", "label:junk"}).code, kNotFound);
}

TEST_F(History, gets_other_labels_and_notes_from_its_owner_only_and_the_log_says_so) {
  const json started = measured({"--label", "befor"});
  const std::string job = job_of(started);
  const std::string run = std::to_string(started.at("runs").at(0).at("run").get<std::uint64_t>());
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"relabel", job, "mine"}, std::vector<std::string>{"note", run, "mine"}}) {
    const Outcome refused = lab().ctl(words, lab().users().outsider);
    EXPECT_EQ(refused.code, kDenied) << refused.out << refused.err;
  }
  EXPECT_EQ(lab().ctl({"relabel", job, "before"}).code, 0);
  EXPECT_EQ(lab().ctl({"note", run, "cable replaced"}).code, 0);
  const json shown = document({"show", run});
  EXPECT_EQ(shown.at("run").at("label"), "before");
  EXPECT_EQ(shown.at("run").at("note"), "cable replaced");
  EXPECT_THAT(lab().ctl({"show", run}).out, HasSubstr("cable replaced"));
  std::vector<std::string> recorded;
  for (const json& entry : document({"log", "--limit", "2"}).at("entries")) {
    recorded.push_back(entry.at("action").get<std::string>() + " " + entry.at("detail").get<std::string>());
  }
  EXPECT_THAT(recorded, testing::ElementsAre("note cable replaced", "label before"));
}

// `script` makes a terminal; its size is what stty says.
TEST_F(History, too_long_for_the_terminal_goes_through_the_pager_unless_told_not_to) {
  (void)measured({"--repeat", "2", "--label", "pages"});
  const auto in_terminal = [](const std::string& options) {
    Command command = lab().ctl_command({}, lab().users().member);
    const std::string line =
        fmt::format("stty rows 2 cols 120; PAGER='sed s/^/paged:/' TERM=xterm {} {} runs label:pages",
                    command.argv.front(), options);
    command.argv = {"/usr/bin/script", "--quiet", "--return", "--command", line, "/dev/null"};
    return run(std::move(command));
  };
  const Outcome paged = in_terminal("");
  EXPECT_EQ(paged.code, 0) << paged.out << paged.err;
  EXPECT_THAT(paged.out, HasSubstr("paged:"));
  EXPECT_THAT(paged.out, HasSubstr("pages"));
  const Outcome plain = in_terminal("--no-pager");
  EXPECT_THAT(plain.out, HasSubstr("pages"));
  EXPECT_THAT(plain.out, Not(HasSubstr("paged:")));
}

TEST_F(History, of_a_live_job_keeps_its_label_until_it_has_ended) {
  const StartedJob job = lab().start("local", {"duration=30s"});
  EXPECT_NE(lab().ctl({"relabel", std::to_string(job.id), "x"}).code, 0);
  EXPECT_EQ(document({"jobs", "--all", "--limit", "1"}).at("jobs").at(0).at("state"), "live");
  lab().stop(job.id);
}

}  // namespace
}  // namespace netperfd::system_test
