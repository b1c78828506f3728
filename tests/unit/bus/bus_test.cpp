// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/bus/bus_test.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <utility>

#include "daemon/base/fd.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::bus {
namespace {

constexpr std::uint64_t kPatienceUs{std::chrono::microseconds{kTestPatience}.count()};

// " skb:kfree_skb=7 net:netif_rx=3"
std::string describe_counts(sd_bus_message* message) {
  std::string text;
  sd_bus_message_enter_container(message, 'a', "{st}");
  while (sd_bus_message_enter_container(message, 'e', "st") > 0) {
    const char* name = nullptr;
    std::uint64_t count = 0;
    sd_bus_message_read(message, "st", &name, &count);
    text += fmt::format(" {}={}", name, count);
    sd_bus_message_exit_container(message);
  }
  sd_bus_message_exit_container(message);
  return text;
}

// " 41 1.5 s skb:kfree_skb=7 2 lost hsr_rx=5"
std::string describe_trace_progress(sd_bus_message* message) {
  std::uint64_t run = 0;
  double seconds = 0;
  sd_bus_message_read(message, "td", &run, &seconds);
  std::string text = fmt::format(" {} {} s", run, seconds) + describe_counts(message);
  std::uint64_t lost = 0;
  sd_bus_message_read(message, "t", &lost);
  return text + fmt::format(" {} lost", lost) + describe_counts(message);
}

std::string describe(sd_bus_message* message) {
  std::string line = std::string{sd_bus_message_get_member(message)} + " " + sd_bus_message_get_path(message);
  if (sd_bus_message_is_signal(message, dbus::kJobInterface, "Interval") > 0) {
    std::uint64_t run = 0;
    sd_bus_message_read(message, "t", &run);
    return line + " " + std::to_string(run);
  }
  if (sd_bus_message_is_signal(message, dbus::kJobInterface, "TraceProgress") > 0) {
    return line + describe_trace_progress(message);
  }
  if (sd_bus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged") > 0) {
    sd_bus_message_skip(message, "s");
    sd_bus_message_enter_container(message, 'a', "{sv}");
    while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
      const char* name = nullptr;
      sd_bus_message_read(message, "s", &name);
      line += std::string{" "} + name;
      sd_bus_message_skip(message, "v");
      sd_bus_message_exit_container(message);
    }
  }
  return line;
}

std::string call_manager(const std::function<std::string(sdbus::IProxy&)>& body) {
  try {
    const auto connection = sdbus::createSystemBusConnection();
    const auto manager = sdbus::createProxy(*connection, dbus::ServiceName{dbus::kService},
                                            sdbus::ObjectPath{dbus::kManagerPath});
    return body(*manager);
  } catch (const std::exception& e) {
    return e.what();
  }
}

}  // namespace

void become(const User& user) {
  if (::geteuid() != 0) return;
  if (::setgroups(user.groups.size(), user.groups.data()) != 0 ||
      ::setresgid(user.gid, user.gid, user.gid) != 0 || ::setresuid(user.uid, user.uid, user.uid) != 0) {
    ::_exit(126);
  }
}

bool run_until(EventLoop& loop, const std::function<bool()>& done) {
  while (!done()) {
    if (sd_event_run(loop.raw(), kPatienceUs) <= 0) return false;
  }
  return true;
}

std::string outcome_of(const std::function<void()>& call) {
  try {
    call();
    return "ok";
  } catch (const sdbus::Error& e) {
    return e.getName();
  }
}

std::string start_fake(sdbus::IProxy& manager) {
  return outcome_of([&] {
    sdbus::ObjectPath job;
    manager.callMethod("StartScenario")
        .onInterface(dbus::kManagerInterface)
        .withArguments(std::string{"fake"}, dbus::Row{})
        .storeResultsTo(job);
  });
}

Client::Client(EventLoop& loop) : loop_(loop), connection_(sdbus::createSystemBusConnection()) {
  dbus::attach(*connection_, loop.raw());
}

Client::~Client() {
  sd_bus_slot_unref(listening_);
  dbus::detach(*connection_);
}

std::string Client::name() const {
  const char* name = nullptr;
  sd_bus_get_unique_name(dbus::raw(*connection_), &name);
  return name;
}

void Client::listen() {
  const std::string rule = std::string{"type='signal',sender='"} + dbus::kService + "'";
  sd_bus_add_match(
      dbus::raw(*connection_), &listening_, rule.c_str(),
      [](sd_bus_message* message, void* client, sd_bus_error*) {
        static_cast<Client*>(client)->heard_.push_back(describe(message));
        return 0;
      },
      this);
}

long Client::count_heard(const std::string& signal) const {
  return std::ranges::count_if(heard_, [&](const std::string& each) { return each.starts_with(signal); });
}

void BusTest::SetUp() {
  auto started_bus = PrivateBus::start(rules());
  if (!started_bus) GTEST_SKIP() << started_bus.error().message;
  bus.emplace(std::move(*started_bus));
  auto made_loop = EventLoop::create();
  ASSERT_TRUE(made_loop);
  loop.emplace(std::move(*made_loop));
  query_runner.emplace(*loop, queries);
  scheduler.emplace(
      core::RunPorts{workload, tracer, store, clock, packets, counters, fingerprints, commands, sides, boots},
      4);
  auto created = Service::create(*loop, ports(), settings());
  ASSERT_TRUE(created) << created.error().message;
  service = std::move(*created);
}

std::vector<std::string> BusTest::refused() const {
  std::vector<std::string> details;
  for (const core::AuditEntry& entry : audit_store.entries) {
    if (entry.action == "call" && entry.outcome == core::AuditOutcome::refused)
      details.push_back(entry.detail);
  }
  return details;
}

ServiceSettings BusTest::settings() {
  return {.version = "1.2.3",
          .iperf3_version = "3.12",
          .iperf3_intervals = true,
          // Without root no other user can be simulated, so this user must be a member.
          .group = ::geteuid() == 0 ? kGroup : ::getegid(),
          .timeouts = {.credentials = kTestPatience}};
}

void BusTest::TearDown() {
  service.reset();
  ::unsetenv("DBUS_SYSTEM_BUS_ADDRESS");  // NOLINT(concurrency-mt-unsafe): one thread
}

std::string BusTest::as(const User& user, const std::function<std::string(sdbus::IProxy&)>& body) {
  auto pipe = make_pipe();
  if (!pipe) return pipe.error().message;
  const pid_t child = ::fork();
  if (child == 0) {
    become(user);
    const std::string text = call_manager(body);
    ::_exit(::write(pipe->write.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0
                                                                                                      : 1);
  }
  pipe->write.reset();
  std::string text;
  bool ended = false;
  const auto source = loop->on_readable(pipe->read.get(), [&] {
    std::array<char, 4096> chunk{};
    const ssize_t got = ::read(pipe->read.get(), chunk.data(), chunk.size());
    if (got > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(got));
    } else {
      ended = true;
    }
  });
  EXPECT_TRUE(source);
  while (!ended && sd_event_run(loop->raw(), kPatienceUs) > 0) {
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(ended);
  EXPECT_EQ(status, 0);
  return text;
}

}  // namespace netperfd::bus
