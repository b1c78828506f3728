// SPDX-License-Identifier: GPL-2.0-or-later
// Keeps everybody but this run's client from the run's own server.
//
// iperf3 takes whoever connects first for its client, waits for a silent one for ever, and breaks a test off
// if somebody else connects while its streams are made. It has no option against that. So the server's calls
// of accept() stop in the kernel (seccomp's user notification), and the guard takes the connections in its
// place:
//
//   far end                                        what becomes of the connection
//   of iperf3's user in the client's namespace     iperf3 gets it
//   any other one                                  reset, counted, named
//   nobody is left                                 iperf3 goes on waiting. If its test has all of its
//                                                  connections, it gets a dummy, to which it says that it is
//                                                  busy.
//
// With the last connection of the test, the listening socket gets a filter that drops whoever wants to
// connect. From then on nobody reaches the server, and no packet of the test passes a filter.
//
// A UDP stream begins with a datagram of the client, to which iperf3 connects the socket that it came to.
// Both calls stop too. Before iperf3 reads the datagram, the guard throws away those of others before it and
// connects the socket; before iperf3 connects it, those that came after it.
//
// A client that fails may have closed a connection before the guard meets it, so that the kernel has no user
// of its far end. Its cookie tells that it is the client's, and iperf3 gets it: the run ends as if nobody
// watched. If the cookie is not known, or the first connection is such a one, it is refused, but not counted
// as another's as long as the client lacks it (RefusedOthers).
//
// If the path translates addresses (NAT), the client's connection is not recognized by its ends. Then it is
// the one that sends iperf3's cookie, and stays, if no client that is recognized comes within 3.5 s; the
// streams have the same cookie.
#pragma once

#include <linux/seccomp.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/workload/guard_fds.hpp"
#include "daemon/workload/program_settings.hpp"
#include "daemon/workload/refused_others.hpp"
#include "daemon/workload/socket_owner.hpp"

namespace netperfd::workload {

class ServerGuard {
 public:
  // `fds` are of the server's launcher; `uid` runs both ends. `loop` must outlive this object.
  ServerGuard(EventLoop& loop, GuardFds fds, const TestSpec& test, uid_t uid, const GuardPatience& patience);
  ServerGuard(const ServerGuard&) = delete;
  ServerGuard& operator=(const ServerGuard&) = delete;
  ~ServerGuard() { close_elsewhere(std::move(socket_)); }
  [[nodiscard]] Status begin();
  // The client is about to run; `sockets` is of its launcher. Who connected earlier is somebody else.
  void expect_client(Fd sockets);
  // The server has ended: its port becomes free.
  void end();

  // Why the server was left alone with whoever connects; empty: it was not.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // "2 connections of uid 65534 from 10.0.0.1"; empty: there was nobody else.
  [[nodiscard]] std::string others() const { return others_.text(); }

 private:
  enum class Whose { client, other, unknown };
  enum class CallKind { accept, receive, connect };
  struct Call {
    std::uint64_t id = 0;
    CallKind kind = CallKind::accept;
    int new_flags = 0;  // of the accepted socket: accept4()'s
  };
  struct Held {
    Fd connection;
    SocketEnd peer;
    std::chrono::steady_clock::time_point since;
  };
  struct Judged {
    Whose whose = Whose::other;
    std::optional<uid_t> uid = {};
  };

  void on_call();
  [[nodiscard]] Status take_call();
  void serve();
  void serve_accept();
  void serve_datagram();
  void serve_connect();
  [[nodiscard]] Judged judge(int protocol, const SocketEnd& local, const SocketEnd& peer) const;
  [[nodiscard]] bool may_be_translated() const;
  [[nodiscard]] bool is_complete() const { return passed_ > streams_; }
  [[nodiscard]] std::string fitting_cookie(const Fd& connection) const;
  [[nodiscard]] bool has_clients_cookie(const Fd& connection) const;
  [[nodiscard]] bool may_be_clients(const SocketEnd& peer, std::optional<uid_t> uid) const;
  void refuse_hopeless(std::chrono::steady_clock::time_point now);
  void look_at_held();
  void refuse_held();
  void pass(Fd connection, const SocketEnd& peer);
  void pass_dummy();
  void refuse(Fd connection, const SocketEnd& peer, std::optional<uid_t> uid);
  void refuse_datagram(const SocketEnd& peer, std::optional<uid_t> uid, std::string_view words);
  void refuse_waiting();
  void wait_for_socket(bool after_others);
  void close_gate();
  void hand_over(Fd descriptor);
  void let_go_on();  // the server's call happens as if nobody watched
  void give_up(std::string why);
  void end_call();
  void refuse_calls(std::string why);

  EventLoop& loop_;
  GuardFds fds_;
  Fd client_sockets_;
  uid_t uid_;
  GuardPatience patience_;
  Protocol protocol_;
  std::uint32_t streams_;    // connections after the first one
  std::uint32_t greetings_;  // datagrams that begin a stream

  std::optional<Call> call_;  // that the server waits in
  Fd socket_;                 // of that call; closed before the server goes on, which may bind its port again
  std::optional<ForeignFd> dummy_end_;  // iperf3 may send descriptors to it
  std::vector<Held> held_;
  std::string cookie_;       // of the client; empty: not known
  std::string client_host_;  // the address of its first connection
  std::uint32_t passed_ = 0;
  std::uint32_t greeted_ = 0;  // datagrams of the client
  std::uint32_t calls_ = 0;
  std::uint32_t late_closes_ = 0;  // of the server's sockets
  bool expected_ = false;          // the client may connect
  bool translated_ = false;
  RefusedOthers others_;
  std::string failure_;
  EventSource calls_source_, socket_source_, pause_, held_timer_;
};

}  // namespace netperfd::workload
