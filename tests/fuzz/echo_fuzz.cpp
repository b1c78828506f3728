// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a datagram to the server, as one to the prober, as a packet that comes back with its time, as
// a stream, and as control messages: nothing outside of them is read, the server never makes more of them
// than they were and answers no reply, and the tracker stays consistent.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "daemon/echo/packet.hpp"
#include "daemon/echo/ping.hpp"
#include "daemon/echo/request_tracker.hpp"
#include "daemon/echo/stamps.hpp"
#include "daemon/echo/stream.hpp"

namespace echo = netperfd::echo;

namespace {

using Bytes = std::vector<std::byte>;

void require(bool holds) {
  if (!holds) std::abort();
}

void fuzz_server(const Bytes& input) {
  Bytes bytes = input;
  const auto request = echo::decode(bytes);
  if (!echo::make_reply(bytes, {.arrival = 5, .sent = 7}, {})) {
    require(bytes == input);
    return;
  }
  require(request && bytes.size() == input.size());
  const auto reply = echo::decode_reply(bytes);
  require(reply && reply->header.session == request->session && reply->header.sequence == request->sequence);
  require(reply->far == echo::FarStamps{.arrival = 5, .sent = 7});
  require(!echo::make_reply(bytes, {}, {}));
}

void fuzz_prober(const Bytes& input) {
  echo::RequestTracker tracker({.interval = echo::kSecond, .timeout = 10 * echo::kMillisecond},
                               echo::Schedule(1000));
  const echo::Clocks sent{.monotonic = 0, .wall = 1'800'000'000 * echo::kSecond};
  const auto sequence = tracker.advance(0);
  require(sequence.has_value());
  tracker.sent(*sequence, 0, sent);
  Bytes copy = input;
  const auto ping = echo::ping_payload(copy, copy.size() % 2 == 0);
  for (const std::span<const std::byte> bytes :
       {std::span<const std::byte>(input), std::span<const std::byte>(ping)}) {
    const auto reply = echo::decode_reply(bytes);
    if (!reply) continue;
    require(reply->header.length == bytes.size());
    if (reply->header.type == echo::Type::hello_reply) {
      (void)echo::boot_id_of(bytes);
      (void)echo::dscp_of(bytes);
    }
    const echo::Clocks read{.monotonic = echo::kMillisecond, .wall = sent.wall + echo::kMillisecond};
    tracker.answered({.sequence = reply->header.sequence,
                      .read = read,
                      .arrived = {.kernel = reply->far.sent, .device = reply->far.arrival},
                      .far = reply->far});
  }
  tracker.stop(echo::kSecond);
  (void)tracker.advance(echo::kSecond + 1);
  for (const echo::Interval& each : tracker.take_complete()) require(each.sent == each.received + each.lost);
  require(tracker.is_done());
}

void fuzz_returned(const Bytes& input) {
  std::uint64_t session = 0;
  for (std::size_t i = 0; i < std::min(input.size(), std::size_t{8}); ++i)
    session = (session << 8U) | std::to_integer<std::uint64_t>(input[i]);
  const std::span<const std::byte> rest = std::span(input).subspan(std::min(input.size(), std::size_t{8}));
  const auto found = echo::find_request(rest, session);
  require(!found || (found->session == session && found->type == echo::Type::request));
}

// As many bytes at a time as its own bytes say.
void fuzz_stream(const Bytes& input) {
  echo::MessageStream stream;
  echo::PendingBytes pending;
  for (std::span<const std::byte> rest = input; !rest.empty();) {
    const auto wanted = stream.wanted();
    require(!wanted.empty());
    const std::size_t most = std::to_integer<std::size_t>(rest[0]) + 1;
    const std::size_t some = std::min({wanted.size(), rest.size(), most});
    std::ranges::copy(rest.first(some), wanted.begin());
    rest = rest.subspan(some);
    const auto state = stream.took(some);
    if (state == echo::MessageStream::State::bad) return;
    if (state == echo::MessageStream::State::partial) continue;
    require(echo::decode(stream.message()).has_value());
    pending.keep(stream.message(), most % (stream.message().size() + 1));
    require(std::ranges::equal(pending.rest(), stream.message().last(pending.rest().size())));
#ifdef NETPERFD_PLANTED_BUG
    // Takes it that whatever is longer than a greeting has a byte behind its end.
    const auto header = echo::decode(stream.message());
    if (header->type == echo::Type::hello && header->length > echo::kHelloLength + 8) {
      const Bytes message(stream.message().begin(), stream.message().end());
      static volatile int sum = 0;
      sum = sum + std::to_integer<int>(message.data()[message.size()]);
    }
#endif
    stream.next();
  }
}

void fuzz_control(const Bytes& input) {
  Bytes bytes = input;  // in memory that is aligned
  msghdr message{};
  message.msg_control = bytes.data();
  message.msg_controllen = bytes.size();
  // The kernel writes no part that is longer than the rest; CMSG_NXTHDR() relies on it.
  for (std::size_t at = 0; at + sizeof(cmsghdr) <= bytes.size();) {
    cmsghdr part;
    std::memcpy(&part, bytes.data() + at, sizeof part);
    if (part.cmsg_len < sizeof part || part.cmsg_len > bytes.size() - at) return;
    at += CMSG_ALIGN(part.cmsg_len);
  }
  const auto stamps = echo::stamps_of(message);
  require(stamps.kernel.value_or(1) > 0 && stamps.device.value_or(1) > 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const auto all = std::as_bytes(std::span(input, size));
  const Bytes bytes(all.begin(), all.end());
  fuzz_server(bytes);
  fuzz_prober(bytes);
  fuzz_returned(bytes);
  fuzz_stream(bytes);
  fuzz_control(bytes);
  return 0;
}
