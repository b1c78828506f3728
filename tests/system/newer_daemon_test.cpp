// SPDX-License-Identifier: GPL-2.0-or-later
// The client with a daemon of a later release: a fake one, whose rows have keys, words and codes that nobody
// knows yet. Or with one whose lists never end.
#include <poll.h>
#include <sys/eventfd.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "dbus/names.hpp"
#include "tests/system/harness/exit_codes.hpp"
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

// Answers ListRuns, GetRun, ListIntervals, ListIntervalPoints and, without rows, other lists, on a thread of
// its own; all else is unknown to it.
class LaterDaemon {
 public:
  explicit LaterDaemon(const std::string& address, std::string direction, Lists lists = Lists::end,
                       Age age = Age::later)
      : direction_(std::move(direction)), lists_(lists), age_(age) {
    sd_bus* bus = nullptr;
    check(sd_bus_new(&bus), "sd_bus_new");
    bus_.reset(bus);
    check(sd_bus_set_address(bus, address.c_str()), "sd_bus_set_address");
    check(sd_bus_set_bus_client(bus, 1), "sd_bus_set_bus_client");
    check(sd_bus_start(bus), "sd_bus_start");
    check(sd_bus_add_object(bus, nullptr, dbus::kManagerPath, on_call, this), "sd_bus_add_object");
    check(sd_bus_request_name(bus, dbus::kService, 0), "sd_bus_request_name");
    stop_.reset(::eventfd(0, EFD_CLOEXEC));
    thread_ = std::jthread([this] { serve(); });
  }
  LaterDaemon(const LaterDaemon&) = delete;
  LaterDaemon& operator=(const LaterDaemon&) = delete;
  ~LaterDaemon() {
    const std::uint64_t one = 1;
    (void)!::write(stop_.get(), &one, sizeof one);
    thread_.join();
  }

  // How often a method was called.
  [[nodiscard]] std::ptrdiff_t calls_of(std::string_view member) const {
    const std::scoped_lock lock{mutex_};
    return std::ranges::count(called_, member);
  }

 private:
  struct Unref {
    void operator()(sd_bus* bus) const { sd_bus_flush_close_unref(bus); }
    void operator()(sd_bus_message* message) const { sd_bus_message_unref(message); }
  };
  using Message = std::unique_ptr<sd_bus_message, Unref>;

  static void check(int result, const char* what) {
    if (result < 0) throw std::runtime_error(std::string(what) + ": errno " + std::to_string(-result));
  }

  void serve() {
    for (;;) {
      const int more = sd_bus_process(bus_.get(), nullptr);
      if (more < 0) return;
      if (more > 0) continue;
      std::array<pollfd, 2> watched{
          {{sd_bus_get_fd(bus_.get()), static_cast<short>(sd_bus_get_events(bus_.get())), 0},
           {stop_.get(), POLLIN, 0}}};
      if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
      if (watched[1].revents != 0) return;
    }
  }

  static int on_call(sd_bus_message* call, void* self, sd_bus_error*) {
    auto& daemon = *static_cast<LaterDaemon*>(self);
    const std::string_view member = sd_bus_message_get_member(call);
    {
      const std::scoped_lock lock{daemon.mutex_};
      daemon.called_.emplace_back(member);
    }
    sd_bus_message* made = nullptr;
    check(sd_bus_message_new_method_return(call, &made), "reply");
    const Message reply{made};
    if (member == "ListRuns") {
      daemon.page(made, [&] { daemon.run(made); });
    } else if (member == "ListJobs" || member == "ListAuditLog") {
      daemon.page(made, [] {});
    } else if (member == "GetRun") {
      daemon.run(made);
      rows(made, [&] { daemon.sum(made); });
      rows(made, [&] { flag(made); });
    } else if (member == "ListIntervals") {
      daemon.page(made, [&] { daemon.interval(made); });
    } else if (member == "ListIntervalPoints") {
      if (daemon.age_ == Age::before_points)
        return sd_bus_reply_method_errorf(call, SD_BUS_ERROR_UNKNOWN_METHOD, "Unknown method");
      rows(made, [&] { daemon.point(made); });
      check(sd_bus_message_append(made, "t", std::uint64_t{86'400}), "intervals");
    } else {
      return sd_bus_reply_method_errorf(call, dbus::error::kNotFound, "no %s here",
                                        sd_bus_message_get_member(call));
    }
    return sd_bus_send(nullptr, made, nullptr);
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
  mutable std::mutex mutex_;
  std::vector<std::string> called_;
  std::unique_ptr<sd_bus, Unref> bus_;
  Fd stop_;
  std::jthread thread_;
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
    words.insert(words.begin(), {"/usr/bin/timeout", "60", NETPERFCTL_PROGRAM});
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
