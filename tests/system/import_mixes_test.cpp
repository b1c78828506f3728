// SPDX-License-Identifier: GPL-2.0-or-later
// Good and bad files in one import: exit code, words and store agree.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dbus/names.hpp"
#include "tests/system/harness/exit_codes.hpp"
#include "tests/system/harness/fake_daemon.hpp"
#include "tests/system/harness/private_bus.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

enum class Kind { document, trace, cut_trace, garbage, missing };
constexpr Kind kKinds[] = {Kind::document, Kind::trace, Kind::cut_trace, Kind::garbage, Kind::missing};

class ImportMixes : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  static std::string content_of(Kind kind) {
    switch (kind) {
      case Kind::document:
        return read_text(NETPERFD_TEST_DATA "/iperf3/3.12/tcp-send.out");
      case Kind::trace:
        return read_text(NETPERFD_TEST_DATA "/trace-functions/6.12/module/trace.txt");
      case Kind::cut_trace:
        return read_text(NETPERFD_TEST_DATA "/trace-dat/v7-zstd.dat").substr(0, 100);
      case Kind::garbage:
      case Kind::missing:
        break;
    }
    return "nothing that anybody knows\n";
  }

  // Files of these kinds, each with a name of its own.
  static std::vector<std::string> files_of(const std::vector<Kind>& kinds) {
    static int mix = 0;
    ++mix;
    std::vector<std::string> files;
    for (const Kind kind : kinds) {
      const std::string name = fmt::format("mix-{}-{}-{}", mix, files.size(), static_cast<int>(kind));
      files.push_back(kind == Kind::missing ? lab().directory().path(name)
                                            : lab().directory().write(name, content_of(kind)));
    }
    return files;
  }

  // Whether a file of this kind is stored, among files that are all of these kinds.
  static bool is_stored(Kind kind, const std::vector<Kind>& kinds) {
    const bool good = kind == Kind::document || kind == Kind::trace;
    if (kinds.size() != 2 || std::ranges::count(kinds, Kind::document) != 1) return good;
    return good && std::ranges::count(kinds, Kind::cut_trace) == 0;  // both or neither
  }

  static std::int64_t stored_runs() { return lab().database().number("SELECT count(*) FROM runs"); }

  static void expect_agreement(const std::vector<Kind>& kinds) {
    const std::vector<std::string> files = files_of(kinds);
    std::vector<std::string> words{"import", "-o", "json"};
    words.insert(words.end(), files.begin(), files.end());
    const std::int64_t before = stored_runs();
    const Outcome outcome = lab().ctl(words);
    SCOPED_TRACE(fmt::format("exit code {} of {}: {}{}", outcome.code, fmt::join(words, " "), outcome.out,
                             outcome.err));
    const json runs = json::parse(outcome.out).at("runs");
    std::vector<std::string> on_stdout;
    for (const json& run : runs)
      for (const json& file : run.at("files")) on_stdout.push_back(file);
    EXPECT_EQ(stored_runs() - before, static_cast<std::int64_t>(runs.size()));
    std::size_t stored = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool listed = std::ranges::count(on_stdout, files[i]) > 0;
      const bool named = outcome.err.find(files[i]) != std::string::npos;
      EXPECT_EQ(listed, is_stored(kinds[i], kinds)) << files[i];
      EXPECT_NE(listed, named) << files[i] << " is on one of stdout and stderr";
      stored += listed ? 1 : 0;
    }
    EXPECT_EQ(outcome.code, stored == files.size() ? 0 : stored == 0 ? kUsage : kOther);
  }
};

TEST_F(ImportMixes, agree_with_exit_code_words_and_store) {
  for (const Kind first : kKinds) {
    expect_agreement({first});
    for (const Kind second : kKinds) {
      expect_agreement({first, second});
      if (second <= first) continue;
      for (const Kind third : kKinds)
        if (third > second) expect_agreement({first, second, third});
    }
  }
}

