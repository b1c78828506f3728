// SPDX-License-Identifier: GPL-2.0-or-later
// A tally of the synthetic kernel in subbuffer_maker.hpp, fed with single events.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "daemon/trace/ring/symbols.hpp"
#include "daemon/trace/ring/tally.hpp"
#include "tests/unit/trace/ring/subbuffer_maker.hpp"

namespace netperfd::trace::test {

// The clock at the start of the tests: a hundred days after boot.
inline constexpr std::uint64_t kStart = 8'640'000'000'000'000;
inline constexpr std::uint64_t kMillisecond = 1'000'000;
inline constexpr std::uint64_t kSecond = 1'000'000'000;

inline TallySettings settings() {
  TallySettings result;
  result.events = known_events();
  return result;
}

struct TimedRecord {
  std::uint64_t time = 0;
  Bytes record;
};

// Uses as many sub-buffers as needed.
inline void feed(Tally& tally, std::uint32_t cpu, const std::vector<TimedRecord>& events) {
  if (events.empty()) return;
  SubbufferMaker maker(events.front().time);
  for (const auto& [time, record] : events) {
    if (maker.add(time, record)) continue;
    tally.add(cpu, maker.finish());
    maker = SubbufferMaker(time);
    ASSERT_TRUE(maker.add(time, record));
  }
  tally.add(cpu, maker.finish());
}

inline TimedRecord release_at(std::uint64_t time) {
  return {time, print_record(mark_line(kReleaseMark, false) + "\n")};
}

inline TraceRecord finish(Tally& tally, const std::string& task_names = "") {
  return tally.finish(Symbols::parse(kKallsyms, 1), task_names);
}

// Null if the event did not occur.
inline const EventCount* count_of(const TraceRecord& record, const std::string& name) {
  const auto found = std::find_if(record.events.begin(), record.events.end(),
                                  [&](const EventCount& event) { return event.name == name; });
  return found == record.events.end() ? nullptr : &*found;
}

inline std::vector<EventSample> samples_of(const TraceRecord& record, const std::string& name) {
  std::vector<EventSample> result;
  for (const auto& sample : record.samples) {
    if (sample.event == name) result.push_back(sample);
  }
  return result;
}

}  // namespace netperfd::trace::test
