// SPDX-License-Identifier: GPL-2.0-or-later
// Messages as large as the bus passes them on cost the daemon neither memory nor its callers their answers.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/system/harness/process_table.hpp"
#include "tests/system/harness/raw_client.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using RawBytes = std::vector<unsigned char>;

constexpr std::size_t kEntryBytes = 16;  // a key of four characters, and a byte
constexpr std::size_t kTwoMillion = 30 * 1024 * 1024 / kEntryBytes;
constexpr const char* kPropertiesInterface = "org.freedesktop.DBus.Properties";

void put(RawBytes& to, std::size_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) to.push_back(static_cast<unsigned char>(number >> shift));
}

// Arguments with the signature sa{sv}; no two keys are alike. The last entry is not padded.
RawBytes arguments(std::size_t entries) {
  constexpr std::size_t kPadding = 3;
  RawBytes made;
  put(made, 1);
  made.insert(made.end(), {'x', 0, 0, 0});
  put(made, entries * kEntryBytes - kPadding);
  put(made, 0);  // padding
  const std::size_t begin = made.size();
  made.resize(begin + entries * kEntryBytes);
  RawBytes entry{4, 0, 0, 0, 'a', 'a', 'a', 'a', 0, 1, 'y', 0, 7, 0, 0, 0};  // "aaaa" is 7
  for (std::size_t i = 0; i < entries; ++i) {
    std::memcpy(&made[begin + i * kEntryBytes], entry.data(), kEntryBytes);
    for (std::size_t letter = 4; letter < 8 && entry[letter]++ == 'z'; ++letter) entry[letter] = 'A';
  }
  made.resize(made.size() - kPadding);
  return made;
}

class LargeMessages : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  static RawClient outsider() { return {lab().bus().address(), lab().users().outsider}; }

  // The error that answers such a call.
  static std::string answer_to(RawClient& client, const char* interface, const char* method,
                               const RawBytes& body) {
    const auto begin = std::chrono::steady_clock::now();
    client.send_body(RawClient::header(dbus::MessageType::call, dbus::kService, method, body.size())
                         .text(1, 'o', dbus::kManagerPath)
                         .text(2, 's', interface)
                         .text(8, 'g', "sa{sv}"),
                     body);
    std::string answer = client.wait_for_error();
    std::cout << fmt::format("{}: answered after {} ms\n", method, since(begin));
    return answer;
  }
  static auto is_too_large(const char* method, std::size_t bytes) {
    return AllOf(HasSubstr(dbus::error::kInvalidArgument),
                 HasSubstr(fmt::format("{}: the message has {}", method, bytes / 100'000)),
                 HasSubstr("are read"));
  }

  static std::int64_t since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin)
        .count();
  }

  // By how much the daemon's memory grows at most while `attack` runs in other threads and others ping.
  template <class Attack>
  static double growth_mib(int attackers, Attack attack) {
    const pid_t daemon = lab().netperfd().process().pid();
    const BusClient other = lab().connect(lab().users().member);
    EXPECT_EQ(other.manager("ListScenarios", "").error_name, "");
    RawClient first = outsider();  // small ones, which make what is kept, also of a sanitizer
    for (int i = 0; i < 5; ++i)
      EXPECT_THAT(answer_to(first, kPropertiesInterface, "GetAll", arguments(300)), HasSubstr("are read"));
    std::ofstream{fmt::format("/proc/{}/clear_refs", daemon)} << "5";
    const double before = mib_of(daemon, "VmRSS");
    std::vector<RawClient> clients;  // made here: to become another user concerns all threads
    for (int i = 0; i < attackers; ++i) clients.push_back(outsider());
    std::vector<std::thread> threads;
    std::atomic<int> attacking = attackers;
    for (RawClient& each : clients) {
      threads.emplace_back([&] {
        attack(each);
        --attacking;
      });
    }
    std::int64_t longest = 0;
    while (attacking > 0) {
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_EQ(other.call(dbus::kManagerPath, "org.freedesktop.DBus.Peer", "Ping", "").error_name, "");
      longest = std::max(longest, since(begin));
    }
    for (std::thread& each : threads) each.join();
    EXPECT_EQ(other.manager("ListScenarios", "").error_name, "");
    const double grown = mib_of(daemon, "VmHWM") - before;
    std::cout << fmt::format(
        "{} at once: the daemon has grown by {:.1f} MiB; the longest ping beside took {} ms\n", attackers,
        grown, longest);
    EXPECT_EQ(lab().netperfd().process().pid(), daemon);
    return grown;
  }

 private:
  static double mib_of(pid_t process, const char* line) {
    double kib = 0;
    std::istringstream{status_of(process).at(line)} >> kib;
    return kib / 1024;
  }
};

