// SPDX-License-Identifier: GPL-2.0-or-later
// Measures how fast recorded function calls become a function profile, compared with other ways to process
// the same bytes. See README.md.

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/trace/recording/trace_dat.hpp"
#include "daemon/trace/ring/graph_format.hpp"
#include "daemon/trace/ring/subbuffer.hpp"
#include "daemon/trace/ring/symbols.hpp"
#include "daemon/trace/ring/tally.hpp"
#include "tests/bench/figures.hpp"

#ifdef NETPERFD_HAS_KBUFFER
extern "C" {
#include <traceevent/kbuffer.h>
}
#endif

extern char** environ;

namespace netperfd::trace {
namespace {

using bench::interval_of_median;
using bench::median;
using bench::seconds_of;
using Bytes = std::span<const std::byte>;

constexpr const char* kProfile = "complete function profile";
constexpr int kGoal = 100;
constexpr int kEnough = 30;

// ---- Input ------------------------------------------------------------------------------------------------

std::vector<std::byte> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error(path + ": cannot be read");
  std::vector<std::byte> bytes(static_cast<std::size_t>(file.tellg()));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

struct Subbuffer {
  std::uint32_t cpu = 0;
  std::uint64_t time = 0;  // of its first event
  Bytes bytes;
};

struct Input {
  std::vector<std::byte> file;
  TraceDat dat;
  std::vector<Subbuffer> subbuffers;  // in the order of a reader: by time
  std::uint64_t bytes = 0;
};

Input load(const std::string& path) {
  Input input;
  input.file = read_whole(path);
  auto dat = read_trace_dat(input.file);
  if (!dat) throw std::runtime_error(dat.error().message);
  input.dat = std::move(*dat);
  if (input.dat.compressed) throw std::runtime_error(path + ": its sub-buffers are compressed");
  const std::size_t size = input.dat.layout.size();
  for (const DatCpu& cpu : input.dat.cpus) {
    for (std::uint64_t at = 0; at + size <= cpu.size; at += size) {
      const auto bytes = Bytes(input.file).subspan(cpu.offset + at, size);
      input.subbuffers.push_back({cpu.cpu, SubbufferWalk(bytes, input.dat.layout).begin_time(), bytes});
      input.bytes += size;
    }
  }
  std::ranges::stable_sort(input.subbuffers, {}, &Subbuffer::time);
  return input;
}

// ---- Decoders; each returns the number of events it saw ---------------------------------------------------

std::uint64_t copy(const Input& input) {
  static std::vector<std::byte> page(input.dat.layout.size());
  std::uint64_t sum = 0;
  for (const Subbuffer& subbuffer : input.subbuffers) {
    std::memcpy(page.data(), subbuffer.bytes.data(), page.size());
    sum += static_cast<std::uint64_t>(page[page.size() / 2]);
  }
  [[maybe_unused]] static volatile std::uint64_t seen;
  seen = sum;
  return 0;
}

std::uint64_t walk(const Input& input) {
  std::uint64_t events = 0;
  std::uint64_t types = 0;
  RawRecord record;
  for (const Subbuffer& subbuffer : input.subbuffers) {
    SubbufferWalk walk(subbuffer.bytes, input.dat.layout);
    while (walk.next(record)) {
      ++events;
      types += static_cast<std::uint64_t>(record.data[0]);
    }
  }
  [[maybe_unused]] static volatile std::uint64_t seen;
  seen = types;
  return events;
}

#ifdef NETPERFD_HAS_KBUFFER
// Without the fields: the minimum work with that library.
std::uint64_t walk_by_library(const Input& input) {
  kbuffer* buffer = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
  std::vector<std::byte> page(input.dat.layout.size());
  std::uint64_t events = 0;
  std::uint64_t types = 0;
  for (const Subbuffer& subbuffer : input.subbuffers) {
    std::memcpy(page.data(), subbuffer.bytes.data(), page.size());  // the library writes to this memory
    kbuffer_load_subbuffer(buffer, page.data());
    unsigned long long time = 0;
    for (void* data = kbuffer_read_event(buffer, &time); data != nullptr;
         data = kbuffer_next_event(buffer, &time)) {
      ++events;
      types += *static_cast<const unsigned char*>(data);
    }
  }
  kbuffer_free(buffer);
  [[maybe_unused]] static volatile std::uint64_t seen;
  seen = types;
  return events;
}
#endif

// Like the daemon during a run: counts, pairing of calls, profile, tree, edges, histograms, time slices.
std::uint64_t profile(const Input& input) {
  constexpr std::size_t kTurn = 128;  // sub-buffers that a busy ring (20 MB/s) delivers in the drain's period
                                      // of 25 ms
  TallySettings settings;
  settings.layout = input.dat.layout;
  settings.events = input.dat.events;
  auto graph = GraphFormat::make(input.dat.events);
  if (!graph) throw std::runtime_error(graph.error().message);
  settings.graph = std::move(*graph);
  Tally tally(std::move(settings));
  std::vector<std::uint32_t> behind;
  for (const DatCpu& cpu : input.dat.cpus) behind.push_back(cpu.cpu);
  std::size_t in_turn = 0;
  for (const Subbuffer& subbuffer : input.subbuffers) {
    tally.add(subbuffer.cpu, subbuffer.bytes);
    if (++in_turn % kTurn == 0) tally.end_turn(behind, [] { return true; });
  }
  const auto record = tally.finish(Symbols::parse("", 1), "", [](std::uint64_t address) {
    return analysis::FunctionName{fmt::format("{:x}", address), "", 0};
  });
  return events_of(record);
}

// ---- Measuring --------------------------------------------------------------------------------------------

// CPU time of `trace-cmd report FILE`, with its text discarded.
double seconds_of_report(std::string path) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  }
  std::string program = "trace-cmd";
  std::string verb = "report";
  std::vector<char*> arguments{program.data(), verb.data(), path.data(), nullptr};
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, "trace-cmd", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error(fmt::format("trace-cmd: {}", std::strerror(failed)));
  int status = 0;
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) continue;
  if (status != 0) throw std::runtime_error("trace-cmd report failed");
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Contender {
  std::string name;
  std::function<double()> seconds;
  std::vector<double> rounds;
};

