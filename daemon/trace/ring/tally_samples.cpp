// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally_samples.hpp"

#include <algorithm>
#include <limits>

namespace netperfd::trace {
namespace {

// Limit for one record; few events are longer, and those only because of a text at their end.
constexpr std::size_t kKeptBytes = 512;

}  // namespace

bool RecordKeeper::offer(const RecordPlace& place, std::span<const std::byte> data) {
  const auto order = [this](const Entry& left, const Entry& right) { return worse(right.place, left.place); };
  if (capacity_ == 0) return false;
  if (!full()) {
    entries_.push_back({place, slots_.size()});
    slots_.emplace_back();
  } else {
    if (!worse(worst(), place)) return false;
    std::pop_heap(entries_.begin(), entries_.end(), order);
    entries_.back().place = place;
  }
  const auto bytes = data.first(std::min(data.size(), kKeptBytes));
  slots_[entries_.back().slot].assign(bytes.begin(), bytes.end());
  std::push_heap(entries_.begin(), entries_.end(), order);
  return true;
}

std::vector<KeptRecord> RecordKeeper::records() const {
  std::vector<KeptRecord> result;
  for (const auto& entry : entries_) result.push_back({entry.place, 0, slots_[entry.slot]});
  std::sort(result.begin(), result.end(),
            [](const KeptRecord& left, const KeptRecord& right) { return left.place < right.place; });
  return result;
}

void SampleKeeper::make_kinds(std::size_t count) {
  while (kinds_.size() < count) {
    kinds_.push_back({RecordKeeper(RecordKeeper::End::first, first_),
                      RecordKeeper(RecordKeeper::End::last, last_),
                      std::numeric_limits<std::uint64_t>::max()});
  }
}

void SampleKeeper::offer_first(Samples& samples, const RecordPlace& place, std::span<const std::byte> data) {
  samples.first.offer(place, data);
  if (samples.first.full()) samples.first_until = samples.first.empty() ? 0 : samples.first.worst().time;
}

void SampleKeeper::touch(std::size_t kind) {
  kinds_[kind].recent.resize(last_);
  touched_.push_back(kind);
}

void SampleKeeper::end_run() {
  for (const auto kind : touched_) {
    auto& samples = kinds_[kind];
    // From the newest backwards, until one is refused.
    const auto available = std::min(samples.recent_count, last_);
    for (std::size_t i = 1; i <= available; ++i) {
      const auto& recent = samples.recent[(samples.recent_count - i) % last_];
      if (!samples.last.offer(recent.place, recent.data)) break;
    }
    samples.recent_count = 0;
  }
  touched_.clear();
}

std::vector<KeptRecord> SampleKeeper::kept(std::size_t kind, std::uint64_t count) const {
  if (kind >= kinds_.size()) return {};
  auto result = kinds_[kind].first.records();
  for (std::size_t i = 0; i < result.size(); ++i) result[i].ordinal = i + 1;
  const auto firsts = result.size();
  const auto last = kinds_[kind].last.records();
  for (std::size_t i = 0; i < last.size(); ++i) {
    const auto ordinal = count - (last.size() - 1 - i);
    if (ordinal <= firsts) continue;
    result.push_back(last[i]);
    result.back().ordinal = ordinal;
  }
  return result;
}

}  // namespace netperfd::trace
