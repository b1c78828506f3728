// SPDX-License-Identifier: GPL-2.0-or-later
// The ring buffer's layout in the kernel (kernel/trace/ring_buffer.c):
//
// A sub-buffer begins with the time stamp of its first event and a commit word. The lower 30 bits of the
// commit word are the number of bytes of events that follow. Bit 31 says that events were lost right before
// this sub-buffer, bit 30 that their number follows the last event. On 64 bits the kernel adds these flags as
// negative ints, so that the upper half of the word may be all ones: only the lower 32 bits are meaningful.
//
// Every event begins with 32 bits: 5 of type or length, 27 of time since the previous event.
//   1..28   the event's bytes follow, four times this number
//   0       the next word is their number, including itself
//   29      padding: with a time of 0 the rest of the sub-buffer is unused, otherwise the next word is the
//           number of bytes to skip. An event that the kernel discarded keeps its time there; 1 is not a time
//           but marks a filled tail.
//   30      a time too long for 27 bits; the next word has the bits above them
//   31      an absolute time of 59 bits, in the same two parts; the upper 5 bits are the previous time's
// Bit fields and everything else are in the machine's byte order: a sub-buffer is read on the machine that
// wrote it.
//
// This is our own code, although libtraceevent's kbuffer does the same: the decoder runs next to the
// workload, which it must not slow down, and a plain loop over the bytes costs less than a call for each
// event (tests/bench/tally_bench measures this one). The loop is also short enough to verify: every length is
// compared with the remaining bytes before it is used, and the fuzzer in tests/fuzz tries to find a
// counterexample.
#include "daemon/trace/ring/subbuffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>

