#include "daemon/counters/device_packets.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <fstream>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "daemon/base/fd.hpp"

namespace netperfd::counters {
namespace {

constexpr const char* kNetDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
    "carrier compressed\n"
    "    lo:     100       2    0    0    0     0          0         0      100       2    0    0    0     0 "
    "      "
    "0          0\n"
    "  eth0:12345678901 987654    1    2    3     4          5         6 22345678901 887654    7    8    9   "
    " 10"
    "      11         12\n"
    "eth0.5: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n";

TEST(NetDev, has_both_directions_of_a_device) {
  const auto sent = parse_net_dev(kNetDev, "eth0", true);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->packets, 887'654U);
  EXPECT_EQ(sent->bytes, 22'345'678'901U);
  const auto received = parse_net_dev(kNetDev, "eth0", false);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->packets, 987'654U);
  EXPECT_EQ(received->bytes, 12'345'678'901U);
  EXPECT_EQ(parse_net_dev(kNetDev, "eth0.5", true)->packets, 4U);
}

TEST(NetDev, has_nothing_of_a_device_that_is_not_there_or_not_whole) {
  EXPECT_FALSE(parse_net_dev(kNetDev, "eth", true));
  EXPECT_FALSE(parse_net_dev(kNetDev, "eth1", true));
  EXPECT_FALSE(parse_net_dev("", "eth0", true));
  EXPECT_FALSE(parse_net_dev("eth0: 1 2 3\n", "eth0", false));
}

[[noreturn]] void fail_system(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

// A network namespace that lives as long as a process in it, which does nothing.
class Namespace {
 public:
  Namespace() {
    Pipe entered = make_pipe().value();
    pid_ = ::fork();
    if (pid_ < 0) fail_system("fork");
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      const bool done = ::unshare(CLONE_NEWNET) == 0 && ::write(entered.write.get(), "x", 1) == 1;
      while (done) ::pause();
      ::_exit(1);
    }
    entered.write.reset();
    char byte = 0;
    if (::read(entered.read.get(), &byte, 1) != 1) fail_system("unshare");
  }
  Namespace(const Namespace&) = delete;
  Namespace& operator=(const Namespace&) = delete;
  ~Namespace() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

  // In a thread of its own, since setns() moves the thread that calls it.
  void run(const std::function<void()>& inside) const {
    std::exception_ptr failure;
    std::thread([&] {
      try {
        const Fd net{::open(fmt::format("/proc/{}/ns/net", pid_).c_str(), O_RDONLY | O_CLOEXEC)};
        if (::setns(net.get(), CLONE_NEWNET) != 0) fail_system("setns");
        inside();
      } catch (...) {
        failure = std::current_exception();
      }
    }).join();
    if (failure) std::rethrow_exception(failure);
  }

  void ip(std::vector<std::string> words) const {
    words.insert(words.begin(), "ip");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    run([&argv] {
      pid_t child = 0;
      errno = ::posix_spawnp(&child, "ip", nullptr, nullptr, argv.data(), environ);
      if (errno != 0) fail_system("ip");
      int status = 0;
      ::waitpid(child, &status, 0);
      if (status != 0) throw std::runtime_error(fmt::format("ip {}: {}", argv[1], status));
    });
  }

  // 100 bytes each, of which a device counts 142.
  void send_datagrams(const char* to, int count) const {
    run([&] {
      const Fd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_port = htons(9);
      ::inet_pton(AF_INET, to, &address.sin_addr);
      const std::string datagram(100, 'x');
      for (int i = 0; i < count; ++i) {
        if (::sendto(socket.get(), datagram.data(), datagram.size(), 0, reinterpret_cast<sockaddr*>(&address),
                     sizeof address) < 0) {
          fail_system("sendto");
        }
      }
    });
  }

 private:
  pid_t pid_ = -1;
};

// Two namespaces joined by a veth pair on which nothing passes by itself.
class DevicePackets : public testing::Test {
 protected:
  void SetUp() override {
    for (const Namespace* each : {&client_, &server_}) {
      each->run([] { std::ofstream("/proc/sys/net/ipv6/conf/default/disable_ipv6") << "1"; });
    }
    client_.ip({"link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns",
                fmt::format("{}", server_.pid())});
    client_.ip({"address", "add", "10.78.0.1/24", "dev", "wire"});
    server_.ip({"address", "add", "10.78.0.2/24", "dev", "wire"});
    for (const Namespace* each : {&client_, &server_}) {
      each->ip({"link", "set", "wire", "arp", "off"});
      each->ip({"link", "set", "wire", "up"});
      each->ip({"link", "set", "lo", "up"});
    }
  }

  std::unique_ptr<core::ActivePacketCount> open(Direction direction,
                                                const std::string& server = "10.78.0.2") {
    JobSpec spec;
    spec.iperf3.server = server;
    spec.iperf3.netns = "left";
    spec.iperf3.direction = direction;
    return counter_.open(spec, {client_.pid(), server_.pid()});
  }

  Namespace client_, server_;
  DevicePacketCounter counter_;
};

TEST_F(DevicePackets, are_those_sent_since_it_was_opened) {
  client_.send_datagrams("10.78.0.2", 3);
  const auto count = open(Direction::send);
  ASSERT_TRUE(count);
  client_.send_datagrams("10.78.0.2", 10);
  const auto counted = count->count();
  ASSERT_TRUE(counted);
  EXPECT_EQ(counted->device, "wire");
  EXPECT_EQ(counted->netns, "left");
  EXPECT_TRUE(counted->sent);
  EXPECT_EQ(counted->packets, 10U);
  EXPECT_EQ(counted->bytes, 1'420U);
  client_.send_datagrams("10.78.0.2", 1);
  EXPECT_EQ(count->count()->packets, 11U);
}

TEST_F(DevicePackets, are_those_received_where_the_client_receives) {
  const auto count = open(Direction::receive);
  ASSERT_TRUE(count);
  server_.send_datagrams("10.78.0.1", 7);
  const auto counted = count->count();
  ASSERT_TRUE(counted);
  EXPECT_FALSE(counted->sent);
  EXPECT_EQ(counted->packets, 7U);
}

TEST_F(DevicePackets, can_be_read_when_the_last_process_of_the_namespace_has_ended) {
  const auto count = open(Direction::both);
  ASSERT_TRUE(count);
  client_.send_datagrams("10.78.0.2", 5);
  client_.end();
  const auto counted = count->count();
  ASSERT_TRUE(counted);
  EXPECT_TRUE(counted->sent);
  EXPECT_EQ(counted->packets, 5U);
}

TEST_F(DevicePackets, are_unknown_when_the_device_went_away) {
  const auto count = open(Direction::send);
  ASSERT_TRUE(count);
  client_.ip({"link", "delete", "wire"});
  EXPECT_FALSE(count->count());
}

TEST_F(DevicePackets, pass_the_loopback_device_to_an_address_of_the_client_itself) {
  const auto count = open(Direction::send, "10.78.0.1");
  ASSERT_TRUE(count);
  client_.send_datagrams("10.78.0.1", 4);
  EXPECT_EQ(count->count()->device, "lo");
  // With the four answers that nobody listens.
  EXPECT_EQ(count->count()->packets, 8U);
}

TEST_F(DevicePackets, are_not_counted_without_a_route_an_address_or_a_process) {
  EXPECT_FALSE(open(Direction::send, "10.99.0.1"));
  EXPECT_FALSE(open(Direction::send, "server.example"));
  JobSpec spec;
  spec.iperf3.server = "10.78.0.2";
  EXPECT_FALSE(counter_.open(spec, {}));
  spec.workload = WorkloadKind::none;
  EXPECT_FALSE(counter_.open(spec, {client_.pid()}));
  spec.workload = WorkloadKind::iperf3;
  const pid_t ended = client_.pid();
  client_.end();
  EXPECT_FALSE(counter_.open(spec, {ended}));
}

}  // namespace
}  // namespace netperfd::counters
