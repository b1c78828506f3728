// SPDX-License-Identifier: GPL-2.0-or-later
// A bus without netperfd's policy, where everybody may send everything: descriptors with messages of any kind
// neither end the daemon nor stay in it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <regex>

#include "tests/system/harness/job_watch.hpp"
#include "tests/system/harness/raw_client.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

using dbus::MessageType;
using testing::HasSubstr;

// More than a process has numbers for.
constexpr int kMessages = 300;
constexpr std::size_t kDescriptors = 16;  // what the bus passes with one message

class LaxBus : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({.environment = {}, .bus = PrivateBus::Rules::open}); }

  void SetUp() override {
    SystemTest::SetUp();
    daemon_ = lab().netperfd().process().pid();
    flood(to_daemon(MessageType::signal, "RunEnded"), kDescriptors);  // the first one makes what is kept
    before_ = descriptors();
  }

  [[nodiscard]] std::ptrdiff_t descriptors() const {
    return std::distance(std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", daemon_)), {});
  }

  // The daemon gets them all at once, as from somebody faster.
  // Returns who did it, still connected.
  RawClient flood(const dbus::test::Header& header, std::size_t descriptors_each) const {
    RawClient attacker{lab().bus().address(), lab().users().outsider};
    const Fd file{::memfd_create("file", MFD_CLOEXEC)};
    ::kill(daemon_, SIGSTOP);
    for (int i = 0; i < kMessages; ++i) {
      if (!attacker.can_send()) ::kill(daemon_, SIGCONT);
      attacker.send(header, std::vector<int>(descriptors_each, file.get()));
    }
    ::kill(daemon_, SIGCONT);  // the bus keeps no more for it than some hundred descriptors
    attacker.wait_for_bus();
    // It answers in the order of what it gets.
    const BusClient other = lab().connect(lab().users().member);
    EXPECT_EQ(other.manager("ListScenarios", "").error_name, "");
    return attacker;
  }

  void expect_as_before() const {
    EXPECT_TRUE(lab().is_running());
    EXPECT_EQ(lab().netperfd().process().pid(), daemon_);
    const Deadline deadline;
    while (descriptors() > before_ && !deadline.has_passed()) {
      // Each question takes a turn of its loop.
      EXPECT_EQ(lab().connect(lab().users().member).manager("ListScenarios", "").error_name, "");
    }
    EXPECT_LE(descriptors(), before_);
    EXPECT_EQ(::kill(daemon_, 0), 0);
  }

  static dbus::test::Header to_daemon(MessageType type, const char* member) {
    auto header = RawClient::header(type, dbus::kService, member);
    if (type == MessageType::call || type == MessageType::signal) header.text(1, 'o', dbus::kManagerPath);
    if (type == MessageType::signal || type == MessageType::call)
      header.text(2, 's', dbus::kManagerInterface);
    if (type == MessageType::reply || type == MessageType::error) header.count(5, 12'345);
    if (type == MessageType::error) header.text(4, 's', "org.netperfd1.Error.Busy");
    return header;
  }

 private:
  pid_t daemon_ = -1;
  std::ptrdiff_t before_ = 0;
};

TEST_F(LaxBus, signals_with_descriptors_change_nothing_and_the_log_names_their_sender) {
  // The bus knows the uid of who is still there.
  const RawClient attacker = flood(to_daemon(MessageType::signal, "Unknown"), kDescriptors);
  expect_as_before();
  const auto is_logged = [] {
    const std::regex line(
        "uid 65534 .*sent 16 descriptors with a signal|more calls of uid 65534 were refused");
    return std::regex_search(lab().netperfd().log(), line);
  };
  const Deadline deadline;
  while (!is_logged() && !deadline.has_passed()) {
    EXPECT_EQ(lab().connect(lab().users().member).manager("ListScenarios", "").error_name, "");
  }
  EXPECT_TRUE(is_logged()) << lab().netperfd().log();
}

TEST_F(LaxBus, replies_and_errors_with_descriptors_change_nothing) {
  flood(to_daemon(MessageType::reply, ""), kDescriptors);
  flood(to_daemon(MessageType::error, ""), kDescriptors);
  expect_as_before();
}

TEST_F(LaxBus, calls_with_descriptors_change_nothing) {
  flood(to_daemon(MessageType::call, "ListScenarios"), kDescriptors);
  flood(to_daemon(MessageType::call, "NoSuchMethod"), kDescriptors);
  flood(to_daemon(MessageType::call, "ImportRun"), 2);  // without its arguments: refused at once
  auto long_path = RawClient::header(MessageType::call, dbus::kService, "ImportRun");
  long_path.text(1, 'o', "/" + std::string(20'000, 'x'));
  flood(long_path, kDescriptors);
  expect_as_before();
}

// Whom the bus names too late is told that, and others are answered.
TEST_F(LaxBus, signals_to_the_connection_that_asks_delay_imports_for_no_other_reason_than_is_told) {
  const BusClient member = lab().connect(lab().users().member);
  const Reply owner = member.call_on("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                     "GetNameOwner", "s", dbus::kAskingService);
  const char* asking = nullptr;
  ASSERT_GT(sd_bus_message_read(owner.message.get(), "s", &asking), 0) << owner.error_text;
  // Their policy is the bus's own here.
  flood(RawClient::header(MessageType::signal, asking, "Flood")
            .text(1, 'o', dbus::kManagerPath)
            .text(2, 's', dbus::kManagerInterface),
        0);
  const Fd file{::memfd_create("no document", MFD_CLOEXEC)};
  const Reply reply = member.manager("ImportRun", "ahasa{sv}", 1, file.get(), 1, "file", 0);
  if (reply.error_name == dbus::error::kBusy) {
    EXPECT_THAT(reply.error_text, HasSubstr("the bus does not say in time whose they are"));
  } else {
    EXPECT_EQ(reply.error_name, dbus::error::kInvalidArgument) << reply.error_text;
  }
  expect_as_before();
}

TEST_F(LaxBus, a_job_goes_on_during_all_that) {
  JobWatch watch{lab().bus().address()};
  const StartedJob job = lab().start("local");
  watch.wait_for_run_state(job.id, "running");
  flood(to_daemon(MessageType::signal, "RunEnded"), kDescriptors);
  flood(to_daemon(MessageType::call, "ImportRun"), 2);
  EXPECT_EQ(watch.wait_for_end(job.id), "finished");
}

}  // namespace
}  // namespace netperfd::system_test
