// SPDX-License-Identifier: GPL-2.0-or-later
// Networks and servers whose truth is known, for the real prober.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "daemon/echo/packet.hpp"
#include "daemon/echo/stamps.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/echo/process.hpp"

namespace netperfd::echo {

using Bytes = std::vector<std::byte>;

// What makes the prober send to a server. It waits as long for answers as it can, unless `arguments` say
// otherwise: a busy machine gives late ones.
inline std::vector<std::string> probing(std::uint16_t port, std::vector<std::string> arguments,
                                        const std::string& to = "127.0.0.1") {
  arguments.insert(arguments.begin(), {"probe", "--to", to, "--port", std::to_string(port), "--timeout=60s"});
  return arguments;
}

// Turns until `fact` holds, which another thread or process makes true.
inline bool comes_true(const std::function<bool()>& fact) {
  const Ns end = read_clocks().monotonic + kTestPatienceMs * kMillisecond;
  while (!fact() && read_clocks().monotonic < end) ::poll(nullptr, 0, 1);
  return fact();
}

// Runs the prober to its end.
struct Finished {
  explicit Finished(Process process) : lines(process.lines()), code(process.wait()) {}
  Finished(std::uint16_t port, std::vector<std::string> arguments, const std::string& to = "127.0.0.1")
      : Finished(Process(probing(port, std::move(arguments), to))) {}
  // Ends it once `fact` holds of the lines by then.
  Finished(Process process, const std::function<bool(const Finished&)>& fact) {
    const Ns end = read_clocks().monotonic + kTestPatienceMs * kMillisecond;
    while (!fact(*this) && read_clocks().monotonic < end) {
      std::string line = process.line();
      if (line.empty()) break;
      lines.push_back(std::move(line));
    }
    process.kill(SIGTERM);
    for (std::string& line : process.lines()) lines.push_back(std::move(line));
    code = process.wait();
  }
  // Of one probe, over all intervals.
  [[nodiscard]] double sum(const std::string& key, int probe = 0) const {
    double total = 0;
    for (const std::string& line : lines) {
      if (line.find("\"interval\",\"probe\":" + std::to_string(probe)) != std::string::npos)
        total += number_in(line, key);
    }
    return total;
  }
  // The smallest or sum of a span.
  [[nodiscard]] std::vector<double> of_span(const std::string& span, const std::string& key) const {
    std::vector<double> values;
    for (const std::string& line : lines) {
      const auto at = line.find('"' + span + "\":{");
      if (at != std::string::npos) values.push_back(number_in(line.substr(at), key));
    }
    return values;
  }
  std::vector<std::string> lines;
  int code = 0;
};

// A network of its own between prober and server: a thread that passes datagrams on, as `fate` says.
class Relay {
 public:
  // Instead of a time: once a later request was answered.
  static constexpr Ns kOvertaken = -1;
  // After how many ns each copy of a request is passed on to the server.
  using Fate = std::function<std::vector<Ns>(std::uint32_t sequence)>;

  Relay(std::uint16_t server, Fate fate)
      : fate_(std::move(fate)),
        near_(bound_datagrams()),
        far_(connected(SOCK_DGRAM, server)),
        port(port_of(near_)) {
    thread_ = std::thread([this] { run(); });
  }
  ~Relay() {
    ending_ = true;
    const Fd wake = connected(SOCK_DGRAM, port);
    (void)::send(wake.get(), "", 0, 0);
    thread_.join();
  }

 private:
  void run() {
    while (!ending_) {
      const Ns now = read_clocks().monotonic;
      while (!held_.empty() && held_.begin()->first <= now) {
        (void)::send(far_.get(), held_.begin()->second.data(), held_.begin()->second.size(), 0);
        held_.erase(held_.begin());
      }
      const Ns left = held_.empty() ? kSecond : held_.begin()->first - now;
      std::array<pollfd, 2> polled{{{.fd = near_.get(), .events = POLLIN, .revents = 0},
                                    {.fd = far_.get(), .events = POLLIN, .revents = 0}}};
      const timespec longest{.tv_sec = left / kSecond, .tv_nsec = left % kSecond};
      ::ppoll(polled.data(), polled.size(), &longest, nullptr);
      if (polled[0].revents != 0) take();
      if (polled[1].revents != 0) give_back();
    }
  }
  void take() {
    Bytes bytes(2000);
    socklen_t length = sizeof prober_;
    const ssize_t size = ::recvfrom(near_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT,
                                    reinterpret_cast<sockaddr*>(&prober_), &length);
    if (size <= 0) return;
    bytes.resize(static_cast<std::size_t>(size));
    const auto header = decode(bytes);
    if (!header || header->type == Type::hello) {
      (void)::send(far_.get(), bytes.data(), bytes.size(), 0);
      return;
    }
    for (const Ns delay : fate_(header->sequence)) {
      if (delay == kOvertaken) {
        overtaken_ = bytes;
      } else {
        held_.emplace(read_clocks().monotonic + delay, bytes);
      }
    }
  }
  void give_back() {
    const auto bytes = receive_some(far_, 0);
    if (!bytes) return;
    ::sendto(near_.get(), bytes->data(), bytes->size(), 0, reinterpret_cast<const sockaddr*>(&prober_),
             sizeof prober_);
    if (overtaken_.empty() || decode(*bytes)->sequence <= decode(overtaken_)->sequence) return;
    (void)::send(far_.get(), overtaken_.data(), overtaken_.size(), 0);
    overtaken_.clear();
  }

  Fate fate_;
  Fd near_, far_;
  sockaddr_in prober_{};
  std::multimap<Ns, Bytes> held_;
  Bytes overtaken_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;

 public:
  std::uint16_t port = 0;
};

// Answers greetings as a server does, and to a request whatever `answer` makes of it.
class Liar {
 public:
  std::atomic<int> answered = 0;  // requests

  explicit Liar(std::function<std::vector<Bytes>(Bytes reply)> answer)
      : answer_(std::move(answer)), socket_(bound_datagrams()), port(port_of(socket_)) {
    thread_ = std::thread([this] { run(); });
  }
  ~Liar() {
    ending_ = true;
    const Fd wake = connected(SOCK_DGRAM, port);
    (void)::send(wake.get(), "", 0, 0);
    thread_.join();
  }

 private:
  void run() {
    while (!ending_) {
      Bytes bytes(2000);
      sockaddr_in prober{};
      socklen_t length = sizeof prober;
      const ssize_t size = ::recvfrom(socket_.get(), bytes.data(), bytes.size(), 0,
                                      reinterpret_cast<sockaddr*>(&prober), &length);
      if (size <= 0) continue;
      bytes.resize(static_cast<std::size_t>(size));
      const bool greets = decode(bytes)->type == Type::hello;
      (void)make_reply(bytes, {}, {});
      for (const Bytes& each : greets ? std::vector<Bytes>{bytes} : answer_(bytes))
        ::sendto(socket_.get(), each.data(), each.size(), 0, reinterpret_cast<const sockaddr*>(&prober),
                 length);
      if (!greets) ++answered;
    }
  }

  std::function<std::vector<Bytes>(Bytes)> answer_;
  Fd socket_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;

 public:
  std::uint16_t port = 0;
};

}  // namespace netperfd::echo
