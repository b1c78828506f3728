// SPDX-License-Identifier: GPL-2.0-or-later
// A whole trace on the real tracefs, using features that every kernel has; root only.
#include "daemon/trace/ring_trace.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "daemon/base/fd.hpp"
#include "tests/support/patience.hpp"
#include "tests/unit/core/fakes.hpp"

namespace netperfd::trace {
namespace {

using testing::Contains;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

// Nobody listens there: the kernel drops each datagram because there is no socket.
constexpr std::uint16_t kClosedPort = 9;

void send_datagrams(int count) {
  const Fd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(kClosedPort);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int i = 0; i < count; ++i) {
    ASSERT_EQ(::sendto(socket.get(), "test", 4, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to), 4);
  }
}

class RecordingListener final : public core::TraceListener {
 public:
  void trace_progress(const TraceProgress& progress) override { progresses.push_back(progress); }
  void trace_ended(TraceRecord ended, std::vector<QualityFlag> its_flags) override {
    record = std::move(ended);
    flags = std::move(its_flags);
  }
  std::vector<TraceProgress> progresses;
  std::optional<TraceRecord> record;
  std::vector<QualityFlag> flags;
};

class RingTraceTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto root = find_tracefs();
    ASSERT_TRUE(root) << root.error().message;
    tracefs_ = make_real_tracefs(*root);
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override {
    trace_.reset();
    std::filesystem::remove_all(directory_);
  }

  void open(TraceSpec spec, std::size_t most_held_bytes = 0) {
    SessionSettings settings;
    settings.journal = directory_ / "journal";
    settings.instance = fmt::format("netperfd-{}", getpid());
    settings.process = "trace_test";
    settings.boot_id = "this boot";
    settings.buffer_bytes = 4U << 20U;
    auto session = TraceSession::open(*tracefs_, settings, spec);
    ASSERT_TRUE(session) << session.error().message;
    RingTraceSettings trace_settings;
    trace_settings.most_held_bytes = most_held_bytes;
    auto trace =
        RingTrace::open({clock_, *tracefs_, listener_}, std::move(*session), spec, std::move(trace_settings));
    ASSERT_TRUE(trace) << trace.error().message;
    trace_ = std::move(*trace);
  }
  void start(TraceSpec spec, std::size_t most_held_bytes = 0) {
    ASSERT_NO_FATAL_FAILURE(open(std::move(spec), most_held_bytes));
    const auto started = trace_->start({getpid()});
    ASSERT_TRUE(started) << started.error().message;
    ASSERT_TRUE(trace_->mark(kReleaseMark, false));
  }
  const TraceRecord& end() {
    trace_->stop();
    clock_.turn();
    EXPECT_TRUE(listener_.record) << "it does not end";
    if (!listener_.record) listener_.record.emplace();
    EXPECT_FALSE(tracefs_->exists(fmt::format("instances/netperfd-{}", getpid())));
    return *listener_.record;
  }
  // Unread events in the fullest ring, as counted by the kernel.
  [[nodiscard]] std::uint64_t most_unread() {
    const std::string rings = fmt::format("instances/netperfd-{}/per_cpu", getpid());
    std::uint64_t most = 0;
    for (const std::string& cpu : tracefs_->list(rings).value_or(std::vector<std::string>{})) {
      const auto stats = tracefs_->read(fmt::format("{}/{}/stats", rings, cpu)).value_or("");
      constexpr std::string_view kBegin = "entries: ";
      if (stats.starts_with(kBegin))
        most = std::max<std::uint64_t>(most, std::stoull(stats.substr(kBegin.size())));
    }
    return most;
  }
  // Waits while the loop gets no turn. Returns whether the reader got that far.
  [[nodiscard]] bool wait_for_reader(std::uint64_t unread) {
    const auto deadline = std::chrono::steady_clock::now() + kTestPatience;
    while (most_unread() > unread) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }
  static TraceSpec events(std::vector<EventSpec> events) {
    TraceSpec spec;
    spec.events = std::move(events);
    return spec;
  }
  static std::uint64_t count_of(const TraceRecord& record, const std::string& event) {
    const auto found = std::ranges::find(record.events, event, &EventCount::name);
    return found == record.events.end() ? 0 : found->count;
  }

  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / fmt::format("netperfd-ring-{}", getpid());
  core::FakeClock clock_;
  std::unique_ptr<Tracefs> tracefs_;
  RecordingListener listener_;
  std::unique_ptr<RingTrace> trace_;
};

