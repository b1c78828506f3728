// SPDX-License-Identifier: GPL-2.0-or-later
// Decodes the ring buffer's sub-buffers, as read from per_cpu/cpuN/trace_pipe_raw. Purely bytes to records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"

namespace netperfd::trace {

// Positions of the fields in a sub-buffer's header, from events/header_page.
struct SubbufferLayout {
  std::size_t timestamp_offset = 0;  // 8 bytes
  std::size_t commit_offset = 8;
  std::size_t commit_size = 8;  // 4 or 8 bytes
  std::size_t data_offset = 16;
  std::size_t data_size = 4080;

  [[nodiscard]] std::size_t size() const { return data_offset + data_size; }
};

// Parses the text of events/header_page. The kernel's text says 4080 bytes of data even if
// buffer_subbuf_size_kb is larger: the caller then sets data_size.
[[nodiscard]] Result<SubbufferLayout> parse_header_page(std::string_view text);

// One event's bytes, beginning with its common_type. The length comes from the ring buffer's own header and
// may be more than the event's format describes.
struct RawRecord {
  std::uint64_t time = 0;  // in units of the trace clock
  std::span<const std::byte> data;
};

// Walks one sub-buffer. Never reads outside `bytes`, whatever they hold.
class SubbufferWalk {
 public:
  SubbufferWalk() = default;  // an empty walk
  SubbufferWalk(std::span<const std::byte> bytes, const SubbufferLayout& layout);

  // The next event; false at the end or if the rest cannot be decoded.
  [[nodiscard]] bool next(RawRecord& record);

  // The stamp of its first event.
  [[nodiscard]] std::uint64_t begin_time() const { return begin_time_; }
  // Bytes used by its events, including their headers.
  [[nodiscard]] std::size_t committed() const { return data_.size(); }
  // Events that the kernel reports as lost right before this sub-buffer; `lost_unknown`: some were lost, but
  // the kernel does not say how many.
  [[nodiscard]] std::uint64_t lost_events() const { return lost_events_; }
  [[nodiscard]] bool lost_unknown() const { return lost_unknown_; }
  // After next() returned false: the error in the bytes, or empty.
  [[nodiscard]] const std::string& damage() const { return damage_; }

 private:
  bool give_up(const char* what, std::size_t length, std::size_t left);

  std::span<const std::byte> data_;  // the committed part, without its header
  std::size_t data_offset_ = 0;
  std::size_t at_ = 0;
  std::uint64_t time_ = 0;
  std::uint64_t begin_time_ = 0;
  std::uint64_t lost_events_ = 0;
  bool lost_unknown_ = false;
  std::string damage_;
};

}  // namespace netperfd::trace
