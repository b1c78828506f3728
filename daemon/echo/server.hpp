// SPDX-License-Identifier: GPL-2.0-or-later
// Answers requests. Everything that it receives may come from an attacker: it keeps nothing about senders of
// datagrams, a limited number of connections with one message each, and never sends more than it received.
//
// Whoever connects can be silent, so a connection counts only from its first whole message on. Silent ones
// have places of their own, and the oldest one makes room for a new one. Of the others, no source can have
// all places: if there are none left, the source with the most makes room.
//
// A server that netperfd starts for one run knows that run's session, and serves nobody else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/echo/options.hpp"
#include "daemon/echo/sockets.hpp"
#include "daemon/echo/stream.hpp"

namespace netperfd::echo {

inline constexpr std::size_t kMostConnections = 64;  // and as many silent ones
inline constexpr std::size_t kMostOfSource = 16;     // of either kind; a prober has at most 8
inline constexpr Ns kIdle = 120 * kSecond;           // without a whole message; a prober has sent one in 10 s
inline constexpr Ns kSilent = 2 * kSecond;           // before the first one, which a prober sends at once

// Whom a connection counts to: an IPv4 address, or the first half of an IPv6 address, of which one host has
// as many as it wants.
using Origin = std::array<std::byte, 16>;
[[nodiscard]] Origin origin_of(const Address& address);

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
    Origin source;
    Ns last_message = 0;
    bool silent = true;  // no whole message has come
    bool closed = false;
  };
  using Connections = std::vector<std::unique_ptr<Connection>>;

  Server(Fd datagrams, Fd listener, std::optional<std::uint64_t> session);
  void answer_datagrams();
  void answer(Received& request);
  void accept_connections(Ns now);
  void begin(Fd socket, const Address& from, Ns now);
  void serve(Connection& connection, Ns now);
  [[nodiscard]] bool may_speak(const Connection& connection, const Header& message);
  [[nodiscard]] bool serve_message(Connection& connection, Ns now);
  void close_idle(Ns now);
  [[nodiscard]] std::size_t count(bool silent, const Origin* source = nullptr) const;
  // A place of this kind, which another connection may lose. False: there is none.
  [[nodiscard]] bool make_room(const Origin& source, bool silent);
  void close_one_of(const Origin& source, bool silent);  // the one that was heard of least recently

  Fd datagrams_;
  Fd listener_;
  BootId boot_id_;
  std::optional<std::uint64_t> session_;  // of the only prober that is served; absent: everybody is
  Connections connections_;
  bool accepting_ = true;  // false for a while if the kernel has no descriptor left
};

}  // namespace netperfd::echo
