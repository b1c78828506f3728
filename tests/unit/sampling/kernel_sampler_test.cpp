// SPDX-License-Identifier: GPL-2.0-or-later
// Samples this machine: processes whose work is known are found with it.
#include "daemon/sampling/kernel_sampler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/sampling/rings.hpp"
#include "tests/support/patience.hpp"

namespace netperfd::sampling {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr std::uint32_t kRate = 397;

// What a worker used of a CPU.
struct Used {
  double cpu_s = 0;
  double wall_s = 0;    // from its begin to its end
  double stolen_s = 0;  // CPU time in which the host may have given the CPU to others: samples are missing

  [[nodiscard]] double expected() const { return cpu_s * kRate; }
  // Who has the CPU at a sample is luck for a process that shares it: five standard deviations.
  [[nodiscard]] double luck() const {
    return 5 * std::sqrt(expected() * (1 - std::min(1.0, cpu_s / wall_s)));
  }
  [[nodiscard]] double stolen() const { return stolen_s * kRate; }
};

// A process that waits for go(), then uses `cpu_ms` of CPU time and ends.
class Worker {
 public:
  using Work = void (*)();  // far shorter than the time between two samples
  Worker(const char* name, int cpu_ms, Work work)
      : used_(static_cast<Used*>(
            ::mmap(nullptr, sizeof(Used), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    if (used_ == MAP_FAILED) throw std::runtime_error("mmap");
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    go_ = Fd{ends[1]};
    Fd wait{ends[0]};
    pid_ = ::fork();
    if (pid_ != 0) return;
    go_.reset();
    (void)::prctl(PR_SET_NAME, name);
    (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
    char byte = 0;
    if (::read(wait.get(), &byte, 1) == 1) use(std::chrono::milliseconds{cpu_ms}, work);
    ::_exit(0);
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      (void)::waitpid(pid_, nullptr, 0);
    }
    ::munmap(used_, sizeof(Used));
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void go() { (void)!::write(go_.get(), "", 1); }
  // Readable when it has ended.
  [[nodiscard]] Fd ended() const { return Fd{static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))}; }
  Used wait() {
    rusage usage{};
    (void)::wait4(pid_, nullptr, 0, &usage);
    pid_ = 0;
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    Used used = *used_;
    used.cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    return used;
  }

 private:
  void use(std::chrono::nanoseconds cpu, Work work) const {
    using Seconds = std::chrono::duration<double>;
    constexpr Seconds kTwoSamples{2.0 / kRate};
    const auto begin = std::chrono::steady_clock::now();
    for (auto before = cpu_time(); before < cpu;) {
      work();
      const auto after = cpu_time();
      if (after - before > kTwoSamples) used_->stolen_s += Seconds(after - before).count();
      before = after;
    }
    used_->wall_s = Seconds(std::chrono::steady_clock::now() - begin).count();
  }
  static std::chrono::nanoseconds cpu_time() {
    timespec time{};
    (void)::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds{time.tv_sec} + std::chrono::nanoseconds{time.tv_nsec};
  }
  Used* used_;  // shared with the process
  pid_t pid_ = 0;
  Fd go_;
};

void read_zeros() {
  static const int zeros = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  static std::vector<char> bytes(std::size_t{1} << 20U);
  (void)!::read(zeros, bytes.data(), bytes.size());
}

void count_up() {
  static volatile unsigned sum = 0;
  for (int i = 0; i < 100'000; ++i) sum = sum + 1;
}

class KernelSampling : public testing::Test {
 protected:
  void SetUp() override {
    auto created = EventLoop::create();
    ASSERT_TRUE(created);
    loop_ = std::make_unique<EventLoop>(std::move(*created));
    sampler_ = std::make_unique<KernelSampler>(*loop_);
    auto trial = sampler_->open({.rate = kRate}, {});
    trial->stop();
    const SampleProfile tried = trial->finish();
    if (!tried.skipped.empty()) GTEST_SKIP() << "this kernel refuses: " << tried.skipped;
  }

  // Samples until all of `workers` have ended. The first `own` of them are the workload.
  SampleProfile sample(std::vector<Worker*> workers, std::size_t own) {
    std::vector<pid_t> workload;
    for (std::size_t i = 0; i < own; ++i) workload.push_back(workers[i]->pid());
    auto sampling = sampler_->open({.rate = kRate}, workload);
    std::vector<Fd> ends;
    std::vector<EventSource> sources(workers.size());
    std::size_t running = workers.size();
    for (std::size_t i = 0; i < workers.size(); ++i) {
      ends.push_back(workers[i]->ended());
      auto source = loop_->on_readable(ends.back().get(), [&, i] {
        sources[i].reset();
        --running;
      });
      EXPECT_TRUE(source);
      sources[i] = std::move(*source);
      workers[i]->go();
    }
    const auto begin = std::chrono::steady_clock::now();
    sampling->released();
    while (running > 0 && sd_event_run(loop_->raw(), UINT64_MAX) >= 0) {
    }
    EXPECT_EQ(running, 0U);
    sampling->stop();
    sampled_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return sampling->finish();
  }

  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<KernelSampler> sampler_;
  double sampled_s_ = 0;  // and no longer
};

// All samples of one root, and those of them with `function` anywhere in the stack.
struct Found {
  std::uint64_t all = 0, with = 0;
};
Found find(const SampleProfile& profile, FrameKind root, const std::string& program,
           const std::string& function) {
  Found found;
  for (const SampleNode& node : profile.nodes) {
    bool with = false;
    const SampleNode* at = &node;
    for (; at->parent; at = &profile.nodes[*at->parent]) {
      with = with || name_of(profile.frames[at->frame]).find(function) != std::string::npos;
    }
    const SampleFrame& top = profile.frames[at->frame];
    if (top.kind != root || top.name != program) continue;
    found.all += node.samples;
    if (with) found.with += node.samples;
  }
  return found;
}

TEST_F(KernelSampling, finds_a_busy_process_in_the_function_that_it_calls_with_its_share_of_time) {
  Worker zeros{"zeros", 1'000, read_zeros};
  Worker counts{"counts", 500, count_up};
  const SampleProfile profile = sample({&zeros, &counts}, 2);
  const Used by_zeros = zeros.wait(), by_counts = counts.wait();
  const Found read = find(profile, FrameKind::program, "zeros", "read_");
  const Found user = find(profile, FrameKind::program, "counts", "[user]");
  for (const auto& [samples, used] : {std::pair{read.all, by_zeros}, std::pair{user.all, by_counts}}) {
    const double room = 0.15 * used.expected() + used.luck();
    EXPECT_LE(static_cast<double>(samples), used.expected() + room);
    EXPECT_GE(static_cast<double>(samples), used.expected() - room - used.stolen());
  }
  EXPECT_GT(static_cast<double>(read.with), 0.5 * static_cast<double>(read.all));
  EXPECT_GT(static_cast<double>(user.with), 0.7 * static_cast<double>(user.all));
  EXPECT_EQ(profile.lost, 0U);
  EXPECT_EQ(profile.damaged, 0U);
}

TEST_F(KernelSampling, takes_the_samples_asked_for_on_each_cpu_and_tells_idle_ones) {
  Worker counts{"counts", 700, count_up};
  const SampleProfile profile = sample({&counts}, 1);
  EXPECT_EQ(profile.rate, kRate);
  EXPECT_EQ(profile.cpus, static_cast<std::uint32_t>(::sysconf(_SC_NPROCESSORS_ONLN)));
  const std::uint64_t counted =
      std::accumulate(profile.nodes.begin(), profile.nodes.end(), profile.idle,
                      [](std::uint64_t sum, const SampleNode& node) { return sum + node.samples; });
  EXPECT_EQ(counted, profile.samples);
  if (profile.event != "cpu-clock") GTEST_SKIP() << "an idle CPU has no cycles";
  // A CPU that the host of a virtual machine gives to others takes one sample for all that it missed.
  EXPECT_LE(static_cast<double>(profile.samples), (sampled_s_ * kRate + 1) * profile.cpus);
  const double expected = static_cast<double>(profile.duration_ns) / 1e9 * kRate * profile.cpus;
  EXPECT_GT(static_cast<double>(profile.samples), 0.1 * expected);
  EXPECT_FALSE(profile.sees_interrupts_off);
}

TEST_F(KernelSampling, never_names_a_program_that_is_not_the_workloads) {
  Worker own{"own", 200, count_up};
  Worker secret{"secret", 400, count_up};
  const SampleProfile profile = sample({&own, &secret}, 1);
  const Used by_secret = secret.wait();
  EXPECT_GT(static_cast<double>(find(profile, FrameKind::others, "", "[user]").with),
            0.7 * by_secret.expected() - by_secret.luck() - by_secret.stolen());
  for (const SampleFrame& frame : profile.frames) {
    EXPECT_THAT(frame.name, testing::Not(HasSubstr("secret")));
    EXPECT_TRUE(frame.kind == FrameKind::function || frame.kind == FrameKind::program || frame.name.empty());
  }
  EXPECT_THAT(profile.builds, testing::Contains(testing::Field(&Build::module, "")));
}

// CI watches that no descriptor gets into another program: then it would live on after a killed daemon.
TEST_F(KernelSampling, has_descriptors_that_end_with_the_daemon) {
  const auto sampling = sampler_->open({.rate = kRate}, {});
  const auto events = [] {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code error;
      const auto target = std::filesystem::read_symlink(entry.path(), error);
      if (target == "anon_inode:[perf_event]") found.push_back(std::stoi(entry.path().filename()));
    }
    return found;
  };
  EXPECT_THAT(events(), SizeIs(static_cast<std::size_t>(::sysconf(_SC_NPROCESSORS_ONLN))));
  for (const int fd : events()) EXPECT_EQ(::fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC) << fd;
}

TEST_F(KernelSampling, leaves_no_descriptor_and_no_memory_behind) {
  const auto mapped = [] {
    std::ifstream maps("/proc/self/maps");
    std::size_t lines = 0;
    for (std::string line; std::getline(maps, line);) lines += line.find("perf_event") != std::string::npos;
    return lines;
  };
  {
    const auto sampling = sampler_->open({.rate = kRate}, {});
    EXPECT_GT(mapped(), 0U);
  }
  EXPECT_EQ(mapped(), 0U);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    EXPECT_NE(std::filesystem::read_symlink(entry.path(), error), "anon_inode:[perf_event]");
  }
}

// As after a module was replaced by another build of its size, or a BPF program by another one: the list of
// modules stays as it was.
TEST_F(KernelSampling, names_functions_as_they_are_called_when_the_run_begins) {
  const auto proc = std::filesystem::temp_directory_path() / fmt::format("netperfd-proc-{}", ::getpid());
  std::filesystem::create_directories(proc);
  const std::string real = read_file("/proc/kallsyms", std::size_t{64} << 20U).value();
  const auto call_it = [&](const std::string& name) {
    std::string text = real;
    for (const auto* old : {" vfs_read\n", " ksys_read\n"}) {
      const auto at = text.find(old);
      ASSERT_NE(at, std::string::npos);
      text.replace(at, std::strlen(old), " " + name + "\n");
    }
    std::ofstream(proc / "kallsyms") << text;
  };
  sampler_ = std::make_unique<KernelSampler>(*loop_, proc);
  for (const auto& [name, other] :
       {std::pair{"first_build", "later_build"}, {"later_build", "first_build"}}) {
    call_it(name);
    Worker zeros{"zeros", 200, read_zeros};
    const SampleProfile profile = sample({&zeros}, 1);
    const Found found = find(profile, FrameKind::program, "", name);
    EXPECT_GT(found.with, found.all / 5) << name;  // the rest is at the edge of the kernel
    EXPECT_EQ(find(profile, FrameKind::program, "", other).with, 0U) << name;
  }
  std::filesystem::remove_all(proc);
}

TEST_F(KernelSampling, refuses_a_rate_above_the_kernels_limit) {
  const auto proc = std::filesystem::temp_directory_path() / fmt::format("netperfd-proc-{}", ::getpid());
  std::filesystem::create_directories(proc / "sys/kernel");
  std::ofstream(proc / "sys/kernel/perf_event_max_sample_rate") << "250\n";
  KernelSampler limited{*loop_, proc};
  EXPECT_TRUE(limited.check({.rate = 250}));
  const Status refused = limited.check({.rate = 251});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  EXPECT_EQ(
      refused.error().message,
      "251 samples a second are more than this kernel allows: kernel.perf_event_max_sample_rate is 250");
  auto sampling = limited.open({.rate = 251}, {});
  sampling->stop();
  EXPECT_EQ(sampling->finish().skipped, refused.error().message);
  std::filesystem::remove_all(proc);
}

TEST_F(KernelSampling, counts_what_a_full_ring_has_lost) {
  auto rings = SampleRings::open({0}, 100'000);
  ASSERT_TRUE(rings) << rings.error().message;
  if (!rings->lost()) GTEST_SKIP() << "this kernel does not count them";
  // Nobody reads: at 8 bytes a sample at least, the ring is full some time.
  Worker busy{"busy", 1'000'000, count_up};
  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  ASSERT_EQ(::sched_setaffinity(busy.pid(), sizeof first, &first), 0);
  busy.go();
  const auto end = std::chrono::steady_clock::now() + kTestPatience;
  while (*rings->lost() <= 1'000 && std::chrono::steady_clock::now() < end) ::poll(nullptr, 0, 10);
  rings->stop();
  struct Counting final : RecordListener {
    void sampled(const RawSample& /*sample*/) override { ++samples; }
    void renamed(std::int32_t /*pid*/, std::string_view /*name*/) override {}
    void lost(std::uint64_t /*records*/) override {}
    void throttled() override {}
    void damaged() override { ++damages; }
    std::uint64_t samples = 0, damages = 0;
  } counting;
  rings->drain(counting);
  EXPECT_GT(counting.samples, 1'000U);
  EXPECT_EQ(counting.damages, 0U);
  EXPECT_GT(*rings->lost(), 1'000U);
}

TEST(RingBytes, hold_seconds_and_stay_within_what_the_kernel_lets_a_user_lock) {
  EXPECT_EQ(ring_bytes(1), std::size_t{64} << 10U);
  EXPECT_EQ(ring_bytes(199), std::size_t{256} << 10U);
  EXPECT_EQ(ring_bytes(10'000), std::size_t{512} << 10U);
}

}  // namespace
}  // namespace netperfd::sampling
