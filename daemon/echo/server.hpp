// SPDX-License-Identifier: GPL-2.0-or-later
// Answers requests. Everything that it receives may come from an attacker: it keeps nothing about senders of
// datagrams, at most 64 connections with one message each, and never sends more than it received.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/echo/options.hpp"
#include "daemon/echo/sockets.hpp"
#include "daemon/echo/stream.hpp"

namespace netperfd::echo {

inline constexpr std::size_t kMostConnections = 64;
inline constexpr Ns kIdle = 120 * kSecond;  // without a whole message; a prober has sent one in 10 s

class Server {
 public:
  [[nodiscard]] static Result<Server> open(const ServeOptions& options);

  [[nodiscard]] Address address() const { return local_address(datagrams_); }
  // Until `stop` becomes readable.
  [[nodiscard]] Status run(const Fd& stop);

 private:
  struct Connection {
    Fd socket;
    MessageStream in;
    PendingBytes out;  // while it is not empty, nothing further is read
    Ns last_message = 0;
    bool closed = false;
  };

  Server(Fd datagrams, Fd listener);
  void answer_datagrams();
  void answer(Received& request);
  void accept_connections(Ns now);
  void serve(Connection& connection, Ns now);
  [[nodiscard]] bool serve_message(Connection& connection, Ns now);
  void close_idle(Ns now);

  Fd datagrams_;
  Fd listener_;
  BootId boot_id_;
  std::vector<std::unique_ptr<Connection>> connections_;
  bool accepting_ = true;  // false for a while if the kernel has no descriptor left
};

}  // namespace netperfd::echo
