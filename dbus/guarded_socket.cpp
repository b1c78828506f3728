// SPDX-License-Identifier: GPL-2.0-or-later
#include "dbus/guarded_socket.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "dbus/shed_descriptors.hpp"

namespace netperfd::dbus {
namespace {

constexpr std::string_view kBus = "org.freedesktop.DBus";  // as a sender: the bus says who sends what

// Atomic, since any thread may call recvmsg() for a socket of its own. The guard of a slot is used only by
// the thread that receives from its socket.
struct Slot {
  std::atomic<int> socket = -1;
  SocketGuard* guard = nullptr;
};
std::array<Slot, 8> g_slots;

struct Peeked {
  ssize_t got = 0;
  bool has_descriptors = false;  // some message that waits, if not this one, then a later one
};

// The kernel says whether there are some, without installing any.
Peeked peek(int socket, std::span<unsigned char> to) {
  iovec part{to.data(), to.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const ssize_t got = ::syscall(SYS_recvmsg, socket, &message, MSG_PEEK | MSG_DONTWAIT);
  return {got, (message.msg_flags & MSG_CTRUNC) != 0};
}

}  // namespace

void SocketGuard::put_places(msghdr& message, std::span<const int> places) {
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(places.size_bytes());
  std::memcpy(CMSG_DATA(part), places.data(), places.size_bytes());
  message.msg_controllen = CMSG_SPACE(places.size_bytes());
}

SocketGuard::SocketGuard(int socket, Rules rules) : socket_(socket), rules_(std::move(rules)) {
  const auto free = std::ranges::find_if(g_slots, [](const Slot& slot) { return slot.guard == nullptr; });
  if (free == g_slots.end()) throw std::length_error("too many guarded sockets");
  free->guard = this;
  free->socket = socket;
}

SocketGuard::~SocketGuard() {
  const auto own = std::ranges::find(g_slots, this, &Slot::guard);
  own->socket = -1;
  own->guard = nullptr;
}

ssize_t SocketGuard::receive(msghdr& message, int flags) {
  if (given_ > 0) return give(message);
  if (!cut_.empty()) return give_cut(message);
  return calls_ != nullptr ? receive_in_turn(message, flags) : receive_next(message, flags);
}

// Whoever sends what is skipped may be faster than this thread. So each call skips a part at most, and the
// loop, or a limit of time, has its turn. More is told by the socket itself: whoever waits for it is woken at
// once.
ssize_t SocketGuard::receive_next(msghdr& message, int flags) {
  if (rest_ == 0) {
    if (const auto done = begin(message, flags)) return *done;
  }
  if (keeps_) return keep_more(flags);
  if (!skips_) return receive_bytes(message, 0, flags);
  if (const ssize_t got = skip(); got <= 0) return got;
  errno = EAGAIN;
  return -1;
}

// Nothing if the message is skipped.
std::optional<ssize_t> SocketGuard::begin(msghdr& message, int flags) {
  const Peeked peeked = peek(socket_, std::span{head_}.first(kLongestHead));
  if (peeked.got <= 0) return peeked.got;
  const auto got = static_cast<std::size_t>(peeked.got);
  if (got < kFixedHead && !peeked.has_descriptors) return wait();
  const std::size_t room = message.msg_controllen;
  keeps_ = skips_ = false;
  const Treat treat = look(got, peeked.has_descriptors, room);
  if (treat == Treat::wait) return wait();
  if (treat == Treat::pass || treat == Treat::take) return first_part(treat, message, flags);
  std::optional<bool> had_descriptors = false;
  if (has_some_) {
    had_descriptors = shed_descriptors(socket_);
    hold_up(!had_descriptors);
    if (!had_descriptors) return wait();
    --rest_;
  }
  refused_.reset();
  if (treat == Treat::strip || (treat == Treat::unclear && !*had_descriptors))
    return first_part(treat, message, flags);
  if (treat == Treat::unclear && rules_.refused) rules_.refused(nullptr);
  keeps_ = false;
  skips_ = true;
  if (treat != Treat::cut) return {};
  cut();
  const ssize_t given = give_cut(message);
  if (descriptors_ > 0) put_closed(message, room);
  return given;
}

ssize_t SocketGuard::first_part(Treat treat, msghdr& message, int flags) {
  if (keeps_) return keep_first(treat, flags);
  if (treat == Treat::take) return take(message, flags);
  if (treat == Treat::strip) return strip(message, flags);
  if (treat == Treat::unclear) return go_on(message, flags);
  return receive_bytes(message, 0, flags);
}

SocketGuard::Treat SocketGuard::look(std::size_t got, bool has_descriptors, std::size_t room) {
  const std::span<const unsigned char> bytes{head_.data(), got};
  const auto size = got < kFixedHead ? std::nullopt : size_of_message(bytes.first<kFixedHead>());
  // This is not the bus's protocol. libsystemd is about to find that out, too.
  rest_ = size ? size->whole : std::numeric_limits<std::size_t>::max();
  if (!size) return Treat::pass;
  // The bus is about to send the rest of the header. If descriptors come in between, no more can be seen.
  if (size->head > got && size->head <= kLongestHead && !has_descriptors) return Treat::wait;
  const auto head = size->head <= got ? read_head(bytes.first(size->head)) : std::nullopt;
  // Those that were seen may be of a later message.
  has_some_ = head ? head->descriptors > 0 : has_descriptors;
  if (!head) return look_at_unreadable(has_descriptors);
  head_bytes_ = size->head;
  signature_at_ = head->signature_at;
  descriptors_ = head->descriptors;
  is_of_bus_ = head->sender == kBus;
  const bool fits = descriptors_ <= kMostDescriptors && CMSG_SPACE(descriptors_ * sizeof(int)) <= room;
  keeps_ = calls_ != nullptr && head->type == MessageType::call;
  if (refused_) return *refused_;
  if (keeps_ && !calls_->knows(*head)) return Treat::wait;
  if (is_too_large(*head)) return refuse_size(fits ? &*head : nullptr);
  if (keeps_) {
    if (const auto refused = look_for_room(fits ? &*head : nullptr)) return *refused;
  }
  return look_at_descriptors(*head, fits);
}

SocketGuard::Treat SocketGuard::look_at_descriptors(const MessageHead& head, bool fits) {
  if (descriptors_ == 0) return Treat::pass;
  if (fits && is_of_bus_) return Treat::take;
  const Wanted wanted = fits && rules_.wants ? rules_.wants(head) : Wanted::no;
  const bool is_call = fits && head.type == MessageType::call;
  if (wanted == Wanted::no) return refuse_descriptors(head, is_call ? Treat::strip : Treat::skip);
  if (wanted == Wanted::refused) return refuse_descriptors(head, is_call ? Treat::cut : Treat::skip);
  return wanted == Wanted::yes ? Treat::take : Treat::wait;
}

SocketGuard::Treat SocketGuard::look_at_unreadable(bool has_descriptors) {
  if (refused_) return *refused_;
  if (rest_ > kLongestHead) return refuse_size(nullptr);
  keeps_ = calls_ != nullptr && head_[1] == static_cast<unsigned char>(MessageType::call);
  if (keeps_) {
    if (const auto refused = look_for_room(nullptr)) return *refused;
  }
  return has_descriptors ? Treat::unclear : Treat::pass;
}

bool SocketGuard::is_too_large(const MessageHead& head) const {
  return !is_of_bus_ && rest_ > (sizes_.most ? sizes_.most(head) : kMostBytes);
}

SocketGuard::Treat SocketGuard::refuse_size(const MessageHead* head) {
  const bool is_answered = sizes_.too_large && sizes_.too_large(head, rest_);
  const bool is_call = head != nullptr && head->type == MessageType::call;
  return refused_.emplace(is_answered && is_call ? Treat::cut : Treat::skip);
}

SocketGuard::Treat SocketGuard::refuse_descriptors(const MessageHead& head, Treat as) {
  if (rules_.refused) rules_.refused(&head);
  return refused_.emplace(as);
}

// Whoever waits for the socket comes again at once.
ssize_t SocketGuard::wait() {
  rest_ = 0;
  errno = EAGAIN;
  return -1;
}

void SocketGuard::hold_up(bool held_up) {
  if (std::exchange(is_held_up_, held_up) != held_up && rules_.held_up) rules_.held_up(held_up);
}

ssize_t SocketGuard::receive_bytes(msghdr& message, std::size_t offset, int flags) {
  iovec part{static_cast<unsigned char*>(message.msg_iov->iov_base) + offset,
             std::min(message.msg_iov->iov_len - offset, rest_)};
  msghdr bytes{};
  bytes.msg_iov = &part;
  bytes.msg_iovlen = 1;
  const ssize_t got = ::syscall(SYS_recvmsg, socket_, &bytes, flags);
  if (got > 0) rest_ -= static_cast<std::size_t>(got);
  message.msg_controllen = 0;
  message.msg_flags = 0;
  return got;
}

ssize_t SocketGuard::take(msghdr& message, int flags) {
  iovec part{message.msg_iov->iov_base, std::min(message.msg_iov->iov_len, rest_)};
  alignas(cmsghdr) std::array<unsigned char, CMSG_SPACE(kMostDescriptors * sizeof(int))> control{};
  msghdr whole{};
  whole.msg_iov = &part;
  whole.msg_iovlen = 1;
  whole.msg_control = control.data();
  whole.msg_controllen = control.size();
  const ssize_t got = ::syscall(SYS_recvmsg, socket_, &whole, flags | MSG_CMSG_CLOEXEC);
  if (got <= 0) return got;
  rest_ -= static_cast<std::size_t>(got);
  std::array<int, kMostDescriptors> places{};
  places.fill(-1);  // also where the process had no number left
  std::size_t count = 0;
  for (cmsghdr* each = CMSG_FIRSTHDR(&whole); each != nullptr; each = CMSG_NXTHDR(&whole, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t numbers = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < numbers && count < descriptors_; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(each) + i * sizeof(int), sizeof number);
      places[count++] = rules_.replace && !is_of_bus_ ? rules_.replace(number) : number;
    }
  }
  put_places(message, std::span{places}.first(descriptors_));
  message.msg_flags = 0;
  return got;
}

// The first byte was taken.
ssize_t SocketGuard::go_on(msghdr& message, int flags) {
  *static_cast<unsigned char*>(message.msg_iov->iov_base) = head_[0];
  const ssize_t more = message.msg_iov->iov_len > 1 ? receive_bytes(message, 1, flags) : 0;
  message.msg_controllen = 0;
  message.msg_flags = 0;
  return 1 + std::max<ssize_t>(more, 0);
}

ssize_t SocketGuard::strip(msghdr& message, int flags) {
  const std::size_t room = message.msg_controllen;
  const ssize_t got = go_on(message, flags);
  put_closed(message, room);
  return got;
}

void SocketGuard::put_closed(msghdr& message, std::size_t room) const {
  message.msg_controllen = room;
  std::array<int, kMostDescriptors> places{};
  places.fill(-1);
  put_places(message, std::span{places}.first(descriptors_));
}

// Its length becomes 0. A call without arguments must have no signature either: libsystemd skips a field
// whose number it does not know. All of the message is still in the socket, except perhaps its first byte.
void SocketGuard::cut() {
  constexpr unsigned char kUnknownField = 255;
  std::fill_n(head_.begin() + 4, 4, 0);
  if (signature_at_ > 0) head_[signature_at_] = kUnknownField;
  const std::size_t padded = (head_bytes_ + 7) / 8 * 8;
  std::fill(head_.begin() + static_cast<std::ptrdiff_t>(head_bytes_),
            head_.begin() + static_cast<std::ptrdiff_t>(padded), 0);
  cut_ = std::span{head_}.first(padded);
}

ssize_t SocketGuard::give_cut(msghdr& message) {
  const std::size_t given = std::min(message.msg_iov->iov_len, cut_.size());
  std::memcpy(message.msg_iov->iov_base, cut_.data(), given);
  cut_ = cut_.subspan(given);
  message.msg_controllen = 0;
  message.msg_flags = 0;
  return static_cast<ssize_t>(given);
}

ssize_t SocketGuard::skip() {
  std::array<unsigned char, kMostSkipped> bytes;  // NOLINT: nobody reads it
  const ssize_t got = ::recv(socket_, bytes.data(), std::min(bytes.size(), rest_), MSG_DONTWAIT);
  if (got > 0) rest_ -= static_cast<std::size_t>(got);
  return got;
}

SocketGuard::Sizes sizes_of_service(std::size_t answer, std::size_t signal) {
  return {.most =
              [=](const MessageHead& head) {
                if (head.type == MessageType::call) return SocketGuard::kMostBytes;
                return head.type == MessageType::signal ? signal : answer;
              },
          .too_large = {}};
}

}  // namespace netperfd::dbus

namespace {

ssize_t guarded_receive(netperfd::dbus::SocketGuard& guard, msghdr& message, int flags) noexcept {
  // Out of memory ends the program: a part of the message may be lost.
  return guard.receive(message, flags);
}

}  // namespace

// The system call itself, not the C library's function: this is that function here.
extern "C" __attribute__((visibility("default"), used)) ssize_t recvmsg(int socket, msghdr* message,
                                                                        int flags) {
  if (socket >= 0 && message->msg_iovlen == 1 && message->msg_iov->iov_len > 0) {
    for (const auto& slot : netperfd::dbus::g_slots) {
      if (slot.socket == socket) return guarded_receive(*slot.guard, *message, flags);
    }
  }
  return ::syscall(SYS_recvmsg, socket, message, flags);
}