TEST_F(RingTraceTest, counts_drops_by_reason_with_their_stacks) {
  ASSERT_NO_FATAL_FAILURE(start(events({{"skb:kfree_skb", "reason == 3", true}})));  // NO_SOCKET
  constexpr int kDatagrams = 40;
  send_datagrams(kDatagrams);
  const TraceRecord& record = end();
  EXPECT_GE(count_of(record, "skb:kfree_skb"), 40U);
  ASSERT_FALSE(record.drops.empty());
  EXPECT_EQ(record.drops.front().reason, "NO_SOCKET");
  EXPECT_EQ(record.drops.front().location, "__udp4_lib_rcv");
  ASSERT_FALSE(record.stacks.empty());
  EXPECT_GE(record.stacks.front().count, 40U);
  EXPECT_THAT(record.stacks.front().frames, Contains(HasSubstr("__udp4_lib_rcv+0x")));
  EXPECT_THAT(listener_.flags, IsEmpty());
}

TEST_F(RingTraceTest, puts_a_filter_to_the_kernel) {
  ASSERT_NO_FATAL_FAILURE(start(events({{"skb:kfree_skb", "reason == 2000", true}})));
  send_datagrams(10);
  const TraceRecord& record = end();
  EXPECT_EQ(count_of(record, "skb:kfree_skb"), 0U);
  EXPECT_THAT(record.stacks, IsEmpty()) << "a stack belongs to an event that passed";
}

TEST_F(RingTraceTest, places_marks_beside_the_events) {
  ASSERT_NO_FATAL_FAILURE(start(events({{"skb:kfree_skb", "reason == 3", false}})));
  send_datagrams(1);
  ASSERT_TRUE(trace_->mark("phase two", true));
  send_datagrams(1);
  ASSERT_TRUE(trace_->mark("end", false));
  const TraceRecord& record = end();
  ASSERT_EQ(record.marks.size(), 3U);
  EXPECT_EQ(record.marks[0].text, "release");
  EXPECT_EQ(record.marks[0].time_ns, 0);
  EXPECT_EQ(record.marks[1].text, "phase two");
  EXPECT_TRUE(record.marks[1].user);
  ASSERT_GE(record.samples.size(), 2U);
  EXPECT_GT(record.samples.front().time_ns, 0);
  EXPECT_LT(record.samples.front().time_ns, record.marks[1].time_ns);
  EXPECT_GT(record.samples.back().time_ns, record.marks[1].time_ns);
  EXPECT_LT(record.samples.back().time_ns, record.marks[2].time_ns);
}

TEST_F(RingTraceTest, marks_also_where_only_another_cpu_is_traced) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  TraceSpec spec = events({{"skb:kfree_skb", "", false}});
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &all)) spec.cpus = {cpu};  // the last one
  }
  ASSERT_NO_FATAL_FAILURE(start(spec));
  // Runs on the first CPU, independent of the scheduler.
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
  EXPECT_TRUE(trace_->mark("from elsewhere", true));
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  EXPECT_THAT(end().marks, Contains(Field(&TraceMark::text, "from elsewhere")));
}

TEST_F(RingTraceTest, follows_the_workloads_tasks_only_where_asked) {
  if (std::filesystem::read_symlink("/proc/self/ns/pid") != "pid:[4026531836]") {
    GTEST_SKIP() << "in this PID namespace the kernel takes our numbers for other tasks";
  }
  TraceSpec spec = events({{"sched:sched_switch", "", false}});
  spec.workload_only = true;
  auto there = make_pipe();
  auto back = make_pipe();
  ASSERT_TRUE(there && back);
  // Started before the trace, so that it does not count as a task of the workload.
  std::thread other([&] {
    char byte = 0;
    if (::read(there->read.get(), &byte, 1) == 1) (void)!::write(back->write.get(), &byte, 1);
  });
  start(spec);
  // Waits for the other thread, which causes a switch away from this task and back.
  char byte = 'x';
  EXPECT_EQ(::write(there->write.get(), &byte, 1), 1);
  EXPECT_EQ(::read(back->read.get(), &byte, 1), 1);
  other.join();
  ASSERT_TRUE(trace_);
  const TraceRecord& record = end();
  EXPECT_GT(count_of(record, "sched:sched_switch"), 0U);
  EXPECT_TRUE(record.workload_only);
  for (const EventSample& sample : record.samples) {
    if (sample.event != "sched:sched_switch") continue;
    const auto number = [&](const char* name) {
      const auto field = std::ranges::find(sample.fields, name, &EventField::name);
      return std::get<std::int64_t>(field->value);
    };
    EXPECT_TRUE(number("prev_pid") == getpid() || number("next_pid") == getpid());
  }
}

