// SPDX-License-Identifier: GPL-2.0-or-later
// Messages that are too large, or that have too many entries, are refused before they are decoded.
#include "daemon/bus/access/message_limits.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <array>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/bus/options/options.hpp"
#include "tests/support/forgery.hpp"
#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Close {
  void operator()(sd_bus* bus) const { sd_bus_close_unref(bus); }
};

class FewEntries : public testing::Test {
 protected:
  void SetUp() override {
    std::array<int, 2> ends{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    far_.reset(ends[1]);
    sd_bus* made = nullptr;
    ASSERT_GE(sd_bus_new(&made), 0);
    bus_.reset(made);
    ASSERT_GE(sd_bus_set_fd(made, ends[0], ends[0]), 0);
    ASSERT_GE(sd_bus_start(made), 0);
    sd_bus_message* message = nullptr;
    ASSERT_GE(sd_bus_message_new_signal(made, &message, "/", "a.B", "C"), 0);
    message_.reset(message);
  }
  [[nodiscard]] sd_bus_message* message() const { return message_.get(); }
  template <class... Values>
  void append(const char* types, Values... values) const {
    ASSERT_GE(sd_bus_message_append(message(), types, values...), 0);
  }
  [[nodiscard]] std::string refusal(std::size_t most) const {
    sd_bus_message_seal(message(), 1, 0);  // fails if it was sealed before
    const Status few = expect_few_entries(message(), most);
    return few ? "" : few.error().message;
  }
  void expect_has(std::size_t entries) const {
    EXPECT_EQ(refusal(entries), "");
    if (entries > 0) {
      EXPECT_THAT(refusal(entries - 1), HasSubstr("have more than"));
    }
  }

 private:
  Fd far_;
  std::unique_ptr<sd_bus, Close> bus_;
  forgery::Message message_;
};

TEST_F(FewEntries, are_in_a_message_without_lists) {
  append("sut(sv)", "a", 1, std::uint64_t{2}, "b", "s", "c");
  expect_has(0);
}

TEST_F(FewEntries, are_counted_at_all_depths) {
  append("sa{sv}", "x", 2, "a", "as", 3, "1", "2", "3", "b", "s", "c");  // 2 + 3
  append("at", 2, std::uint64_t{1}, std::uint64_t{2});
  append("aay", 2, 2, 1, 2, 1, 3);        // 2 + 3
  append("a(sas)", 1, "x", 2, "y", "z");  // 1 + 2
  append("a{sv}", 0);
  expect_has(5 + 2 + 5 + 3);
}

TEST_F(FewEntries, leave_the_message_at_its_beginning) {
  append("asu", 2, "a", "b", 7);
  for (const std::size_t most : {1U, 2U}) {
    (void)refusal(most);
    const char *first = nullptr, *second = nullptr;
    unsigned number = 0;
    EXPECT_GT(sd_bus_message_read(message(), "asu", 2, &first, &second, &number), 0) << most;
    EXPECT_EQ(number, 7U);
    sd_bus_message_rewind(message(), 1);
  }
}

TEST_F(FewEntries, are_not_nested_without_end) {
  for (int depth = 0; depth < 20; ++depth)
    ASSERT_GE(sd_bus_message_open_container(message(), 'v', depth < 19 ? "v" : "s"), 0);
  append("s", "x");
  for (int depth = 0; depth < 20; ++depth) ASSERT_GE(sd_bus_message_close_container(message()), 0);
  EXPECT_EQ(refusal(1000), "its arguments are nested too deeply");
}

// What the XML says is not what the table is made of.
TEST(MessageLimits, leave_room_for_what_the_methods_take) {
  std::ifstream file{NETPERFD_TEST_DATA "/../../dbus/org.netperfd1.Manager.xml"};
  const std::string xml{std::istreambuf_iterator<char>{file}, {}};
  const std::regex method(R"re(<method name="(\w+)"(?:/>|>([\s\S]*?)</method>))re");
  const std::regex dictionary(R"re(type="a\{sv\}" direction="in")re");
  int dictionaries = 0, others = 0;
  for (std::sregex_iterator each{xml.begin(), xml.end(), method}; each != std::sregex_iterator{}; ++each) {
    const std::string name = (*each)[1], arguments = (*each)[2];
    const bool has_dictionary = std::regex_search(arguments, dictionary);
    const std::size_t bytes = most_message_bytes(dbus::kManagerInterface, name);
    EXPECT_GE(bytes, has_dictionary ? 16'384U : 4096U) << name;
    EXPECT_EQ(most_message_bytes("", name), bytes) << name;
    EXPECT_LE(most_message_bytes("org.freedesktop.DBus.Properties", name), 4096U) << name;
    ++(has_dictionary ? dictionaries : others);
  }
  EXPECT_GT(dictionaries, 10);
  EXPECT_GT(others, 40);
  EXPECT_GT(most_message_bytes(dbus::kManagerInterface, "OpenBundle"), kReportLimit);
  EXPECT_GT(most_entries(dbus::kManagerInterface, "CompareSamples"), 2'000U);
  EXPECT_GT(most_message_bytes(dbus::kManagerInterface, "CompareSamples"), 2'000U * 8);
}

class Large : public ClientTest {
 protected:
  [[nodiscard]] bool is_told() {
    return run_until(*loop, [this] { return !refused().empty(); });
  }
  template <class... Arguments>
  void expect_refused(const char* interface, const char* method, const std::string& text,
                      const Arguments&... arguments) {
    const auto answered = client->call_on<>(dbus::kManagerPath, interface, method, arguments...);
    EXPECT_EQ(answered.error, dbus::error::kInvalidArgument) << method;
    EXPECT_THAT(answered.text, AllOf(testing::StartsWith(std::string{method} + ": "), HasSubstr(text)));
    EXPECT_EQ(client->call<dbus::Rows>("ListScenarios").error, "") << "the next call is read";
  }
  static std::string service_name() { return forgery::Stranger{}.owner_of(dbus::kService); }
};

TEST_F(Large, calls_are_answered_and_told_of) {
  const std::string text(900'000, 'x');
  expect_refused(dbus::kManagerInterface, "StartJob", " bytes; at most 262144 are read", text,
                 std::string{"o"}, dbus::Row{});
  ASSERT_TRUE(is_told());
  EXPECT_THAT(refused().front(),
              testing::MatchesRegex("uid [0-9]+ \\(:1\\.[0-9]+\\) sent a call StartJob: the message "
                                    "has 900[0-9]+ bytes; at most 262144 are read"));
  EXPECT_TRUE(scenarios.last_text.empty());
  expect_refused("org.freedesktop.DBus.Properties", "Get", "at most 4096", text, std::string{"Version"});
  expect_refused("org.freedesktop.DBus.Peer", "Ping", "at most 4096", text);
  expect_refused(dbus::kManagerInterface, "NoSuchMethod", "at most 4096", text);
  expect_refused(dbus::kManagerInterface, "Subscribe", "at most 4096", text);  // which takes no arguments
}

TEST_F(Large, numbers_of_entries_are_refused) {
  const dbus::Row many{{"overrides", sdbus::Variant{std::vector<std::string>(300, "x")}}};
  expect_refused(dbus::kManagerInterface, "StartScenario", "have more than 256 elements", std::string{"fake"},
                 many);
  ASSERT_TRUE(is_told());
  EXPECT_THAT(refused().front(),
              HasSubstr("sent a call StartScenario: its lists and dictionaries have more than"));
  dbus::Row filter;
  for (int i = 0; i < 65; ++i) filter.emplace(std::to_string(i), sdbus::Variant{true});
  expect_refused(dbus::kManagerInterface, "ListRuns", "have more than 64 elements", filter, std::string{},
                 0U);
}

// With more than that, the handlers say what is too long.
TEST_F(Large, arguments_that_the_handlers_take_are_read) {
  const dbus::Row options{{"overrides", sdbus::Variant{std::vector<std::string>(64, std::string(1024, 'x'))}},
                          {"label", sdbus::Variant{std::string(256, 'l')}}};
  const auto start = [&](std::size_t text) {
    return client->call<sdbus::ObjectPath>("StartJob", std::string(text, ' '), std::string(4096, 'o'),
                                           options);
  };
  EXPECT_EQ(start(65'536).error, "");
  EXPECT_THAT(start(65'537).text, HasSubstr("65537 bytes long; at most 65536"));
}

TEST_F(Large, calls_that_want_no_answer_get_none) {
  const forgery::Stranger stranger;
  sd_bus_message* made = nullptr;
  ASSERT_GE(sd_bus_message_new_method_call(stranger.bus(), &made, dbus::kService, dbus::kManagerPath,
                                           dbus::kManagerInterface, "Subscribe"),
            0);
  const forgery::Message call{made};
  ASSERT_GE(sd_bus_message_append(made, "s", std::string(100'000, 'x').c_str()), 0);
  ASSERT_GE(sd_bus_message_set_expect_reply(made, 0), 0);
  ASSERT_GE(sd_bus_send(stranger.bus(), made, nullptr), 0);
  forgery::settle(stranger.bus());
  ASSERT_TRUE(is_told());
  int answers = 0;
  const auto count = [](sd_bus_message* message, void* to, sd_bus_error*) {
    if (sd_bus_message_is_signal(message, nullptr, nullptr) == 0) ++*static_cast<int*>(to);
    return 0;
  };
  ASSERT_GE(sd_bus_add_filter(stranger.bus(), nullptr, count, &answers), 0);
  EXPECT_EQ(client->call<dbus::Rows>("ListScenarios").error, "");
  forgery::settle(stranger.bus());
  while (sd_bus_process(stranger.bus(), nullptr) > 0) {
  }
  EXPECT_EQ(answers, 0);
}

class LargeOnALaxBus : public Large {
 protected:
  PrivateBus::Rules rules() override { return PrivateBus::Rules::lax; }
};

TEST_F(LargeOnALaxBus, signals_are_ignored_and_told_of) {
  const forgery::Stranger stranger;
  forgery::send_signal(stranger.bus(), service_name(), "/x", "a.B", "Word", "s",
                       std::string(300'000, 'x').c_str());
  forgery::settle(stranger.bus());
  ASSERT_TRUE(is_told());
  EXPECT_THAT(refused().front(), HasSubstr("sent a signal Word: the message has 300"));
  EXPECT_EQ(client->call<dbus::Rows>("ListScenarios").error, "");
}

}  // namespace
}  // namespace netperfd::bus
