// SPDX-License-Identifier: GPL-2.0-or-later
// How a guarded socket keeps calls until it is their turn.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "dbus/guarded_socket.hpp"

namespace netperfd::dbus {

// The calls that wait in the socket are taken faster than they are answered, or those of others would wait
// behind a flood. But whoever floods may be faster than this thread, so that the queue has its turn. If
// none of its calls may go yet, the loop has: the socket itself tells of more.
ssize_t SocketGuard::receive_in_turn(msghdr& message, int flags) {
  if (rest_ > 0 && !skips_ && !keeps_) return receive_next(message, flags);
  const std::size_t room = message.msg_controllen;
  while (between_ < kMostBetween) {
    has_kept_ = false;
    const ssize_t got = receive_next(message, flags);
    const bool is_nothing = got < 0 && errno == EAGAIN;
    if (is_nothing && !has_kept_) break;
    ++between_;
    if (!is_nothing) return got;
  }
  between_ = 0;
  if (!calls_->has_next()) {
    errno = EAGAIN;
    return -1;
  }
  giving_ = calls_->next();
  message.msg_controllen = room;
  return give(message);
}

std::optional<SocketGuard::Treat> SocketGuard::look_for_room(const MessageHead* head) {
  const CallQueue::Room room = calls_->room_for(head, rest_);
  if (room == CallQueue::Room::is_here) return {};
  const bool is_answered = room == CallQueue::Room::refused_with_answer && head != nullptr;
  return refused_.emplace(is_answered ? Treat::cut : Treat::skip);
}

// What comes goes into a message of our own, and from there to the queue.
ssize_t SocketGuard::keep_first(Treat treat, int flags) {
  keeping_ = WaitingCall{};
  keeping_.bytes.resize(rest_ + (treat == Treat::strip || treat == Treat::unclear ? 1 : 0));
  iovec part{keeping_.bytes.data(), keeping_.bytes.size()};
  alignas(cmsghdr) std::array<unsigned char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  msghdr own{};
  own.msg_iov = &part;
  own.msg_iovlen = 1;
  own.msg_control = control.data();
  own.msg_controllen = control.size();
  keeps_ = false;  // for once
  const ssize_t got = first_part(treat, own, flags);
  keeps_ = true;
  if (got > 0 && (treat == Treat::take || treat == Treat::strip)) {
    keeping_.places.resize(descriptors_);
    std::memcpy(keeping_.places.data(), CMSG_DATA(CMSG_FIRSTHDR(&own)), descriptors_ * sizeof(int));
  }
  return kept(got);
}

ssize_t SocketGuard::keep_more(int flags) {
  iovec part{keeping_.bytes.data(), keeping_.bytes.size()};
  msghdr own{};
  own.msg_iov = &part;
  own.msg_iovlen = 1;
  return kept(receive_bytes(own, keeping_.bytes.size() - rest_, flags));
}

ssize_t SocketGuard::kept(ssize_t got) {
  if (got <= 0) return got;
  has_kept_ = true;
  if (rest_ == 0) {
    keeps_ = false;
    WaitingCall whole = std::exchange(keeping_, WaitingCall{});
    if (calls_ != nullptr) calls_->put(std::move(whole));
  }
  errno = EAGAIN;
  return -1;
}

ssize_t SocketGuard::give(msghdr& message) {
  const std::size_t given = std::min(message.msg_iov->iov_len, giving_.bytes.size() - given_);
  std::memcpy(message.msg_iov->iov_base, &giving_.bytes[given_], given);
  if (giving_.places.empty()) {
    message.msg_controllen = 0;
  } else {
    put_places(message, giving_.places);
    giving_.places.clear();
  }
  message.msg_flags = 0;
  given_ += given;
  if (given_ == giving_.bytes.size()) {
    giving_ = WaitingCall{};
    given_ = 0;
  }
  return static_cast<ssize_t>(given);
}

}  // namespace netperfd::dbus
