// SPDX-License-Identifier: GPL-2.0-or-later
// Attacks with descriptors whose close blocks, passed over the bus: the daemon answers others meanwhile.
// Files on FUSE are a matter of the unit tests: whoever passes one, and the bus, has to close it too, and
// blocks itself.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <stdexcept>

#include "daemon/base/fd.hpp"
#include "tests/system/harness/system_test.hpp"

namespace netperfd::system_test {
namespace {

constexpr int kLingerSeconds = 60;
constexpr std::chrono::seconds kSoon{10};

void must(bool done, const char* what) {
  if (!done) throw std::runtime_error(fmt::format("{}: errno {}", what, errno));
}

// One end of a TCP connection whose peer reads nothing: it has unsent data, and closing it waits.
struct Lingering {
  Fd peer, socket;
};

Lingering make_lingering() {
  Lingering made;
  const Fd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the kernel wants it
  socklen_t length = sizeof address;
  must(::bind(listener.get(), generic, length) == 0, "bind");
  must(::listen(listener.get(), 1) == 0, "listen");
  must(::getsockname(listener.get(), generic, &length) == 0, "getsockname");
  made.socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  must(::connect(made.socket.get(), generic, length) == 0, "connect");
  made.peer.reset(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  must(static_cast<bool>(made.peer), "accept4");
  static const std::array<char, 1U << 16U> kBytes{};
  while (::send(made.socket.get(), kBytes.data(), kBytes.size(), MSG_DONTWAIT) > 0) {
  }
  must(errno == EAGAIN, "send until the buffers are full");
  const linger wait{1, kLingerSeconds};
  must(::setsockopt(made.socket.get(), SOL_SOCKET, SO_LINGER, &wait, sizeof wait) == 0, "SO_LINGER");
  return made;
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
