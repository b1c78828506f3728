// SPDX-License-Identifier: GPL-2.0-or-later
// The client with a daemon of a later release: a fake one, whose rows have keys, words and codes that nobody
// knows yet. Or with one whose lists never end.
#include <systemd/sd-bus.h>

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

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// How the pages of its lists go on.
enum class Lists { end, empty_pages_for_ever, one_page_for_ever };

enum class Age { later, before_points };  // what it has: ListIntervalPoints, or not

// Answers ListRuns, GetRun, ListIntervals, ListIntervalPoints and, without rows, other lists; all else is
// unknown to it.
class LaterDaemon {
 public:
  explicit LaterDaemon(const std::string& address, std::string direction, Lists lists = Lists::end,
                       Age age = Age::later)
      : direction_(std::move(direction)),
        lists_(lists),
        age_(age),
        daemon_(address, [this](std::string_view member, sd_bus_message*, sd_bus_message* reply) {
          return answer(member, reply);
        }) {}

  [[nodiscard]] std::ptrdiff_t calls_of(std::string_view member) const { return daemon_.calls_of(member); }

 private:
  static void check(int result, const char* what) { FakeDaemon::check(result, what); }

  const char* answer(std::string_view member, sd_bus_message* reply) const {
    if (member == "ListRuns") {
      page(reply, [&] { run(reply); });
    } else if (member == "ListJobs" || member == "ListAuditLog") {
      page(reply, [] {});
    } else if (member == "GetRun") {
      run(reply);
      rows(reply, [&] { sum(reply); });
      rows(reply, [&] { flag(reply); });
    } else if (member == "ListIntervals") {
      page(reply, [&] { interval(reply); });
    } else if (member == "ListIntervalPoints") {
      if (age_ == Age::before_points) return SD_BUS_ERROR_UNKNOWN_METHOD;
      rows(reply, [&] { point(reply); });
      check(sd_bus_message_append(reply, "t", std::uint64_t{86'400}), "intervals");
    } else {
      return dbus::error::kNotFound;
    }
    return nullptr;
  }

  template <class Add>
  static void rows(sd_bus_message* reply, Add add) {
    check(sd_bus_message_open_container(reply, 'a', "a{sv}"), "rows");
    add();
    check(sd_bus_message_close_container(reply), "rows");
  }
  template <class Add>
  void page(sd_bus_message* reply, Add add) const {
    rows(reply, [&] {
      if (lists_ != Lists::empty_pages_for_ever) add();
    });
    check(sd_bus_message_append(reply, "s", lists_ == Lists::end ? "" : "again"), "next");
  }
  // What a later release may say beside the rest: a figure, a list, a row within the row.
  static void unheard_of(sd_bus_message* reply) {
    check(sd_bus_message_append(reply, "{sv}{sv}{sv}", "tachyons", "d", 9.5, "crew", "as", 2, "ada", "bob",
                                "engine", "a{sv}", 1, "warp", "u", 7U),
          "unheard of");
  }
  void run(sd_bus_message* reply) const {
    check(sd_bus_message_open_container(reply, 'a', "{sv}"), "run");
    check(sd_bus_message_append(reply, "{sv}{sv}{sv}{sv}{sv}{sv}", "run", "t", std::uint64_t{7}, "scenario",
                                "s", "veth-tcp", "state", "s", "hibernating", "purpose", "s", "curiosity",
                                "started_us", "t", std::uint64_t{1'750'000'000'000'000}, "workload", "s",
                                "quicperf"),
          "run");
    check(sd_bus_message_append(reply, "{sv}{sv}{sv}", "job", "t", std::uint64_t{3},
                                "received_bits_per_second", "d", 2.5e9, "protocol", "s", "quic"),
          "run");
    unheard_of(reply);
    check(sd_bus_message_close_container(reply), "run");
  }
  void sum(sd_bus_message* reply) const {
    check(sd_bus_message_open_container(reply, 'a', "{sv}"), "sum");
    check(sd_bus_message_append(reply, "{sv}{sv}", "direction", "s", direction_.c_str(),
                                "received_bits_per_second", "d", 2.5e9),
          "sum");
    unheard_of(reply);
    check(sd_bus_message_close_container(reply), "sum");
  }
  static void flag(sd_bus_message* reply) {
    check(sd_bus_message_open_container(reply, 'a', "{sv}"), "flag");
    check(sd_bus_message_append(reply, "{sv}{sv}", "code", "s", "time-travelled", "message", "s",
                                "it ended before it began"),
          "flag");
    unheard_of(reply);
    check(sd_bus_message_close_container(reply), "flag");
  }
  void interval(sd_bus_message* reply) const {
    check(sd_bus_message_open_container(reply, 'a', "{sv}"), "interval");
    check(sd_bus_message_append(reply, "{sv}{sv}{sv}{sv}{sv}{sv}{sv}", "direction", "s", direction_.c_str(),
                                "sender", "b", 1, "omitted", "b", 0, "start_s", "d", 0.0, "end_s", "d", 1.0,
                                "seconds", "d", 1.0, "bits_per_second", "d", 2.5e9),
          "interval");
    unheard_of(reply);
    check(sd_bus_message_close_container(reply), "interval");
  }

  void point(sd_bus_message* reply) const {
    check(sd_bus_message_open_container(reply, 'a', "{sv}"), "point");
    check(sd_bus_message_append(reply, "{sv}{sv}{sv}{sv}{sv}{sv}{sv}{sv}", "direction", "s",
                                direction_.c_str(), "sender", "b", 1, "omitted", "b", 0, "start_s", "d", 0.0,
                                "end_s", "d", 100.0, "seconds", "d", 100.0, "longest_s", "d", 1.0,
                                "intervals", "t", std::uint64_t{100}),
          "point");
    unheard_of(reply);
    check(sd_bus_message_close_container(reply), "point");
  }

  std::string direction_;
  Lists lists_;
  Age age_;
  FakeDaemon daemon_;  // last: it answers from the others
};

class NewerDaemon : public testing::Test {
 protected:
  [[nodiscard]] Outcome ctl(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), NETPERFCTL_PROGRAM);
    return system_test::run({.argv = std::move(arguments),
                             .environment = {bus_.environment(), "LC_ALL=C.UTF-8"},
                             .user = {},
                             .netns = {},
                             .stderr_file = {}});
  }

  ScratchDir directory_;
  PrivateBus bus_{directory_};
};

TEST_F(NewerDaemon, has_keys_that_the_client_ignores_and_words_that_it_shows_as_they_are) {
  const LaterDaemon daemon{bus_.address(), "send"};
  const Outcome runs = ctl({"runs"});
  EXPECT_EQ(runs.code, 0) << runs.err;
  EXPECT_THAT(runs.out, AllOf(HasSubstr("veth-tcp"), HasSubstr("hibernating"), Not(HasSubstr("tachyons"))));
  const Outcome shown = ctl({"show", "7"});
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_THAT(shown.out,
              AllOf(HasSubstr("hibernating"), HasSubstr("2.50 Gbit/s"), HasSubstr("it ended before it began"),
                    Not(HasSubstr("tachyons")), HasSubstr("workload   quicperf"), Not(HasSubstr("iperf3"))));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"runs", "-o", "json"}, {"show", "7", "-o", "json"}}) {
    const Outcome answer = ctl(words);
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_TRUE(nlohmann::json::accept(answer.out)) << answer.out;
    EXPECT_THAT(answer.out, AllOf(HasSubstr("hibernating"), Not(HasSubstr("tachyons"))))
        << "the keys of the schema and no others";
  }
  EXPECT_THAT(ctl({"runs", "-o", "csv"}).out, HasSubstr("hibernating"));
}