void compare(const Input& input, const std::string& path, std::size_t rounds) {
  const std::uint64_t events = walk(input);
  if (profile(input) == 0) throw std::runtime_error(path + ": no events");
  std::vector<Contender> contenders{
      {"trace-cmd report, text to nowhere", [&] { return seconds_of_report(path); }, {}},
      {kProfile, [&] { return seconds_of([&] { (void)profile(input); }); }, {}},
      {"walk over the events alone", [&] { return seconds_of([&] { (void)walk(input); }); }, {}},
      {"memcpy page by page", [&] { return seconds_of([&] { (void)copy(input); }); }, {}}};
#ifdef NETPERFD_HAS_KBUFFER
  contenders.insert(contenders.begin() + 1,
                    {"libtraceevent's kbuffer, no fields",
                     [&] { return seconds_of([&] { (void)walk_by_library(input); }); },
                     {}});
#endif
  // The first round warms up. Each round begins with another decoder.
  for (std::size_t round = 0; round < rounds + 1; ++round) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      Contender& contender = contenders[(i + round) % contenders.size()];
      const double seconds = contender.seconds();
      if (round > 0) contender.rounds.push_back(seconds);
    }
  }
  fmt::print("{}: {} events, {:.1f} MB of sub-buffers, {} rounds, CPU time of one thread\n\n", path, events,
             static_cast<double>(input.bytes) / 1e6, rounds);
  const auto m_events = static_cast<double>(events) / 1e6;
  double times = 0;  // of trace-cmd report, for the profile: the interval's lower end
  for (const Contender& contender : contenders) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < contender.rounds.size(); ++i) {
      ratios.push_back(contenders.front().rounds[i] / contender.rounds[i]);
    }
    const bench::Interval interval = interval_of_median(ratios);
    if (contender.name == kProfile) times = interval.low;
    fmt::print(
        "{:<36} {:8.2f} M events/s  {:7.1f} times trace-cmd report  ({:.1f} % interval {:.1f} to {:.1f})\n",
        contender.name, m_events / median(contender.rounds), median(ratios), 100 * interval.level,
        interval.low, interval.high);
  }
  fmt::print("\n  goal: {} times trace-cmd report: {}; {} times outrun every ring that was measured: {}\n",
             kGoal, times >= kGoal ? "met" : "NOT met", kEnough, times >= kEnough ? "met" : "NOT met");
}

int run(const std::vector<std::string>& arguments) {
  std::size_t rounds = 10;
  std::string path;
  for (const std::string& argument : arguments) {
    constexpr std::string_view kRounds = "--rounds=";
    const char* end = argument.data() + argument.size();
    const bool is_rounds = argument.starts_with(kRounds);
    if (!is_rounds) path = argument;
    if (is_rounds && std::from_chars(argument.data() + kRounds.size(), end, rounds).ptr != end) rounds = 0;
  }
  if (path.empty() || rounds < 6 || rounds > 1'000) {
    fmt::print(stderr, "usage: decode_bench [--rounds=N] FILE.dat, N from 6 to 1000\n");
    return 2;
  }
  compare(load(path), path, rounds);
  return 0;
}

}  // namespace
}  // namespace netperfd::trace

int main(int argc, char** argv) {
  try {
    return netperfd::trace::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "decode_bench: {}\n", error.what());
    return 1;
  }
}