TEST_F(ImportMixes, of_a_pair_are_one_run_or_none_unless_they_are_separate) {
  const std::int64_t before = stored_runs();
  const std::vector<std::string> good = files_of({Kind::document, Kind::trace});
  EXPECT_EQ(lab().ctl({"import", good[0], good[1]}).code, 0);
  EXPECT_EQ(stored_runs(), before + 1);
  const std::vector<std::string> bad = files_of({Kind::cut_trace, Kind::document});
  const Outcome neither = lab().ctl({"import", bad[0], bad[1]});
  EXPECT_EQ(neither.code, kUsage);
  EXPECT_THAT(neither.out, IsEmpty());
  EXPECT_THAT(neither.err, AllOf(HasSubstr(bad[0] + ": "), HasSubstr("neither is stored; --separate")));
  EXPECT_EQ(stored_runs(), before + 1);
  const Outcome one = lab().ctl({"import", "--separate", bad[0], bad[1]});
  EXPECT_EQ(one.code, kOther);
  EXPECT_THAT(one.out, HasSubstr(bad[1]));
  EXPECT_THAT(one.err, AllOf(HasSubstr(bad[0] + ": "), Not(HasSubstr(bad[1]))));
  EXPECT_EQ(stored_runs(), before + 2);
}

// What the daemon says of no file may begin as the name of one: "netperfd has ..., not allowed".
TEST(ImportRefusals, name_a_file_of_any_name) {
  const ScratchDir directory;
  const PrivateBus bus{directory};  // without a daemon
  directory.write("n", "{}\n");
  const Outcome outcome = run({.argv = {"/bin/sh", "-c", "cd \"$1\" && exec \"$2\" import n", "sh",
                                        directory.path("."), NETPERFCTL_PROGRAM},
                               .environment = {bus.environment(), "LC_ALL=C.UTF-8"},
                               .user = {},
                               .netns = {},
                               .stderr_file = {}});
  EXPECT_EQ(outcome.code, kUnreachable) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("n: netperfd")) << outcome.err;
}

// A table is no part of another run.
TEST_F(ImportMixes, of_a_document_and_a_table_stand_for_themselves) {
  const std::vector<std::string> files = files_of({Kind::document});
  const std::string table = lab().directory().write("mix.csv", "figure,side,value\ncpu,a,1\ncpu,b,2\n");
  const Outcome outcome = lab().ctl({"import", "-o", "csv", files[0], table});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 4) << "a header, a run and both sides: " << outcome.out;
}

// Stores the first file, and has one error for all others.
TEST(ImportRefusals, name_each_file_whatever_the_daemon_says) {
  const ScratchDir directory;
  const PrivateBus bus{directory};
  std::vector<std::string> words{NETPERFCTL_PROGRAM, "import", "-o", "csv"};
  std::vector<std::string> files;
  for (const char* name : {"first", "second", "third"}) files.push_back(directory.write(name, "{}\n"));
  words.insert(words.end(), files.begin(), files.end());
  const std::vector<std::pair<const char*, int>> errors{{dbus::error::kInvalidArgument, kOther},
                                                        {dbus::error::kQuotaExceeded, kQuota},
                                                        {SD_BUS_ERROR_ACCESS_DENIED, kDenied},
                                                        {SD_BUS_ERROR_NO_REPLY, kUnreachable}};
  for (const auto& [error, code] : errors) {
    int imported = 0;
    const FakeDaemon daemon{
        bus.address(), [&](std::string_view member, sd_bus_message*, sd_bus_message* reply) -> const char* {
          if (member != "ImportRun") return dbus::error::kNotFound;
          if (imported++ > 0) return error;
          FakeDaemon::check(sd_bus_message_append(reply, "t", std::uint64_t{7}), "run");
          return nullptr;
        }};
    const Outcome outcome = run({.argv = words,
                                 .environment = {bus.environment(), "LC_ALL=C.UTF-8"},
                                 .user = {},
                                 .netns = {},
                                 .stderr_file = {}});
    EXPECT_EQ(outcome.code, code) << error << outcome.err;
    EXPECT_EQ(outcome.out, "run\r\n7\r\n") << error;
    EXPECT_THAT(outcome.err, AllOf(Not(HasSubstr(files[0])), HasSubstr(files[1]), HasSubstr(files[2])))
        << error;
  }
}

}  // namespace
}  // namespace netperfd::system_test