// However many intervals a run has, its page needs the points of its pictures only.
TEST_F(NewerDaemon, is_asked_for_intervals_only_where_each_is_listed) {
  const LaterDaemon daemon{bus_.address(), "send"};
  const Outcome page = ctl({"show", "7"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("netperfctl show 7 --intervals")) << "it has some, as the daemon says";
  EXPECT_EQ(daemon.calls_of("ListIntervalPoints"), 1);
  EXPECT_EQ(ctl({"show", "7", "-o", "json"}).code, 0);
  EXPECT_EQ(ctl({"show", "7", "--streams", "-o", "csv"}).code, kNotFound) << "this daemon has no streams";
  EXPECT_EQ(daemon.calls_of("ListIntervalPoints"), 1) << "for pages only";
  EXPECT_EQ(daemon.calls_of("ListIntervals"), 0);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"show", "7", "--intervals"}, {"show", "7", "-o", "csv"}}) {
    const std::ptrdiff_t before = daemon.calls_of("ListIntervals");
    EXPECT_EQ(ctl(words).code, 0);
    EXPECT_EQ(daemon.calls_of("ListIntervals"), before + 1) << words.back();
  }
}

TEST_F(NewerDaemon, or_one_of_before_gives_intervals_for_points) {
  const LaterDaemon daemon{bus_.address(), "send", Lists::end, Age::before_points};
  const Outcome page = ctl({"show", "7"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_THAT(page.out, HasSubstr("netperfctl show 7 --intervals"));
  EXPECT_EQ(daemon.calls_of("ListIntervals"), 1);
}

// A direction decides which figure is whose, so a page without it would be wrong.
TEST_F(NewerDaemon, has_a_direction_that_the_client_says_it_does_not_know) {
  const LaterDaemon daemon{bus_.address(), "sideways"};
  const Outcome shown = ctl({"show", "7"});
  EXPECT_EQ(shown.code, kOther) << shown.out;
  EXPECT_THAT(shown.err, HasSubstr("the unknown word `sideways`"));
  EXPECT_EQ(ctl({"runs"}).code, 0) << "nothing there depends on it";
}

TEST_F(NewerDaemon, knows_what_this_client_may_ask_of_it_or_says_that_it_does_not) {
  const LaterDaemon daemon{bus_.address(), "send"};
  for (const char* verb : {"scenarios", "jobs", "doctor", "events"}) {
    const Outcome outcome = ctl({verb});
    EXPECT_LT(outcome.code, 128) << verb << ": " << outcome.err;
  }
}

// A client that follows such a list for ever is ended here, with a code of its own.
TEST_F(NewerDaemon, whose_lists_never_end_does_not_keep_the_client) {
  const auto bounded = [this](std::vector<std::string> words) {
    words.insert(words.begin(),
                 {"/usr/bin/timeout", std::to_string(Deadline::kLong.count()), NETPERFCTL_PROGRAM});
    return system_test::run({.argv = std::move(words),
                             .environment = {bus_.environment(), "LC_ALL=C.UTF-8"},
                             .user = {},
                             .netns = {},
                             .stderr_file = {}});
  };
  const std::vector<std::vector<std::string>> lists{
      {"runs"}, {"runs", "--limit", "5", "-o", "json"}, {"jobs", "--all"}, {"log"}, {"log", "--all"}};
  {
    const LaterDaemon daemon{bus_.address(), "send", Lists::empty_pages_for_ever};
    for (const auto& words : lists) {
      const Outcome outcome = bounded(words);
      EXPECT_EQ(outcome.code, 0) << words.front() << ": " << outcome.err;
    }
    EXPECT_EQ(bounded({"show", "7", "--intervals"}).code, 0);
  }
  const LaterDaemon daemon{bus_.address(), "send", Lists::one_page_for_ever};
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"runs", "--all"}, {"show", "7", "--intervals"}}) {
    const Outcome outcome = bounded(words);
    EXPECT_EQ(outcome.code, kOther) << words.front() << ": " << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr("netperfd's list does not end"));
  }
}

}  // namespace
}  // namespace netperfd::system_test