namespace netperfd::trace {
namespace {

constexpr std::uint32_t kMissedEvents = 1U << 31U;
constexpr std::uint32_t kMissedStored = 1U << 30U;
constexpr std::uint32_t kCommitMask = kMissedStored - 1;

constexpr std::uint32_t kLongestShort = 28;
constexpr std::uint32_t kPadding = 29;
constexpr std::uint32_t kTimeExtend = 30;
constexpr unsigned kTypeBits = 5;
constexpr unsigned kDeltaBits = 27;
constexpr std::size_t kWord = 4;
constexpr unsigned kStampBits = 59;
constexpr std::uint64_t kStampMask = (1ULL << kStampBits) - 1;

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

struct Head {
  std::uint32_t type;
  std::uint32_t delta;
};

Head split(std::uint32_t word) {
  if constexpr (std::endian::native == std::endian::little) {
    return {word & ((1U << kTypeBits) - 1), word >> kTypeBits};
  } else {
    return {word >> kDeltaBits, word & ((1U << kDeltaBits) - 1)};
  }
}

std::uint64_t load_long(const std::byte* from, std::size_t size) {
  return size == 8 ? load<std::uint64_t>(from) : load<std::uint32_t>(from);
}

// An absolute stamp has 59 bits; the upper bits come from the previous stamp. The lower bits may have wrapped
// round meanwhile.
std::uint64_t absolute_time(std::uint64_t stamp, std::uint64_t before) {
  if ((before & ~kStampMask) == 0) return stamp;
  stamp |= before & ~kStampMask;
  return stamp < before ? stamp + (1ULL << kStampBits) : stamp;
}

}  // namespace

SubbufferWalk::SubbufferWalk(std::span<const std::byte> bytes, const SubbufferLayout& layout)
    : data_offset_(layout.data_offset) {
  const bool layout_holds = layout.timestamp_offset + 8 <= layout.data_offset &&
                            (layout.commit_size == 4 || layout.commit_size == 8) &&
                            layout.commit_offset + layout.commit_size <= layout.data_offset;
  if (!layout_holds || bytes.size() < layout.data_offset) {
    damage_ = fmt::format("{} bytes are no sub-buffer: its header has {}", bytes.size(), layout.data_offset);
    return;
  }
  time_ = begin_time_ = load<std::uint64_t>(bytes.data() + layout.timestamp_offset);
  const auto commit =
      static_cast<std::uint32_t>(load_long(bytes.data() + layout.commit_offset, layout.commit_size));
  const std::size_t committed = commit & kCommitMask;
  const std::size_t room = std::min(bytes.size() - layout.data_offset, layout.data_size);
  if (committed > room) {
    damage_ = fmt::format("the header says {} bytes of events, there is room for {}", committed, room);
    lost_unknown_ = (commit & kMissedEvents) != 0;
    return;
  }
  data_ = bytes.subspan(layout.data_offset, committed);
  if ((commit & kMissedEvents) == 0) return;
  if ((commit & kMissedStored) != 0 && room - committed >= layout.commit_size) {
    lost_events_ = load_long(bytes.data() + layout.data_offset + committed, layout.commit_size);
  } else {
    lost_unknown_ = true;
  }
}

bool SubbufferWalk::next(RawRecord& record) {
  const std::byte* const begin = data_.data();
  const std::size_t size = data_.size();
  while (size - at_ >= kWord) {
    const Head head = split(load<std::uint32_t>(begin + at_));
    const std::size_t left = size - at_ - kWord;  // after the header
    if (head.type - 1 < kLongestShort) {
      const std::size_t length = head.type * kWord;
      if (length > left) return give_up("an event", length, left);
      time_ += head.delta;
      record.time = time_;
      record.data = {begin + at_ + kWord, length};
      at_ += kWord + length;
      return true;
    }
    if (head.type == kPadding && head.delta == 0) {
      at_ = size;
      return false;
    }
    if (left < kWord) return give_up("the second word of an event", kWord, left);
    const std::size_t word = load<std::uint32_t>(begin + at_ + kWord);
    if (head.type >= kTimeExtend) {
      const std::uint64_t time = (static_cast<std::uint64_t>(word) << kDeltaBits) + head.delta;
      time_ = head.type == kTimeExtend ? time_ + time : absolute_time(time & kStampMask, time_);
      at_ += 2 * kWord;
      continue;
    }
    if (word < kWord || word % kWord != 0 || word > left) return give_up("a long event", word, left);
    const std::size_t here = at_;
    at_ += kWord + word;
    if (head.type == kPadding) {
      if (head.delta != 1) time_ += head.delta;
      continue;
    }
    time_ += head.delta;
    record.time = time_;
    record.data = {begin + here + 2 * kWord, word - kWord};
    return true;
  }
  if (at_ == size) return false;
  return give_up("an event's head", kWord, size - at_);
}

bool SubbufferWalk::give_up(const char* what, std::size_t length, std::size_t left) {
  damage_ =
      fmt::format("at offset {}: {} of {} bytes where {} are left", data_offset_ + at_, what, length, left);
  at_ = data_.size();
  return false;
}

namespace {

// The number after `key` in `line`: "offset:16;" is 16.
std::optional<std::size_t> number_after(std::string_view line, std::string_view key) {
  const std::size_t found = line.find(key);
  if (found == std::string_view::npos) return std::nullopt;
  line.remove_prefix(found + key.size());
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

struct HeaderField {
  std::size_t offset;
  std::size_t size;
};

// "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;"
Result<HeaderField> header_field(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find(fmt::format(" {};", name)) == std::string_view::npos) continue;
    const auto offset = number_after(line, "offset:");
    const auto size = number_after(line, "size:");
    if (offset && size) return HeaderField{*offset, *size};
  }
  return fail(ErrorKind::invalid_argument, fmt::format("events/header_page: no field \"{}\"", name));
}

}  // namespace

Result<SubbufferLayout> parse_header_page(std::string_view text) {
  const auto timestamp = header_field(text, "timestamp");
  if (!timestamp) return std::unexpected(timestamp.error());
  const auto commit = header_field(text, "commit");  // "overwrite" has the same offset: a flag of this word
  if (!commit) return std::unexpected(commit.error());
  const auto data = header_field(text, "data");
  if (!data) return std::unexpected(data.error());

  constexpr std::size_t kLargest = std::size_t{1} << 30U;  // more than a commit word can hold
  const bool sane =
      timestamp->size == 8 && (commit->size == 4 || commit->size == 8) && data->offset <= kLargest &&
      data->size <= kLargest && timestamp->offset <= kLargest && commit->offset <= kLargest &&
      timestamp->offset + 8 <= data->offset && commit->offset + commit->size <= data->offset &&
      (timestamp->offset + 8 <= commit->offset || commit->offset + commit->size <= timestamp->offset);
  if (!sane) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("events/header_page: timestamp {}+{}, commit {}+{}, data {}+{} is no layout of a "
                            "sub-buffer",
                            timestamp->offset, timestamp->size, commit->offset, commit->size, data->offset,
                            data->size));
  }
  return SubbufferLayout{.timestamp_offset = timestamp->offset,
                         .commit_offset = commit->offset,
                         .commit_size = commit->size,
                         .data_offset = data->offset,
                         .data_size = data->size};
}

}  // namespace netperfd::trace
