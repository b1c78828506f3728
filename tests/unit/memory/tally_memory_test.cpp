// SPDX-License-Identifier: GPL-2.0-or-later
// The tally's memory stays bounded, however long a flood lasts and whatever it contains.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "daemon/trace/ring/tally.hpp"
#include "tests/unit/trace/ring/tally_maker.hpp"

namespace netperfd::trace {
namespace {

using test::kSecond;
using test::kStart;

// Without optimization, twenty million events take most of a minute, and longer with a sanitizer.
#ifdef NDEBUG
constexpr std::uint64_t kEvents = 20'000'000;
#else
constexpr std::uint64_t kEvents = 3'000'000;
#endif

// Sanitizers keep freed memory for a while to watch it, so the resident size is meaningless.
#ifdef NETPERFD_SANITIZED
constexpr bool kFreedMemoryGoesBack = false;
#else
constexpr bool kFreedMemoryGoesBack = true;
#endif

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

// Any known event or any id, drops from anywhere, stacks of any depth and frames.
test::Bytes wild_record(std::mt19937_64& random) {
  const auto pid = static_cast<std::int32_t>(random() % 50'000);
  const auto flags = static_cast<std::uint8_t>(random());
  switch (random() % 5) {
    case 0:
      return test::RecordMaker(static_cast<std::uint16_t>(random()), pid, flags).put(8, random());
    case 1:
      return test::drop_record(static_cast<std::uint32_t>(random()), random(), pid, flags);
    case 2: {
      std::vector<std::uint64_t> frames(random() % 64);
      for (auto& frame : frames) frame = random();
      return test::stack_record(frames, pid, flags);
    }
    case 3:
      return test::print_record(mark_line("mark " + std::to_string(random()), true), pid);
    default:
      return test::send_record(static_cast<std::uint32_t>(random()), pid, flags);
  }
}

struct Flood {
  std::vector<test::Bytes> subbuffers;
  std::uint64_t events = 0;
};

Flood make_flood(std::size_t count) {
  std::mt19937_64 random(20);
  Flood flood;
  while (flood.subbuffers.size() < count) {
    test::SubbufferMaker maker(0);
    std::uint64_t time = 0;
    while (maker.add(time, wild_record(random))) {
      time += random() % 10'000;
      ++flood.events;
    }
    flood.subbuffers.push_back(maker.finish(random() % 50 == 0 ? -1 : 0));
  }
  return flood;
}

void set_time(test::Bytes& subbuffer, std::uint64_t time) {
  std::memcpy(subbuffer.data(), &time, sizeof time);
}

TEST(TallyMemory, stays_bounded_over_millions_of_wild_events) {
  auto flood = make_flood(2'000);
  std::mt19937_64 random(21);
  Tally tally(test::settings());
  const auto before = resident_bytes();
  std::uint64_t events = 0;
  std::uint64_t time = kStart;
  std::size_t early = 0;  // growth after a tenth of them
  while (events < kEvents) {
    for (std::size_t i = 0; i < flood.subbuffers.size(); ++i) {
      time += random() % (kSecond / 10);
      // One in a hundred has an impossible time.
      set_time(flood.subbuffers[i], random() % 100 == 0 ? random() : time);
      tally.add(static_cast<std::uint32_t>(random() % 64), flood.subbuffers[i]);
    }
    events += flood.events;
    if (early == 0 && events > kEvents / 10) early = resident_bytes() - before;
  }
  const auto grown = resident_bytes() - before;
  if (kFreedMemoryGoesBack) {
    EXPECT_LT(grown, std::size_t{16} << 20);
    EXPECT_LT(grown, early + (std::size_t{4} << 20)) << "it still grows";
  }
  RecordProperty("grown_bytes", std::to_string(grown));

  const auto record = test::finish(tally);
  std::uint64_t counted = 0;
  for (const auto& cpu : record.cpus) counted += cpu.records;
  EXPECT_EQ(counted, events);
  EXPECT_LE(record.events.size(), 6U + 257U);
  EXPECT_LE(record.samples.size(), 6U * 32U);
  EXPECT_EQ(record.stacks.size(), 2'000U);
  EXPECT_LE(record.drops.size(), 2'001U);
  EXPECT_GT(record.stacks_left_out, 0U);
  EXPECT_EQ(record.marks.size(), 1'100U);
}

}  // namespace
}  // namespace netperfd::trace
