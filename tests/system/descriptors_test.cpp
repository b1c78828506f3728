// SPDX-License-Identifier: GPL-2.0-or-later
// Attacks with descriptors whose close blocks, passed over the bus: the daemon answers others meanwhile.
// Files on FUSE are a matter of the unit tests: whoever passes one, and the bus, has to close it too, and
// blocks itself.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <memory>
#include <set>
#include <stdexcept>

#include "daemon/base/fd.hpp"
#include "dbus/shed_descriptors.hpp"
#include "tests/system/harness/raw_client.hpp"
#include "tests/system/harness/system_test.hpp"
#include "tests/unit/dbus/lingering.hpp"
#include "tests/unit/dbus/locked_pipe.hpp"

namespace netperfd::system_test {
namespace {

using test::Lingering;
using test::make_lingering;

// Less than a close takes, so nothing has waited for one.
constexpr std::chrono::seconds kSoon = Deadline::kLong;
static_assert(kSoon < std::chrono::seconds{test::kLingerSeconds});

void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(fmt::format("{}: errno {}", what, errno));
}

class Descriptors : public SystemTest {
 protected:
  static void SetUpTestSuite() { set_up({}); }

  // The name of the error that answers ImportRun with this descriptor on the object at `path`. The daemon
  // gets the last reference to it.
  static std::string pass(const BusClient& client, Fd descriptor, const char* path = dbus::kManagerPath) {
    const pid_t daemon = lab().netperfd().process().pid();
    must(::kill(daemon, SIGSTOP) == 0, "stop the daemon");
    sd_bus_message* call = nullptr;
    sd_bus_message_new_method_call(client.raw(), &call, dbus::kService, path, dbus::kManagerInterface,
                                   "ImportRun");
    const int built = sd_bus_message_append(call, "ahasa{sv}", 1, descriptor.get(), 1, "file", 0);
    must(built >= 0, "append to the call");
    struct Answer {
      bool came = false;
      std::string error;
    } answer;
    sd_bus_slot* slot = nullptr;
    const int sent = sd_bus_call_async(
        client.raw(), &slot, call,
        [](sd_bus_message* message, void* to, sd_bus_error*) {
          auto* told = static_cast<Answer*>(to);
          told->came = true;
          if (const auto* error = sd_bus_message_get_error(message)) told->error = error->name;
          return 0;
        },
        &answer, 0);
    must(sent >= 0 && sd_bus_flush(client.raw()) >= 0, "send the call");
    sd_bus_message_unref(call);
    descriptor.reset();
    // The bus has read the call by the time it answers the next one.
    (void)client.call_on("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId",
                         "");
    must(::kill(daemon, SIGCONT) == 0, "continue the daemon");
    const auto ping = time_of_ping();
    EXPECT_LT(ping, kSoon);
    const Deadline deadline;
    while (!answer.came && !deadline.has_passed()) {
      if (sd_bus_process(client.raw(), nullptr) == 0) sd_bus_wait(client.raw(), 1'000'000);
    }
    sd_bus_slot_unref(slot);
    return answer.came ? answer.error : "no answer";
  }

  // Without its arguments: refused at once, by libsystemd.
  static dbus::test::Header import_call() {
    return RawClient::header(dbus::MessageType::call, dbus::kService, "ImportRun")
        .text(1, 'o', dbus::kManagerPath)
        .text(2, 's', dbus::kManagerInterface);
  }

