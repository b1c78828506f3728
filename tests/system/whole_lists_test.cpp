// SPDX-License-Identifier: GPL-2.0-or-later
// A list for a program has every row, however many pages netperfd gives it in.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <systemd/sd-bus.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dbus/names.hpp"
#include "tests/system/harness/fake_daemon.hpp"
#include "tests/system/harness/private_bus.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kRows = 257, kPage = 100;

// A method of the manager, with the types of its arguments and results.
struct Method {
  std::vector<std::string> in, out;
  std::size_t cursor = 0;  // its place among the arguments, if `paged`
  bool paged = false;
};

Method method_of(const std::string& arguments, const std::string& results) {
  Method method;
  const auto add = [](const std::string& text, auto take) {
    std::istringstream words{text};
    for (std::string name, type; words >> name >> type;) take(name, type.substr(0, type.find(',')));
  };
  add(arguments, [&](const std::string& name, const std::string& type) {
    if (name == "cursor") method.paged = true;
    if (name == "cursor") method.cursor = method.in.size();
    method.in.push_back(type);
  });
  add(results, [&](const std::string&, const std::string& type) { method.out.push_back(type); });
  return method;
}

// All methods, by the list of the API.
std::map<std::string, Method, std::less<>> methods_of_the_api() {
  std::map<std::string, Method, std::less<>> methods;
  static const std::regex kLine{R"(method org\.netperfd1\.Manager\.(\w+)\((.*)\) -> \((.*)\))"};
  std::istringstream lines{read_text(NETPERFD_API)};
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, kLine)) methods.emplace(parts[1], method_of(parts[2], parts[3]));
  }
  return methods;
}

// Answers any method by its types: a paged list with kRows rows, kPage on a page, another list with none.
class DaemonOfLongLists {
 public:
  DaemonOfLongLists(const std::string& address, bool traced)
      : traced_(traced),
        daemon_(address, [this](std::string_view member, sd_bus_message* call, sd_bus_message* reply) {
          return answer(member, call, reply);
        }) {}

  [[nodiscard]] bool was_asked(const std::string& member) const { return daemon_.calls_of(member) > 0; }

 private:
  static void check(int result) { FakeDaemon::check(result, "message"); }

  const char* answer(std::string_view member, sd_bus_message* call, sd_bus_message* reply) const {
    if (member == "GetManagedObjects") {  // no live jobs
      check(sd_bus_message_append(reply, "a{oa{sa{sv}}}", 0));
      return nullptr;
    }
    const auto found = methods_.find(member);
    if (found == methods_.end()) return dbus::error::kNotFound;
    const Method& method = found->second;
    std::uint64_t begin = 0, end = 0;
    if (method.paged) {
      for (std::size_t i = 0; i < method.cursor; ++i) check(sd_bus_message_skip(call, method.in[i].c_str()));
      const char* cursor = nullptr;
      std::uint32_t limit = 0;
      check(sd_bus_message_read(call, "su", &cursor, &limit));
      begin = *cursor == '\0' ? 0 : std::stoull(cursor);
      end = std::min(kRows, begin + (limit == 0 ? kPage : std::min<std::uint64_t>(limit, kPage)));
    }
    for (const std::string& type : method.out) {
      if (type == "aa{sv}") {
        check(sd_bus_message_open_container(reply, 'a', "a{sv}"));
        for (std::uint64_t i = begin; i < end; ++i) row(reply, member, i + 1);
        check(sd_bus_message_close_container(reply));
        begin = end;  // of several lists, the first one is that of the pages
      } else if (type == "a{sv}") {
        row(reply, member, 1);
      } else if (type == "s") {
        check(sd_bus_message_append(reply, "s", end > 0 && end < kRows ? std::to_string(end).c_str() : ""));
      } else if (type == "t") {
        check(sd_bus_message_append(reply, "t", kRows));
      } else if (type == "as") {
        check(sd_bus_message_append(reply, "as", 0));
      } else {
        return dbus::error::kNotFound;
      }
    }
    return nullptr;
  }

  // With every key that a row of some list must have.
  void row(sd_bus_message* reply, std::string_view member, std::uint64_t number) const {
    check(sd_bus_message_open_container(reply, 'a', "{sv}"));
    for (const char* key : {"run", "job", "entry", "delta", "backlog_bytes", "backlog_packets", "sent_bytes",
                            "sent_packets", "drops", "overlimits", "requeues", "sent", "missed", "received",
                            "lost", "stored_bytes", "ended_us"})
      check(sd_bus_message_append(reply, "{sv}", key, "t", number));
    for (const char* key : {"name", "source", "device", "kind", "handle", "parent", "probe", "phase",
                            "better", "function", "caller", "callee", "event", "scenario", "label", "why"})
      check(sd_bus_message_append(reply, "{sv}", key, "s", key));
    for (const char* key : {"time_s", "start_s", "end_s", "seconds", "value", "asked"})
      check(sd_bus_message_append(reply, "{sv}", key, "d", 1.0));
    check(sd_bus_message_append(reply, "{sv}{sv}{sv}{sv}{sv}{sv}", "direction", "s", "send", "state", "s",
                                "finished", "sender", "b", 1, "omitted", "b", 0, "user", "u", 0U, "depth",
                                "u", 0U));
    // Of a sampled function it is a number of samples.
    if (member != "ListSampledFunctions")
      check(sd_bus_message_append(reply, "{sv}", "workload", "s", "iperf3"));
    if (member == "ListOldJobs") check(sd_bus_message_append(reply, "{sv}", "runs", "t", std::uint64_t{1}));
    if (member == "ListFunctionSlices")
      check(sd_bus_message_append(reply, "{sv}", "hits", "at", 1, std::uint64_t{5}));
    if (traced_ && member == "GetRun")
      check(sd_bus_message_append(reply, "{sv}", "trace_events", "t", std::uint64_t{9}));
    check(sd_bus_message_close_container(reply));
  }

