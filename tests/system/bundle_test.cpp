// SPDX-License-Identifier: GPL-2.0-or-later
// What one netperfd exports, another one with an empty store shows alike.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class BundleOfJob : public SystemTest {
 protected:
  static void SetUpTestSuite() {
    set_up({});
    for (const char* label : {"before", "after"}) {
      EXPECT_EQ(lab().ctl({"start", "local", "--repeat", "3", "--label", label}).code, 0);
    }
  }

  static std::string path(const std::string& name) { return lab().directory().path("bundles/" + name); }
  static Outcome exported(const std::string& job, const std::string& file,
                          std::vector<std::string> more = {}) {
    const std::filesystem::path folder = path("");
    std::filesystem::create_directories(folder);
    std::filesystem::permissions(folder, std::filesystem::perms::all);
    std::vector<std::string> words{"export", job, "--format", "bundle", "-O", path(file)};
    words.insert(words.end(), more.begin(), more.end());
    return lab().ctl(words);
  }
  // Ends the daemon and starts one with an empty store.
  static void empty_store() {
    EXPECT_EQ(lab().end_netperfd(SIGTERM).code, 0);
    for (const char* end : {"", "-wal", "-shm", ".lock"})
      std::filesystem::remove(lab().database_path() + end);
    lab().start_netperfd();
  }
  static json shown(std::vector<std::string> words) {
    words.insert(words.end(), {"-o", "json"});
    const Outcome outcome = lab().ctl(words);
    EXPECT_FALSE(outcome.out.empty()) << outcome.err;
    return json::parse(outcome.out);
  }
  // As root, who has imported none of the runs before.
  static Outcome imported_by_root(std::vector<std::string> words) {
    words.insert(words.begin(), "import");
    return lab().ctl(words, User{});
  }
  static void delete_newest_job() {
    const auto newest =
        lab().database().number("SELECT min(id) FROM runs WHERE job = (SELECT max(id) FROM jobs)");
    for (std::int64_t run = newest; run < newest + 3; ++run)
      EXPECT_EQ(lab().ctl({"delete", std::to_string(run)}, User{}).code, 0);
  }
  // Without what tells where the runs came from and when.
  static json without_origin(const json& value) {
    if (value.is_array()) {
      json list = json::array();
      for (const json& element : value) {
        const bool is_flag = element.is_object() && element.value("code", json{}) == "from-bundle";
        const bool is_caveat =
            element.is_string() && element.get<std::string>().contains("measured elsewhere");
        if (!is_flag && !is_caveat) list.push_back(without_origin(element));
      }
      return list;
    }
    if (!value.is_object()) return value;
    json object = json::object();
    for (const auto& [key, each] : value.items()) {
      const bool of_origin = key == "created_us" || key == "origin" || key == "from_bundle" ||
                             (key == "flags" && each.is_number());
      if (!of_origin) object[key] = without_origin(each);
    }
    return object;
  }
  static json figures_of(std::int64_t run) {
    json page = without_origin(shown({"show", std::to_string(run)}));
    for (const char* key : {"run", "job", "owner"}) page.at("run").erase(key);
    return json{page.at("run"), page.at("sums")};
  }
  static std::vector<json> pages() {
    std::vector<json> all{shown({"compare", "label:before", "label:after"})};
    for (const char* what : {"job:1", "job:2", "1", "2", "3", "4", "5", "6"})
      all.push_back(shown({"show", what}));
    return all;
  }
};

TEST_F(BundleOfJob, is_shown_alike_elsewhere) {
  const auto before = pages();
  ASSERT_EQ(exported("job:1", "1.netperf").code, 0);
  ASSERT_EQ(exported("job:2", "2.netperf").code, 0);
  const Outcome report = run({.argv = {"tar", "--zstd", "-xOf", path("1.netperf"), "report.html"},
                              .environment = {},
                              .user = {},
                              .netns = {},
                              .stderr_file = {}});
  EXPECT_THAT(report.out, AllOf(HasSubstr("<title>"), HasSubstr("job:1"))) << report.err;
  empty_store();
  for (const char* file : {"1.netperf", "2.netperf"}) {
    const Outcome imported = lab().ctl({"import", path(file)});
    EXPECT_EQ(imported.code, 0) << imported.err;
    EXPECT_THAT(imported.out, HasSubstr("from-bundle: measured elsewhere"));
    // Under another name, too.
    const Outcome again =
        lab().ctl({"import", lab().directory().write("again.netperf", read_text(path(file)))});
    EXPECT_EQ(again.code, kUsage);
    EXPECT_THAT(again.err, HasSubstr("again.netperf: what the bundle has is stored already, as runs "));
  }
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM jobs"), 2);
  EXPECT_THAT(lab().ctl({"runs"}).out, HasSubstr("from a bundle"));
  const auto after = pages();
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(without_origin(after[i]), without_origin(before[i])) << i;
  for (const std::vector<std::string>& page :
       {std::vector<std::string>{"show", "1"}, {"show", "job:1"}, {"compare", "label:before", "label:after"}})
    EXPECT_THAT(lab().ctl(page).out, AllOf(HasSubstr("measured elsewhere"), HasSubstr("not forgery")));
}