  static std::chrono::steady_clock::duration time_of_ping() {
    const BusClient other = lab().connect(lab().users().outsider);
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(other.call(dbus::kManagerPath, "org.freedesktop.DBus.Peer", "Ping", "").error_name, "");
    return std::chrono::steady_clock::now() - before;
  }
};

TEST_F(Descriptors, a_lingering_socket_with_a_call_that_nothing_answers_holds_up_nobody) {
  Lingering lingering = make_lingering();
  const BusClient member = lab().connect(lab().users().member);
  EXPECT_EQ(pass(member, std::move(lingering.socket), "/nowhere"),
            "org.freedesktop.DBus.Error.UnknownObject");
}

TEST_F(Descriptors, a_lingering_socket_to_import_holds_up_nobody) {
  Lingering lingering = make_lingering();
  const BusClient member = lab().connect(lab().users().member);
  EXPECT_EQ(pass(member, std::move(lingering.socket)), dbus::error::kInvalidArgument);
}

TEST_F(Descriptors, of_an_outsider_do_not_even_arrive) {
  Lingering lingering = make_lingering();
  // The bus itself would wait for the last reference.
  const Fd kept{::fcntl(lingering.socket.get(), F_DUPFD_CLOEXEC, 0)};
  const BusClient outsider = lab().connect(lab().users().outsider);
  EXPECT_EQ(pass(outsider, std::move(lingering.socket)), dbus::error::kAccessDenied);
  // A member's descriptor for anything but an import does not either.
  const BusClient member = lab().connect(lab().users().member);
  sd_bus_message* call = nullptr;
  sd_bus_message_new_method_call(member.raw(), &call, dbus::kService, dbus::kManagerPath,
                                 "org.freedesktop.DBus.Peer", "Ping");
  sd_bus_message_append(call, "h", kept.get());
  sd_bus_error error{};
  EXPECT_LT(sd_bus_call(member.raw(), call, 0, &error, nullptr), 0);
  EXPECT_STREQ(error.name, dbus::error::kAccessDenied);
  sd_bus_error_free(&error);
  sd_bus_message_unref(call);
  lingering.peer.reset();  // ends the connection, so that closing what was kept does not wait
}

// While the daemon is stopped, it has what has arrived: the bus has passed it on and keeps no copy.
TEST_F(Descriptors, with_a_signal_or_an_answer_to_nothing_do_not_even_arrive) {
  const auto arrives = [](const User& user, const dbus::test::Header& header) {
    RawClient sender{lab().bus().address(), user};
    auto pipe = make_pipe();
    must(pipe.has_value(), "a pipe");
    const pid_t daemon = lab().netperfd().process().pid();
    must(::kill(daemon, SIGSTOP) == 0, "stop the daemon");
    sender.send(header, {pipe->write.get()});
    pipe->write.reset();
    sender.wait_for_bus();
    pollfd watched{pipe->read.get(), POLLIN, 0};
    const bool is_open = ::poll(&watched, 1, 0) == 0;
    must(::kill(daemon, SIGCONT) == 0, "continue the daemon");
    return is_open;
  };
  const auto named = [](dbus::MessageType type) {
    return RawClient::header(type, dbus::kService, "ImportRun")
        .text(1, 'o', dbus::kManagerPath)
        .text(2, 's', dbus::kManagerInterface);
  };
  const auto reply = RawClient::header(dbus::MessageType::reply, dbus::kService, "").count(5, 12'345);
  const auto error = RawClient::header(dbus::MessageType::error, dbus::kService, "")
                         .count(5, 12'345)
                         .text(4, 's', dbus::error::kBusy);
  for (const User& user : {lab().users().outsider, lab().users().member, User{}}) {
    EXPECT_FALSE(arrives(user, named(dbus::MessageType::signal))) << user.uid;
    EXPECT_FALSE(arrives(user, reply)) << user.uid;
    EXPECT_FALSE(arrives(user, error)) << user.uid;
  }
  EXPECT_TRUE(arrives(lab().users().member, named(dbus::MessageType::call))) << "an import";
}

// Every call is refused, since its file is none; each has two descriptors.
TEST_F(Descriptors, of_a_member_whose_imports_are_refused_again_and_again_end_nothing) {
  RawClient member{lab().bus().address(), lab().users().member};
  const auto call = import_call();
  auto pipe = make_pipe();
  must(pipe.has_value(), "a pipe");
  const pid_t daemon = lab().netperfd().process().pid();
  must(::kill(daemon, SIGSTOP) == 0, "stop the daemon");
  for (int i = 0; i < 600; ++i) {
    if (!member.can_send()) must(::kill(daemon, SIGCONT) == 0, "continue the daemon");
    member.send(call, {pipe->write.get(), pipe->write.get()});
  }
  member.wait_for_bus();
  pipe->write.reset();
  must(::kill(daemon, SIGCONT) == 0, "continue the daemon");
  EXPECT_LT(time_of_ping(), kSoon);
  pollfd watched{pipe->read.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, Deadline{}.poll_timeout()), 1) << "all of them are closed";
  EXPECT_EQ(lab().netperfd().process().pid(), daemon);
  EXPECT_LT(time_of_ping(), kSoon);
}

// Each of the connections has left by the time that the daemon gets its message, so the bus does not tell
// whose it was.
TEST_F(Descriptors, of_connections_that_have_left_keep_no_import_of_others_out) {
  constexpr std::size_t kConnections = 8;
  test::LockedPipe locked{2 * kConnections};
  const pid_t daemon = lab().netperfd().process().pid();
  must(::kill(daemon, SIGSTOP) == 0, "stop the daemon");
  for (std::size_t i = 0; i < kConnections; ++i) {
    RawClient member{lab().bus().address(), lab().users().member};
    const Fd first = locked.take();
    const Fd second = locked.take();
    member.send(import_call(), {first.get(), second.get()});
    member.wait_for_bus();
  }
  const BusClient other = lab().connect(lab().users().other_member);
  EXPECT_EQ(pass(other, Fd{::memfd_create("no document", MFD_CLOEXEC)}), dbus::error::kInvalidArgument);
}

// There is a limit beyond which nobody is answered. Runs go on nevertheless, and root is told.
TEST_F(Descriptors, that_never_close_keep_no_run_from_its_end) {
  constexpr std::size_t kMany = 16 + dbus::kMostSheds + 4;  // 16 are received
  test::LockedPipe locked{kMany};
  const StartedJob job = lab().start("quick");
  RawClient member{lab().bus().address(), lab().users().member};
  const pid_t daemon = lab().netperfd().process().pid();
  must(::kill(daemon, SIGSTOP) == 0, "stop the daemon");  // or the last copy would be here
  for (std::size_t i = 0; i < kMany; ++i) {
    const Fd file = locked.take();
    member.send(import_call(), {file.get()});
    member.wait_for_bus();
  }
  must(::kill(daemon, SIGCONT) == 0, "continue the daemon");
  const auto is_logged = [](const char* text) { return lab().netperfd().log().contains(text); };
  wait_for_change(lab().directory().path(""), [&] { return is_logged("nobody on the bus is answered"); });
  EXPECT_TRUE(is_logged(fmt::format("uid {} (", lab().users().member.uid).c_str()));
  const Database database = lab().database();
  wait_for_database(lab().database_path(), [&] {
    return database.value(fmt::format("SELECT state FROM runs WHERE id = {}", job.runs.at(0))) == "finished";
  });
  EXPECT_FALSE(is_logged("the bus is answered again"));
  locked.let_go();
  EXPECT_LT(time_of_ping(), kSoon);
  EXPECT_TRUE(is_logged("the bus is answered again"));
}

// The bus passes nothing on to who has too many descriptors to take.
TEST_F(Descriptors, that_netperfd_has_not_taken_yet_delay_netperfctl_and_end_nothing_of_it) {
  constexpr int kConnections = 20, kMessages = 30;  // of each, as many as the bus reads at once
  const Fd file{::memfd_create("no document", MFD_CLOEXEC)};
  const pid_t daemon = lab().netperfd().process().pid();
  must(::kill(daemon, SIGSTOP) == 0, "stop the daemon");
  std::vector<std::unique_ptr<RawClient>> crowd;
  for (int i = 0; i < kConnections; ++i) {
    crowd.push_back(std::make_unique<RawClient>(lab().bus().address(), lab().users().member));
    for (int sent = 0; sent < kMessages; ++sent) crowd.back()->send(import_call(), {file.get(), file.get()});
    crowd.back()->wait_for_bus();
  }
  EXPECT_EQ(lab().connect(lab().users().other_member).manager("ListScenarios", "").error_name,
            SD_BUS_ERROR_LIMITS_EXCEEDED);
  Process client{lab().ctl_command({"start", "quick", "--cancel-on-interrupt"}, lab().users().other_member)};
  EXPECT_FALSE(client.ends_before(Deadline{std::chrono::seconds{1}})) << client.err();
  must(::kill(daemon, SIGCONT) == 0, "continue the daemon");
  EXPECT_EQ(client.wait(), (Exit{0, 0})) << client.err();
}

// A signal to netperfctl itself, which no policy can deny: its descriptor is the last reference to a socket
// that lingers for longer than a test waits.
TEST_F(Descriptors, with_a_signal_to_netperfctl_do_not_hold_it_up) {
  const BusClient observer = lab().connect(lab().users().outsider);
  const auto names = [&observer] {
    const Reply reply = observer.call_on("org.freedesktop.DBus", "/org/freedesktop/DBus",
                                         "org.freedesktop.DBus", "ListNames", "");
    std::set<std::string> all;
    sd_bus_message_enter_container(reply.message.get(), 'a', "s");
    const char* name = nullptr;
    while (sd_bus_message_read(reply.message.get(), "s", &name) > 0) all.insert(name);
    return all;
  };
  RawClient attacker{lab().bus().address(), lab().users().outsider};
  const auto before = names();
  Process client{lab().ctl_command({"start", "local"}, lab().users().member)};
  std::string found;
  const Deadline deadline;
  while (found.empty() && !deadline.has_passed()) {
    for (const std::string& name : names()) {
      if (!before.contains(name)) found = name;
    }
  }
  ASSERT_FALSE(found.empty());
  Lingering lingering = make_lingering();
  client.signal(SIGSTOP);
  attacker.send(RawClient::header(dbus::MessageType::signal, found, "Forged")
                    .text(1, 'o', dbus::kManagerPath)
                    .text(2, 's', dbus::kManagerInterface),
                {lingering.socket.get()});
  lingering.socket.reset();
  attacker.wait_for_bus();
  client.signal(SIGCONT);
  EXPECT_EQ(client.wait(), (Exit{0, 0})) << client.err();
}

// Signals to the connection by which netperfd asks the bus whose a descriptor is: the policy denies them, or
// the answers would come too late.
TEST_F(Descriptors, are_received_while_a_stranger_sends_signals_to_the_connection_that_asks_for_their_owner) {
  const BusClient member = lab().connect(lab().users().member);
  const Reply owner = member.call_on("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
                                     "GetNameOwner", "s", dbus::kAskingService);
  const char* asking = nullptr;
  ASSERT_GT(sd_bus_message_read(owner.message.get(), "s", &asking), 0) << owner.error_text;
  RawClient outsider{lab().bus().address(), lab().users().outsider};
  const pid_t daemon = lab().netperfd().process().pid();
  must(::kill(daemon, SIGSTOP) == 0, "stop the daemon");
  for (int i = 0; i < 20'000; ++i) {
    outsider.send(RawClient::header(dbus::MessageType::signal, asking, "Flood")
                      .text(1, 'o', dbus::kManagerPath)
                      .text(2, 's', dbus::kManagerInterface));
    if (i % 100 == 0) outsider.wait_for_bus();
  }
  outsider.wait_for_bus();
  EXPECT_EQ(pass(member, Fd{::memfd_create("no document", MFD_CLOEXEC)}), dbus::error::kInvalidArgument);
}

TEST_F(Descriptors, twenty_lingering_sockets_in_a_row_hold_up_nobody) {
  std::vector<Lingering> all;
  const BusClient member = lab().connect(lab().users().member);
  for (int i = 0; i < 20; ++i) {
    Lingering lingering = make_lingering();
    EXPECT_NE(pass(member, std::move(lingering.socket)), "no answer") << i;
    all.push_back(std::move(lingering));
  }
}

}  // namespace
}  // namespace netperfd::system_test
