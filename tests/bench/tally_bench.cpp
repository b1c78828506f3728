// SPDX-License-Identifier: GPL-2.0-or-later
// Measures how fast sub-buffers are decoded: a bare walk over their events, compared with the full tally of
// the same bytes. See README.md.

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/trace/ring/symbols.hpp"
#include "tests/bench/figures.hpp"
#include "tests/unit/trace/ring/subbuffer_maker.hpp"

namespace netperfd::trace {
namespace {

using bench::interval_of_median;
using bench::median;
using bench::seconds_of;

constexpr std::size_t kSubbuffer = 4096;
constexpr std::size_t kSyntheticSubbuffers = 4'096;  // 16 MiB: more than a core's own caches
constexpr std::uint64_t kEventsARound = 2'000'000;
constexpr std::uint32_t kCpus = 4;

struct Input {
  std::string name;
  std::vector<KnownEvent> events;
  std::vector<std::byte> bytes;  // sub-buffers, one after another
};

// ---- Inputs -----------------------------------------------------------------------------------------------

void append(std::vector<std::byte>& bytes, const test::Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// `next` returns the records of an event by its number, with or without a stack.
template <class Next>
Input make_synthetic(std::string name, Next next) {
  Input input{std::move(name), test::known_events(), {}};
  std::uint64_t time = 1'000'000'000;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < kSyntheticSubbuffers; ++i) {
    test::SubbufferMaker maker(time);
    for (bool fits = true; fits; ++number) {
      time += 1'000;
      for (const test::Bytes& record : next(number)) fits = fits && maker.add(time, record);
    }
    append(input.bytes, maker.finish());
  }
  return input;
}

Input make_counted() {
  return make_synthetic("net:send, counted only", [](std::uint64_t number) {
    return std::array{test::send_record(static_cast<std::uint32_t>(number), 4711)};
  });
}

// 20 different stacks of 12 frames, 8 reasons at 20 locations.
Input make_drops() {
  return make_synthetic("skb:kfree_skb with its stack", [](std::uint64_t number) {
    std::array<std::uint64_t, 12> frames{};
    for (std::size_t i = 0; i < frames.size(); ++i) frames[i] = test::kSoftirq + 64 * (number % 20) + i;
    return std::array{
        test::drop_record(static_cast<std::uint32_t>(number % 8), test::kIpRcv + number % 20, 4711),
        test::stack_record(frames, 4711)};
  });
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  return {std::istreambuf_iterator<char>(file), {}};
}

// The events of the running kernel, if tracefs is readable.
std::vector<KnownEvent> kernel_events() {
  namespace fs = std::filesystem;
  std::vector<KnownEvent> events;
  std::error_code error;
  for (const auto& system : fs::directory_iterator("/sys/kernel/tracing/events", error)) {
    if (!system.is_directory()) continue;
    for (const auto& event : fs::directory_iterator(system.path(), error)) {
      if (!fs::exists(event.path() / "format", error)) continue;
      auto format = parse_event_format(read_text(event.path() / "format"));
      const auto name = system.path().filename().string() + ":" + event.path().filename().string();
      if (format) events.push_back({name, *std::move(format)});
    }
  }
  return events;
}

Input read_input(const std::string& path) {
  const auto text = read_text(path);
  if (text.empty() || text.size() % kSubbuffer != 0) {
    throw std::runtime_error(
        fmt::format("{}: {} bytes are no sub-buffers of {}", path, text.size(), kSubbuffer));
  }
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {path, kernel_events(), {begin, begin + text.size()}};
}

// ---- The two that are compared ----------------------------------------------------------------------------

std::uint64_t walk(const Input& input) {
  std::uint64_t events = 0;
  std::uint64_t types = 0;
  RawRecord record;
  for (std::size_t at = 0; at < input.bytes.size(); at += kSubbuffer) {
    SubbufferWalk one(std::span(input.bytes).subspan(at, kSubbuffer), SubbufferLayout{});
    while (one.next(record)) {
      types += std::to_integer<std::uint64_t>(record.data[0]);
      ++events;
    }
  }
  // Nobody reads it; it forces the compiler to process each event.
  [[maybe_unused]] static volatile std::uint64_t seen;
  seen = types;
  return events;
}

void tally(Tally& into, const Input& input) {
  std::uint32_t cpu = 0;
  for (std::size_t at = 0; at < input.bytes.size(); at += kSubbuffer) {
    into.add(cpu, std::span(input.bytes).subspan(at, kSubbuffer));
    cpu = (cpu + 1) % kCpus;
  }
}

// ---- Figures ----------------------------------------------------------------------------------------------

// Resets the peak. Without the permission for it, the peak of the whole process remains.
void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << 5;
}

std::int64_t peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

void compare(const Input& input, std::size_t rounds) {
  const auto events = walk(input);
  const auto repeats = std::max<std::uint64_t>(1, kEventsARound / std::max<std::uint64_t>(1, events));
  const auto a_round = static_cast<double>(events * repeats);
  std::vector<double> walks;
  std::vector<double> tallies;
  std::vector<double> ratios;
  forget_peak();
  const auto before = peak_kib();
  for (std::size_t round = 0; round < rounds + 1; ++round) {
    TallySettings settings;
    settings.events = input.events;
    Tally into(std::move(settings));
    const auto time_walk = [&] {
      walks.push_back(seconds_of([&] {
        for (std::uint64_t i = 0; i < repeats; ++i) (void)walk(input);
      }));
    };
    const auto time_tally = [&] {
      tallies.push_back(seconds_of([&] {
        for (std::uint64_t i = 0; i < repeats; ++i) tally(into, input);
      }));
    };
    // Alternating, each of them first equally often; the first round only warms up.
    if (round % 2 == 0) time_walk();
    time_tally();
    if (round % 2 == 1) time_walk();
    if (round == 0) {
      walks.clear();
      tallies.clear();
    } else {
      ratios.push_back(tallies.back() / walks.back());
    }
  }
  const auto interval = interval_of_median(ratios);
  const auto walk_s = median(walks);
  const auto tally_s = median(tallies);
  fmt::print("{}\n  {} events in {} sub-buffers, {} rounds of {:.1f} M events\n", input.name, events,
             input.bytes.size() / kSubbuffer, rounds, a_round / 1e6);
  fmt::print("  bare walk   {:7.1f} M events/s {:7.1f} ns an event\n", a_round / walk_s / 1e6,
             walk_s / a_round * 1e9);
  fmt::print("  full tally  {:7.1f} M events/s {:7.1f} ns an event\n", a_round / tally_s / 1e6,
             tally_s / a_round * 1e9);
  fmt::print("  tally/walk  {:7.2f} times the time, {:.1f} % interval {:.2f} to {:.2f}\n", median(ratios),
             100 * interval.level, interval.low, interval.high);
  fmt::print("  peak memory {:7.1f} MiB, {:.1f} MiB more than before its rounds\n",
             static_cast<double>(peak_kib()) / 1024, static_cast<double>(peak_kib() - before) / 1024);
}

void time_symbols() {
  std::vector<double> times;
  std::size_t size = 0;
  for (int round = 0; round < 11; ++round) {
    times.push_back(seconds_of([&] {
      const auto symbols = Symbols::load("/proc/kallsyms", 1);
      size = symbols ? symbols->size() : 0;
    }));
  }
  fmt::print("symbols of this kernel\n  {} functions in {:.1f} ms, median of {}\n", size, median(times) * 1e3,
             times.size());
}

int run(const std::vector<std::string>& arguments) {
  std::size_t rounds = 20;
  std::vector<std::string> files;
  for (const auto& argument : arguments) {
    constexpr std::string_view kRounds = "--rounds=";
    if (!argument.starts_with("--")) {
      files.push_back(argument);
      continue;
    }
    const auto* end = argument.data() + argument.size();
    const bool known = argument.starts_with(kRounds) &&
                       std::from_chars(argument.data() + kRounds.size(), end, rounds).ptr == end;
    if (!known || rounds < 10 || rounds > 1'000) {
      fmt::print(stderr, "usage: tally_bench [--rounds=N] [FILE...], N from 10 to 1000\n");
      return 2;
    }
  }
  if (files.empty()) {
    compare(make_counted(), rounds);
    compare(make_drops(), rounds);
    time_symbols();
  }
  for (const auto& file : files) compare(read_input(file), rounds);
  return 0;
}

}  // namespace
}  // namespace netperfd::trace

int main(int argc, char** argv) {
  try {
    return netperfd::trace::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "tally_bench: {}\n", error.what());
    return 1;
  }
}
