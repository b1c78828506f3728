// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/tally_stacks.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace netperfd::trace {
namespace {

// Deeper stacks lose their outermost frames.
constexpr std::size_t kMostFrames = 128;

std::uint64_t frame_at(const std::byte* bytes, std::size_t size) {
  if (size == 8) {
    std::uint64_t frame = 0;
    std::memcpy(&frame, bytes, sizeof frame);
    return frame;
  }
  std::uint32_t frame = 0;
  std::memcpy(&frame, bytes, sizeof frame);
  return frame;
}

// The kernel ends a stack that is shorter than its array with -1.
bool is_end(std::uint64_t frame, std::size_t size) {
  return frame == 0 || frame == (size == 8 ? ~std::uint64_t{0} : 0xffffffff);
}

}  // namespace

std::optional<std::uint32_t> StackOwners::take(Place place) {
  auto& latest = latest_of(place);
  if (latest.pid != place.pid) return std::nullopt;
  return std::exchange(latest.kind, std::nullopt);
}

bool is_tracers_own(std::string_view function) {
  return function.starts_with("trace_event_raw_event_") || function.starts_with("trace_event_buffer_") ||
         function.starts_with("__traceiter_");
}

StackTable::StackTable(std::size_t limit, const EventFormat* format)
    : limit_(limit),
      size_(format == nullptr ? nullptr : format->field("size")),
      caller_(format == nullptr ? nullptr : format->field("caller")) {}

void StackTable::add(std::uint32_t kind, std::span<const std::byte> record) {
  if (size_ == nullptr || caller_ == nullptr || caller_->offset >= record.size()) return;
  const std::size_t size = caller_->element_size == 4 ? 4 : 8;
  const auto bytes = record.subspan(caller_->offset);
  const auto told = read_number(record, *size_);
  if (!told.valid || told.value > std::numeric_limits<std::int32_t>::max()) return;
  const auto frames = std::min<std::uint64_t>({told.value, bytes.size() / size, kMostFrames});

  std::array<std::uint64_t, 1 + kMostFrames> key;
  key[0] = kind;
  std::size_t length = 1;
  for (std::size_t i = 0; i < frames; ++i) {
    const auto frame = frame_at(bytes.data() + i * size, size);
    if (!is_end(frame, size)) key[length++] = frame;
  }
  if (length == 1) return;
  const Key wanted(key.data(), length);
  if (const auto known = counts_.find(wanted); known != counts_.end()) {
    ++known->second;
  } else if (counts_.size() < limit_) {
    counts_.emplace(std::vector<std::uint64_t>(wanted.begin(), wanted.end()), 1);
  } else {
    ++left_out_;
  }
}

std::vector<StackTable::Stack> StackTable::stacks() const {
  std::vector<Stack> result;
  result.reserve(counts_.size());
  for (const auto& [key, count] : counts_) {
    result.push_back({static_cast<std::uint32_t>(key[0]), Key(key).subspan(1), count});
  }
  return result;
}

std::size_t StackTable::Hash::operator()(Key key) const {
  std::uint64_t hash = key.size();
  for (const auto word : key) hash = (std::rotl(hash, 23) ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ (hash >> 32);
}

bool StackTable::Equal::operator()(Key left, Key right) const {
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

}  // namespace netperfd::trace
