// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/workload/support.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_ether.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

// glibc 2.36 does not declare these as extern "C".
extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace netperfd::workload::test {
namespace {

// What can be read: a file of a process that ends meanwhile is cut there, where iterators of its buffer would
// throw.
std::string whole_file(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  return text.str();
}

// The fourth field of /proc/PID/stat; the second one, in parentheses, may contain anything.
pid_t parent_of(const std::filesystem::path& proc) {
  const std::string stat = whole_file(proc / "stat");
  const std::size_t bracket = stat.rfind(") ");
  if (bracket == std::string::npos) return -1;
  const std::string_view rest = std::string_view{stat}.substr(bracket + 4);
  pid_t parent = -1;
  std::from_chars(rest.data(), rest.data() + rest.size(), parent);
  return parent;
}

void run_or_throw(const std::vector<std::string>& argv) {
  if (const int code = run_program(argv); code != 0) {
    throw std::runtime_error(fmt::format("{}: exit code {}", fmt::join(argv, " "), code));
  }
}

}  // namespace

bool turn_until(EventLoop& loop, const std::function<bool()>& fact, std::chrono::milliseconds deadline) {
  bool late = false;
  const Result<EventSource> timer = loop.after(deadline, [&late] { late = true; });
  if (!timer) throw std::runtime_error(timer.error().message);
  constexpr std::uint64_t kLookAgainUs = 20'000;  // a cgroup that becomes empty is no event
  while (!fact() && !late) {
    if (sd_event_run(loop.raw(), kLookAgainUs) < 0) throw std::runtime_error("sd_event_run");
  }
  return fact();
}

bool turn_until_gone(EventLoop& loop, pid_t pid) {
  const Fd pidfd{::pidfd_open(pid, 0)};
  if (!pidfd) return errno == ESRCH;
  bool gone = false;
  const Result<EventSource> source = loop.on_readable(pidfd.get(), [&gone] { gone = true; });
  if (!source) throw std::runtime_error(source.error().message);
  return turn_until(loop, [&gone] { return gone; });
}

int run_program(const std::vector<std::string>& argv) {
  std::vector<std::string> words = argv;
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = -1;
  if (::posix_spawnp(&pid, pointers[0], nullptr, nullptr, pointers.data(), environ) != 0) return -1;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<pid_t> children_with(std::string_view word) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    if (parent_of(entry.path()) != ::getpid()) continue;
    if (whole_file(entry.path() / "cmdline").find(word) != std::string::npos) found.push_back(pid);
  }
  return found;
}

LaunchOrder order_for(std::vector<std::string> argv) {
  LaunchOrder order;
  order.argv = std::move(argv);
  order.uid = ::getuid();
  order.gid = ::getgid();
  return order;
}

ChildSettings settings_named(std::string name) {
  ChildSettings settings;
  settings.name = std::move(name);
  return settings;
}

Status start(EventLoop& loop, Watched& watched, LaunchOrder order, ChildSettings settings) {
  ChildEvents events;
  events.ready = [&watched] { watched.ready = true; };
  events.line = [&watched](std::string_view line) { watched.lines.emplace_back(line); };
  events.ended = [&watched](const ChildEnd& end) { watched.end = end; };
  Result<std::unique_ptr<Child>> child =
      Child::start(loop, std::move(settings), std::move(order), std::move(events));
  if (!child) return std::unexpected(std::move(child.error()));
  watched.child = *std::move(child);
  return {};
}

TemporaryDirectory::TemporaryDirectory() : path_("/tmp/netperfd-test-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr || ::chmod(path_.c_str(), 0755) != 0)
    throw std::runtime_error(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryDirectory::add_program(const std::string& name, const std::string& text) const {
  std::string path = path_ + "/" + name;
  std::ofstream{path} << text;
  if (::chmod(path.c_str(), 0755) != 0) throw std::runtime_error(path);
  return path;
}

NamespacePair::NamespacePair()
    : left_(fmt::format("npw-left-{}", ::getpid())), right_(fmt::format("npw-right-{}", ::getpid())) {
  try {
    create();
  } catch (...) {
    remove();
    throw;
  }
}

NamespacePair::~NamespacePair() {
  remove();
}

void NamespacePair::create() const {
  run_or_throw({"ip", "netns", "add", left_});
  run_or_throw({"ip", "netns", "add", right_});
  run_or_throw(
      {"ip", "-n", left_, "link", "add", "veth0", "type", "veth", "peer", "name", "veth0", "netns", right_});
  for (const auto& [name, address] : {std::pair{left_, kLeftAddress}, std::pair{right_, kRightAddress}}) {
    run_or_throw({"ip", "-n", name, "address", "add", fmt::format("{}/24", address), "dev", "veth0"});
    run_or_throw({"ip", "-n", name, "link", "set", "veth0", "up"});
    run_or_throw({"ip", "-n", name, "link", "set", "lo", "up"});
  }
}

void NamespacePair::remove() const {
  (void)run_program({"ip", "netns", "delete", left_});
  (void)run_program({"ip", "netns", "delete", right_});
}

PacketWatch::PacketWatch(const std::string& netns) {
  // A socket stays in the namespace where it was created.
  const Fd own{::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)};
  const Fd other{::open(("/run/netns/" + netns).c_str(), O_RDONLY | O_CLOEXEC)};
  if (::setns(other.get(), CLONE_NEWNET) != 0) throw std::runtime_error("setns " + netns);
  socket_.reset(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_IP)));
  if (::setns(own.get(), CLONE_NEWNET) != 0 || !socket_)
    throw std::runtime_error("AF_PACKET socket in " + netns);
}

bool PacketWatch::turn_until_payload(EventLoop& loop) const {
  constexpr ssize_t kMoreThanHandshake = 1000;
  bool seen = false;
  const Result<EventSource> source = loop.on_readable(socket_.get(), [&] {
    char byte = 0;
    if (::recv(socket_.get(), &byte, sizeof byte, MSG_TRUNC) > kMoreThanHandshake) seen = true;
  });
  if (!source) throw std::runtime_error(source.error().message);
  return turn_until(loop, [&] { return seen; });
}

}  // namespace netperfd::workload::test
