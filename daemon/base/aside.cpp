// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/aside.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kMostAboutBytes = std::size_t{64} << 10U;
constexpr std::size_t kMostAnswerBytes = std::size_t{1} << 20U;
// For the processes of a look to begin and to end on a busy machine.
constexpr std::chrono::milliseconds kMargin{500};

struct Task {
  Look look = nullptr;
  std::chrono::seconds patience{};
};

struct Order {
  Task task;
  std::string about;
  Fd answer;  // the write end of a pipe
};

// Before the text of an answer.
struct Head {
  std::uint64_t cpu_ns = 0;
  std::uint64_t text_bytes = 0;
};

struct Looks {
  Fd orders;
  std::chrono::seconds patience = kLookPatience;
  std::function<void()> tell_end;
  std::map<Look, steady_clock::time_point> rests;  // until when
  std::uint64_t cpu_ns = 0;
};

Looks& looks() {
  static Looks begun;
  return begun;
}

std::uint64_t cpu_ns_of(int who) {
  rusage used{};
  (void)::getrusage(who, &used);
  const auto ns = [](const timeval& time) {
    return std::chrono::nanoseconds{std::chrono::seconds{time.tv_sec} +
                                    std::chrono::microseconds{time.tv_usec}};
  };
  return static_cast<std::uint64_t>((ns(used.ru_utime) + ns(used.ru_stime)).count());
}

// One packet: the function's address, which both processes have, since neither has executed anything. The
// pipe comes with it.
bool send_order(const Fd& socket, const Order& order) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
  Task task = order.task;
  std::string about = order.about;
  std::array<iovec, 2> parts{
      {{.iov_base = &task, .iov_len = sizeof task}, {.iov_base = about.data(), .iov_len = about.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int answer = order.answer.get();
  std::memcpy(CMSG_DATA(header), &answer, sizeof answer);
  return ::sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

// Absent at the end of the daemon.
std::optional<Order> receive_order(const Fd& socket) {
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> control{};
  Order order;
  order.about.resize(kMostAboutBytes);
  std::array<iovec, 2> parts{{{.iov_base = &order.task, .iov_len = sizeof order.task},
                              {.iov_base = order.about.data(), .iov_len = order.about.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket.get(), &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  const cmsghdr* const header = CMSG_FIRSTHDR(&message);
  if (got < static_cast<ssize_t>(sizeof order.task) || header == nullptr) return std::nullopt;
  order.about.resize(static_cast<std::size_t>(got) - sizeof order.task);
  int answer = -1;
  std::memcpy(&answer, CMSG_DATA(header), sizeof answer);
  order.answer.reset(answer);
  return order;
}

bool have_ended(const Fd& orders) {
  pollfd polled{.fd = orders.get(), .events = 0, .revents = 0};
  return ::poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP) != 0;
}

// Nobody waits for it any more.
bool is_abandoned(const Order& order) {
  pollfd polled{.fd = order.answer.get(), .events = 0, .revents = 0};
  return ::poll(&polled, 1, 0) > 0 && (polled.revents & POLLERR) != 0;
}

void write_all(const Fd& pipe, const void* bytes, std::size_t size) {
  const char* next = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put = ::write(pipe.get(), next, size);
    if (put < 0 && errno != EINTR) ::_exit(1);
    if (put <= 0) continue;
    next += put;
    size -= static_cast<std::size_t>(put);
  }
}

[[noreturn]] void look_and_end(const Order& order, std::uint64_t spent_ns) {
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const itimerval patience{.it_interval = {},
                           .it_value = {.tv_sec = order.task.patience.count(), .tv_usec = 0}};
  (void)std::signal(SIGALRM, SIG_DFL);
  (void)::setitimer(ITIMER_REAL, &patience, nullptr);
  const std::string text = order.task.look(order.about);
  const Head head{.cpu_ns = spent_ns + cpu_ns_of(RUSAGE_SELF), .text_bytes = text.size()};
  write_all(order.answer, &head, sizeof head);
  write_all(order.answer, text.data(), text.size());
  ::_exit(0);
}

// One look at a time: one that the kernel cannot end keeps all others from their beginning.
[[noreturn]] void make_looks(const Fd& orders) {
  while (const auto order = receive_order(orders)) {
    if (is_abandoned(*order)) continue;
    const std::uint64_t spent_ns = cpu_ns_of(RUSAGE_SELF) + cpu_ns_of(RUSAGE_CHILDREN);
    const pid_t child = ::fork();
    if (child == 0) look_and_end(*order, spent_ns);
    while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  ::_exit(0);
}

// What comes until the pipe's other end is closed; less if that takes too long.
std::string read_answer(const Fd& pipe) {
  const auto deadline = steady_clock::now() + looks().patience + kMargin;
  std::string answer;
  std::array<char, 16384> chunk{};
  while (answer.size() <= kMostAnswerBytes) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    pollfd polled{.fd = pipe.get(), .events = POLLIN, .revents = 0};
    const int ready = left.count() > 0 ? ::poll(&polled, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t got = ready > 0 ? ::read(pipe.get(), chunk.data(), chunk.size()) : 0;
    if (got <= 0) break;
    answer.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return answer;
}

}  // namespace

Status begin_looks() {
  looks() = {};
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return fail_errno("socketpair", errno);
  }
  Fd here{ends[0]};
  const Fd there{ends[1]};
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return fail_errno("fork", errno);
  if (child == 0) {
    (void)::prctl(PR_SET_NAME, "netperfd-looks");
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    // It keeps no other file open.
    if (::dup2(there.get(), STDIN_FILENO) < 0 || ::close_range(STDERR_FILENO + 1, UINT_MAX, 0) != 0)
      ::_exit(1);
    make_looks(Fd{STDIN_FILENO});
  }
  looks().orders = std::move(here);
  return {};
}

void tell_end_of_looks(std::function<void()> tell) {
  looks().tell_end = std::move(tell);
}

void set_look_patience(std::chrono::seconds patience) {
  looks().patience = patience;
}

std::optional<std::string> look_aside(Look look, std::string_view about, std::chrono::seconds rest) {
  Looks& begun = looks();
  if (!begun.orders) return look(about);
  auto& rests_until = begun.rests[look];
  if (steady_clock::now() < rests_until || about.size() > kMostAboutBytes) return std::nullopt;
  auto pipe = make_pipe();
  if (!pipe) return std::nullopt;
  const Fd answer_end = std::move(pipe->read);
  if (!send_order(begun.orders, {{look, begun.patience}, std::string(about), std::move(pipe->write)})) {
    if (begun.tell_end && have_ended(begun.orders)) std::exchange(begun.tell_end, nullptr)();
    return std::nullopt;
  }
  const std::string answer = read_answer(answer_end);
  Head head;
  if (answer.size() >= sizeof head) std::memcpy(&head, answer.data(), sizeof head);
  if (answer.size() < sizeof head || answer.size() - sizeof head != head.text_bytes) {
    rests_until = steady_clock::now() + rest;
    return std::nullopt;
  }
  begun.cpu_ns = std::max(begun.cpu_ns, head.cpu_ns);
  return answer.substr(sizeof head);
}

std::uint64_t looks_cpu_ns() {
  return looks().cpu_ns;
}

}  // namespace netperfd
