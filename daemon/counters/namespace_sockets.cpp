// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/namespace_sockets.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <system_error>
#include <thread>

namespace netperfd::counters {
namespace {

using Take = std::function<void(const nlmsghdr*)>;

Result<NamespaceSockets> open_sockets() {
  NamespaceSockets sockets;
  const auto open = [](Fd& socket, int family, int type, int protocol) {
    socket.reset(::socket(family, type | SOCK_CLOEXEC, protocol));
    return static_cast<bool>(socket);
  };
  if (!open(sockets.route, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) ||
      !open(sockets.diag, AF_NETLINK, SOCK_RAW, NETLINK_SOCK_DIAG) ||
      !open(sockets.ethtool, AF_UNIX, SOCK_DGRAM, 0)) {
    return fail_errno("socket", errno);
  }
  return sockets;
}

int on_message(const nlmsghdr* message, void* take) {
  (*static_cast<const Take*>(take))(message);
  return MNL_CB_OK;
}

int on_attribute(const nlattr* attribute, void* take) {
  (*static_cast<const std::function<void(const nlattr*)>*>(take))(attribute);
  return MNL_CB_OK;
}

}  // namespace

// A socket belongs forever to the namespace of the thread that creates it. A separate thread does this:
// setns() moves the calling thread, and moving it back could fail.
Result<NamespaceSockets> open_sockets_in(const std::string& net, const std::function<void()>& there) {
  Result<NamespaceSockets> sockets = fail(ErrorKind::internal, "nobody asked");
  try {
    std::thread([&] {
      const Fd file{::open(net.c_str(), O_RDONLY | O_CLOEXEC)};
      if (!file) {
        sockets = fail_errno(net, errno);
      } else if (::setns(file.get(), CLONE_NEWNET) != 0) {
        sockets = fail_errno(fmt::format("setns {}", net), errno);
      } else {
        sockets = open_sockets();
        if (there) there();
      }
    }).join();
  } catch (const std::system_error& error) {
    return fail_errno("a thread", error.code().value());
  }
  return sockets;
}

Status ask_kernel(const Fd& socket, nlmsghdr& request, bool dump, const Take& take) {
  request.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | (dump ? NLM_F_DUMP : NLM_F_ACK));
  // What an earlier request left unread, because its answer ended with an error, is no answer to this one.
  while (::recv(socket.get(), nullptr, 0, MSG_DONTWAIT | MSG_TRUNC) >= 0) {
  }
  if (::send(socket.get(), &request, request.nlmsg_len, 0) < 0) return fail_errno("netlink", errno);
  constexpr std::size_t kLargestAnswer = 32768;  // the kernel sends a dump in parts of at most this size
  alignas(nlmsghdr) std::array<char, kLargestAnswer> buffer{};
  for (;;) {
    const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("netlink", errno);
    Take copy = take;
    const int more = mnl_cb_run(buffer.data(), static_cast<std::size_t>(got), 0, 0, on_message, &copy);
    if (more < 0) return fail_errno("netlink", errno);
    if (more == MNL_CB_STOP) return {};
  }
}

void for_each_attribute(const nlmsghdr* message, std::size_t head_bytes,
                        const std::function<void(const nlattr*)>& take) {
  auto copy = take;
  (void)mnl_attr_parse(message, static_cast<unsigned>(head_bytes), on_attribute, &copy);
}

void for_each_nested(const nlattr* attribute, const std::function<void(const nlattr*)>& take) {
  auto copy = take;
  (void)mnl_attr_parse_nested(attribute, on_attribute, &copy);
}

}  // namespace netperfd::counters