TEST_F(RingTraceTest, counts_what_nobody_could_read_in_time) {
  TraceSpec spec = events({{"skb:kfree_skb", "reason == 3", false}});
  spec.buffer_bytes = 64U << 10U;
  // The reader must stop as soon as it has read anything, because the loop gets no turn and takes nothing.
  ASSERT_NO_FATAL_FAILURE(start(spec, 1));
  ASSERT_TRUE(wait_for_reader(0));
  constexpr std::uint64_t kDatagrams = 20'000;
  send_datagrams(kDatagrams);
  const TraceRecord& record = end();
  std::uint64_t lost = 0;
  for (const TraceCpu& cpu : record.cpus) lost += lost_of(cpu);
  EXPECT_GT(lost, 0U);
  EXPECT_GE(count_of(record, "skb:kfree_skb") + lost, kDatagrams) << "each is either counted or lost";
  EXPECT_THAT(listener_.flags, Contains(Field(&QualityFlag::code, "events-lost")));
}

// Sends twenty times the capacity of the ring while the loop gets no turn, as during a long query or commit.
// A reader in the loop's thread would read nothing and lose most of it. The sender waits for the reader, so
// the load of the machine does not matter.
TEST_F(RingTraceTest, loses_nothing_while_the_loop_is_busy) {
  TraceSpec spec = events({{"skb:kfree_skb", "reason == 3", false}});
  spec.buffer_bytes = 64U << 10U;
  ASSERT_NO_FATAL_FAILURE(start(spec));
  constexpr int kBatches = 200;
  constexpr int kBatch = 100;  // the ring holds more than ten of them
  bool read = true;
  for (int i = 0; i < kBatches && read; ++i) {
    send_datagrams(kBatch);
    read = wait_for_reader(6 * kBatch);
  }
  EXPECT_TRUE(read) << "nobody reads while the loop is busy";
  const TraceRecord& record = end();
  EXPECT_GE(count_of(record, "skb:kfree_skb"), std::uint64_t{kBatches} * kBatch);
  EXPECT_THAT(listener_.flags, IsEmpty());
}

TEST_F(RingTraceTest, counts_while_the_run_goes_on) {
  ASSERT_NO_FATAL_FAILURE(start(events({{"skb:kfree_skb", "reason == 3", false}})));
  constexpr int kBatches = 20;
  constexpr int kBatch = 100;
  for (int i = 0; i < kBatches; ++i) {
    send_datagrams(kBatch);
    clock_.advance(std::chrono::milliseconds{25});
  }
  EXPECT_GE(count_of(end(), "skb:kfree_skb"), std::uint64_t{kBatches} * kBatch);
  EXPECT_THAT(listener_.flags, IsEmpty());
}

TEST_F(RingTraceTest, tells_its_progress_once_a_second) {
  ASSERT_NO_FATAL_FAILURE(start(events({{"skb:kfree_skb", "reason == 3", false}})));
  send_datagrams(7);
  ASSERT_TRUE(wait_for_reader(0));
  // The kernel's count decreases slightly before the thread delivers what it read.
  const auto told = [&] {
    return std::ranges::any_of(listener_.progresses, [](const TraceProgress& progress) {
      return std::ranges::find(progress.events, "skb:kfree_skb",
                               [](const auto& event) { return event.first; }) != progress.events.end();
    });
  };
  std::size_t passed = 0;
  for (; !told(); ++passed) clock_.advance(std::chrono::seconds{1});
  clock_.advance(std::chrono::seconds{2});
  EXPECT_EQ(listener_.progresses.size(), passed + 2);
  end();
}

TEST_F(RingTraceTest, ends_in_the_same_way_where_it_never_started) {
  ASSERT_NO_FATAL_FAILURE(open(events({{"skb:kfree_skb", "", false}})));
  EXPECT_THAT(end().events, Each(Field(&EventCount::count, 0U)));
}

TEST_F(RingTraceTest, says_that_somebody_switched_tracing_off_meanwhile) {
  ASSERT_NO_FATAL_FAILURE(start(events({{"skb:kfree_skb", "", false}})));
  ASSERT_TRUE(tracefs_->write(fmt::format("instances/netperfd-{}/tracing_on", getpid()), "0"));
  EXPECT_THAT(end().broken, HasSubstr("tracing"));
  EXPECT_THAT(listener_.flags, Contains(Field(&QualityFlag::code, "trace-broken")));
}

TEST_F(RingTraceTest, puts_tracefs_back_where_it_is_destroyed_under_way) {
  ASSERT_NO_FATAL_FAILURE(start(events({{"skb:kfree_skb", "", true}})));
  trace_.reset();
  EXPECT_FALSE(tracefs_->exists(fmt::format("instances/netperfd-{}", getpid())));
  EXPECT_EQ(clock_.waiting(), 0U);
}

}  // namespace
}  // namespace netperfd::trace
