// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/stream.hpp"

#include <algorithm>

namespace netperfd::echo {

std::span<std::byte> MessageStream::wanted() {
  const std::size_t end = length_ == 0 ? kHeaderLength : length_;
  return std::span(buffer_).subspan(have_, end - have_);
}

MessageStream::State MessageStream::took(std::size_t count) {
  have_ += count;
  if (have_ < kHeaderLength) return State::partial;
  if (length_ == 0) {
    const auto header = decode_header(std::span(buffer_).first(have_));
    if (!header) return State::bad;
    length_ = header->length;  // longer than any header
  }
  return have_ == length_ ? State::whole : State::partial;
}

void PendingBytes::keep(std::span<const std::byte> bytes, std::size_t written) {
  const auto rest = bytes.subspan(written);
  std::ranges::copy(rest, buffer_.begin());
  at_ = 0;
  size_ = rest.size();
}

}  // namespace netperfd::echo