  bool traced_;
  std::map<std::string, Method, std::less<>> methods_ = methods_of_the_api();
  FakeDaemon daemon_;  // last: it answers from the others
};

// A command that lists something, and the key of its rows in JSON.
struct Listing {
  std::vector<std::string> words;
  std::string key;
};

class WholeLists : public testing::Test {
 protected:
  [[nodiscard]] Outcome ctl(std::vector<std::string> arguments, const std::vector<std::string>& more) const {
    arguments.insert(arguments.begin(), NETPERFCTL_PROGRAM);
    arguments.insert(arguments.end(), more.begin(), more.end());
    return system_test::run({.argv = std::move(arguments),
                             .environment = {bus_.environment(), "LC_ALL=C.UTF-8"},
                             .user = {},
                             .netns = {},
                             .stderr_file = {}});
  }
  [[nodiscard]] std::size_t rows_of_json(const Listing& listing, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"-o", "json"});
    const Outcome outcome = ctl(listing.words, more);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out, nullptr, false);
    return document.contains(listing.key) ? document.at(listing.key).size() : 0;
  }
  // Without the header.
  [[nodiscard]] static std::size_t records_of(const Outcome& csv) {
    EXPECT_EQ(csv.code, 0) << csv.err;
    return static_cast<std::size_t>(std::ranges::count(csv.out, '\n')) - 1;
  }
  void expect_whole(const std::vector<Listing>& listings) const {
    for (const Listing& listing : listings) {
      SCOPED_TRACE(fmt::format("{}", fmt::join(listing.words, " ")));
      EXPECT_EQ(rows_of_json(listing), kRows);
      const Outcome csv = ctl(listing.words, {"-o", "csv"});
      EXPECT_EQ(records_of(csv), kRows);
      EXPECT_THAT(csv.err, IsEmpty());
    }
  }

  ScratchDir directory_;
  PrivateBus bus_{directory_};
};

// A method that gives its list in pages and that no command here asks is one whose list may lose rows.
TEST_F(WholeLists, of_every_paged_method_are_what_programs_get) {
  const std::vector<Listing> of_any_run{{{"runs"}, "runs"},
                                        {{"jobs", "--all"}, "jobs"},
                                        {{"log"}, "entries"},
                                        {{"functions"}, "functions"},
                                        {{"db", "prune", "--older-than", "1d", "--dry-run"}, "jobs"},
                                        {{"show", "job:7"}, "runs"},
                                        {{"show", "7", "--intervals"}, "intervals"},
                                        {{"show", "7", "--counters"}, "counters"},
                                        {{"show", "7", "--tcp"}, "tcp_samples"},
                                        {{"show", "7", "--queues"}, "queue_samples"},
                                        {{"show", "7", "--figures"}, "figures"},
                                        {{"show", "7", "--latency"}, "latency_intervals"}};
  const std::vector<Listing> of_a_trace{{{"show", "7", "--events"}, "trace_samples"},
                                        {{"show", "7", "--stacks"}, "trace_stacks"},
                                        {{"show", "7", "--functions"}, "functions"},
                                        {{"show", "7", "--functions", "--over-time"}, "function_slices"},
                                        {{"show", "7", "--callers"}, "call_edges"},
                                        {{"show", "7", "--tree"}, "call_tree"}};
  const std::vector<Listing> of_samples{{{"show", "7", "--samples"}, "sampled_functions"},
                                        {{"show", "7", "--stacks"}, "sampled_stacks"}};
  std::set<std::string> asked;
  for (const bool traced : {false, true}) {
    const DaemonOfLongLists daemon{bus_.address(), traced};
    expect_whole(of_any_run);
    expect_whole(traced ? of_a_trace : of_samples);
    for (const auto& [name, method] : methods_of_the_api())
      if (daemon.was_asked(name)) asked.insert(name);
  }
  std::size_t paged = 0;
  for (const auto& [name, method] : methods_of_the_api()) {
    if (!method.paged) continue;
    ++paged;
    EXPECT_TRUE(asked.contains(name)) << name << ": no command here lists it";
  }
  EXPECT_GT(paged, 10U);
}

TEST_F(WholeLists, are_cut_by_a_limit_which_says_so) {
  const DaemonOfLongLists daemon{bus_.address(), false};
  const std::vector<Listing> listings{{{"runs"}, "runs"}, {{"jobs", "--all"}, "jobs"}, {{"log"}, "entries"}};
  for (const Listing& listing : listings) {
    SCOPED_TRACE(listing.words.front());
    EXPECT_EQ(rows_of_json(listing, {"--limit", "120"}), 120U);
    for (const char* format : {"json", "csv"}) {
      const Outcome cut = ctl(listing.words, {"--limit", "120", "-o", format});
      EXPECT_THAT(cut.err, HasSubstr("these are the newest 120, and there are more")) << format;
      EXPECT_THAT(ctl(listing.words, {"--limit", "257", "-o", format}).err, IsEmpty()) << format;
    }
    EXPECT_EQ(records_of(ctl(listing.words, {"--limit", "120", "-o", "csv"})), 120U);
    const Outcome page = ctl(listing.words, {});
    EXPECT_THAT(page.out, HasSubstr("The newest 20;")) << "a screen of them for people";
    EXPECT_THAT(page.err, IsEmpty());
  }
}

}  // namespace
}  // namespace netperfd::system_test