// 200 files with damage from a fixed seed. Damage of padding, which no entry has, may go unnoticed: then the
// runs are what they were.
TEST_F(BundleOfJob, that_is_damaged_changes_nothing) {
  ASSERT_EQ(exported("job:1", "whole.netperf").code, 0);
  const std::string whole = read_text(path("whole.netperf"));
  const auto runs = [] { return lab().database().number("SELECT count(*) FROM runs"); };
  const auto stored = runs();
  std::mt19937 random{20'261'125};
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    if (i % 4 == 3) {
      damaged.resize(random() % damaged.size());
    } else {
      // Behind the head of the frame: what compression makes of it is not whole.
      damaged[32 + random() % (damaged.size() - 32)] ^= static_cast<char>(1U + random() % 255);
    }
    const Outcome outcome = imported_by_root({lab().directory().write("damaged.netperf", damaged)});
    if (outcome.code == 0) {
      const auto newest =
          lab().database().number("SELECT min(id) FROM runs WHERE job = (SELECT max(id) FROM jobs)");
      EXPECT_EQ(figures_of(newest), figures_of(1)) << i;
      delete_newest_job();
    } else {
      EXPECT_THAT(outcome.err, HasSubstr("damaged.netperf: ")) << i;
    }
    ASSERT_EQ(runs(), stored) << i;
  }
}

TEST_F(BundleOfJob, that_is_redacted_says_so_and_has_no_label) {
  ASSERT_EQ(exported("job:1", "redacted.netperf", {"--redact"}).code, 0);
  const Outcome imported = imported_by_root({path("redacted.netperf"), "-o", "json"});
  ASSERT_EQ(imported.code, 0) << imported.err;
  const auto run = json::parse(imported.out).at("runs").at(0).at("run").dump();
  EXPECT_THAT(lab().ctl({"show", run}).out,
              AllOf(HasSubstr("redacted"), HasSubstr("label-1"), Not(HasSubstr("before"))));
  ASSERT_EQ(exported("job:1", "whole.netperf").code, 0);
  EXPECT_THAT(imported_by_root({path("whole.netperf")}).err, HasSubstr("is stored already, as runs " + run));
  delete_newest_job();
  EXPECT_EQ(imported_by_root({path("whole.netperf")}).code, 0);
  delete_newest_job();
}

TEST_F(BundleOfJob, that_is_signed_is_imported_only_as_it_was_signed) {
  const auto as_member = [](std::vector<std::string> argv) {
    return run({.argv = std::move(argv),
                .environment = {},
                .user = lab().users().member,
                .netns = {},
                .stderr_file = {}});
  };
  // Another job's: two bundles of one job that were made in one second are the same.
  ASSERT_EQ(exported("job:2", "unsigned.netperf").code, 0);
  for (const char* key : {"key", "other"}) {
    const Outcome made = as_member({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path(key)});
    ASSERT_EQ(made.code, 0) << made.err;
  }
  const std::string trusted =
      lab().directory().write("trusted", "alice@example.net " + read_text(path("key.pub")));
  const std::string strangers =
      lab().directory().write("strangers", "bob@example.net " + read_text(path("other.pub")));
  const Outcome signed_it = exported("job:1", "signed.netperf", {"--sign", path("key")});
  ASSERT_EQ(signed_it.code, 0) << signed_it.err;
  const Outcome imported = imported_by_root({path("signed.netperf"), "--verify", trusted});
  EXPECT_EQ(imported.code, 0) << imported.err;
  EXPECT_THAT(imported.err, HasSubstr("signed by alice@example.net"));

  const auto stored = lab().database().number("SELECT count(*) FROM runs");
  EXPECT_EQ(lab().ctl({"import", path("signed.netperf"), "--verify", strangers}).code, kOther);
  EXPECT_EQ(lab().ctl({"import", path("unsigned.netperf"), "--verify", trusted}).code, kOther);
  // The signature of one bundle on another one.
  std::filesystem::copy_file(path("signed.netperf.sig"), path("unsigned.netperf.sig"));
  EXPECT_EQ(lab().ctl({"import", path("unsigned.netperf"), "--verify", trusted}).code, kOther);
  EXPECT_EQ(lab().database().number("SELECT count(*) FROM runs"), stored);
}

TEST_F(BundleOfJob, of_another_user_needs_more_rights) {
  EXPECT_EQ(
      lab()
          .ctl({"export", "job:1", "--format", "bundle", "-O", path("other.netperf")}, lab().users().outsider)
          .code,
      kDenied);
  EXPECT_EQ(exported("job:1", "recordings.netperf", {"--recordings"}).code, kDenied);
  EXPECT_EQ(exported("job:99", "none.netperf").code, kNotFound);
}

}  // namespace
}  // namespace netperfd::system_test