constexpr double kMostGrowthMib = 64;

TEST_F(LargeMessages, of_30_MiB_are_refused_and_take_no_memory) {
  const RawBytes body = arguments(kTwoMillion);
  EXPECT_LT(growth_mib(1,
                       [&](RawClient& client) {
                         EXPECT_THAT(answer_to(client, dbus::kManagerInterface, "StartScenario", body),
                                     is_too_large("StartScenario", body.size()));
                         EXPECT_THAT(answer_to(client, kPropertiesInterface, "GetAll", body),
                                     is_too_large("GetAll", body.size()));
                       }),
            kMostGrowthMib);
  EXPECT_THAT(lab().netperfd().log(), HasSubstr(fmt::format("uid {} (:", lab().users().outsider.uid)));
  EXPECT_THAT(lab().netperfd().log(), HasSubstr("sent a call GetAll: the message has "));
}

TEST_F(LargeMessages, of_four_senders_at_once_do_not_either) {
  const RawBytes body = arguments(kTwoMillion);
  EXPECT_LT(growth_mib(4,
                       [&](RawClient& client) {
                         EXPECT_THAT(answer_to(client, dbus::kManagerInterface, "StartScenario", body),
                                     is_too_large("StartScenario", body.size()));
                       }),
            kMostGrowthMib);
}

// Each with a page of 6 MiB, of a run that the sender does not own.
TEST_F(LargeMessages, of_bundles_that_their_sender_may_not_have_take_no_memory) {
  constexpr std::size_t kPage = 6 * 1024 * 1024;
  RawBytes body;
  put(body, 1);  // the job
  put(body, 0);
  put(body, 0);  // the length of the options, below
  put(body, 0);  // padding
  put(body, 6);
  body.insert(body.end(), {'r', 'e', 'p', 'o', 'r', 't', 0, 1, 's', 0});
  body.resize((body.size() + 3) / 4 * 4);
  put(body, kPage);
  body.resize(body.size() + kPage, 'x');
  body.push_back(0);
  const std::size_t begin = 16;
  RawBytes length;
  put(length, body.size() - begin);
  std::ranges::copy(length, body.begin() + 8);
  constexpr int kSenders = 4, kCalls = 12;
  EXPECT_LT(
      growth_mib(kSenders,
                 [&](RawClient& client) {
                   for (int i = 0; i < kCalls; ++i) {
                     client.send_body(
                         RawClient::header(dbus::MessageType::call, dbus::kService, "OpenBundle", body.size())
                             .text(1, 'o', dbus::kManagerPath)
                             .text(2, 's', dbus::kManagerInterface)
                             .text(8, 'g', "ta{sv}"),
                         body);
                   }
                   for (int i = 0; i < kCalls; ++i)
                     EXPECT_THAT(client.wait_for_error(),
                                 AllOf(HasSubstr(dbus::error::kInvalidArgument),
                                       HasSubstr("at most 262144 are read of a user who is no member")));
                 }),
      kMostGrowthMib);
}

// Of 120 KiB, which StartScenario may have.
TEST_F(LargeMessages, that_consist_of_tiny_entries_are_refused_before_they_are_decoded) {
  const RawBytes body = arguments(120 * 1024 / kEntryBytes);
  RawClient client = outsider();
  EXPECT_THAT(answer_to(client, dbus::kManagerInterface, "StartScenario", body),
              AllOf(HasSubstr(dbus::error::kInvalidArgument),
                    HasSubstr("StartScenario: its lists and dictionaries have more than 256 elements")));
}

}  // namespace
}  // namespace netperfd::system_test
