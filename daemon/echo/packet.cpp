// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/echo/packet.hpp"

#include <algorithm>
#include <limits>

namespace netperfd::echo {
namespace {

constexpr std::uint32_t kMagic = 0x4e504543;  // "NPEC"
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kTypeAt = 5;
constexpr std::size_t kArrivalAt = 20;
constexpr std::size_t kTurnaroundAt = 28;
constexpr std::size_t kBootIdAt = 32;
constexpr std::size_t kDscpAt = 48;

template <class T>
T get(std::span<const std::byte> bytes, std::size_t at) {
  T value = 0;
  for (const std::byte byte : bytes.subspan(at, sizeof(T)))
    value = static_cast<T>((static_cast<std::uint64_t>(value) << 8U) | std::to_integer<std::uint64_t>(byte));
  return value;
}

template <class T>
void put(T value, std::span<std::byte> bytes, std::size_t at) {
  auto rest = static_cast<std::uint64_t>(value);
  for (std::size_t i = sizeof(T); i-- > 0; rest >>= 8U) bytes[at + i] = static_cast<std::byte>(rest & 0xffU);
}

}  // namespace

std::optional<Header> decode_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderLength) return std::nullopt;
  const auto type = get<std::uint8_t>(bytes, kTypeAt);
  const bool ours = get<std::uint32_t>(bytes, 0) == kMagic && get<std::uint8_t>(bytes, 4) == kVersion;
  if (!ours || type < static_cast<int>(Type::hello) || type > static_cast<int>(Type::reply))
    return std::nullopt;
  const Header header{.type = static_cast<Type>(type),
                      .length = get<std::uint16_t>(bytes, 6),
                      .session = get<std::uint64_t>(bytes, kSessionAt),
                      .sequence = get<std::uint32_t>(bytes, 16)};
  const bool greets = header.type == Type::hello || header.type == Type::hello_reply;
  if (header.length < (greets ? kHelloLength : kShortest) || header.length > kLongest) return std::nullopt;
  return header;
}

std::optional<Header> decode(std::span<const std::byte> bytes) {
  const auto header = decode_header(bytes);
  if (!header || header->length != bytes.size()) return std::nullopt;
  return header;
}

std::optional<Reply> decode_reply(std::span<const std::byte> bytes) {
  const auto header = decode(bytes);
  if (!header || (header->type != Type::reply && header->type != Type::hello_reply)) return std::nullopt;
  Reply reply{.header = *header, .far = {.arrival = get<std::int64_t>(bytes, kArrivalAt), .sent = 0}};
  // No sum of times may overflow, whatever the server says.
  constexpr Ns kLatest = std::numeric_limits<Ns>::max() / 4;
  reply.far.arrival = std::clamp(reply.far.arrival, Ns{0}, kLatest);
  reply.far.sent = reply.far.arrival + get<std::uint32_t>(bytes, kTurnaroundAt);
  return reply;
}

BootId boot_id_of(std::span<const std::byte> hello_reply) {
  BootId boot_id{};
  std::ranges::copy(hello_reply.subspan(kBootIdAt, boot_id.size()), boot_id.begin());
  return boot_id;
}

std::uint8_t dscp_of(std::span<const std::byte> hello) {
  return get<std::uint8_t>(hello, kDscpAt) & 0x3fU;
}

std::optional<Header> find_request(std::span<const std::byte> bytes, std::uint64_t session) {
  std::array<std::byte, sizeof session> wanted{};
  put(session, wanted, 0);
  auto rest = bytes;
  for (;;) {
    const auto found = std::ranges::search(rest, wanted);
    if (found.empty()) return std::nullopt;
    const auto at = static_cast<std::size_t>(found.begin() - bytes.begin());
    if (at >= kSessionAt) {
      const auto header = decode_header(bytes.subspan(at - kSessionAt));
      if (header && header->type == Type::request) return header;
    }
    rest = bytes.subspan(at + 1);
  }
}

void encode(const Header& header, std::span<std::byte> bytes) {
  put(kMagic, bytes, 0);
  put(kVersion, bytes, 4);
  put(static_cast<std::uint8_t>(header.type), bytes, kTypeAt);
  put(header.length, bytes, 6);
  put(header.session, bytes, kSessionAt);
  put(header.sequence, bytes, 16);
}

void encode_dscp(std::uint8_t dscp, std::span<std::byte> hello) {
  put(dscp, hello, kDscpAt);
}

void fill(std::uint64_t seed, std::span<std::byte> bytes) {
  for (std::byte& byte : bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    byte = static_cast<std::byte>(seed >> 56U);
  }
}

bool make_reply(std::span<std::byte> bytes, const FarStamps& far, const BootId& boot_id) {
  const auto header = decode(bytes);
  if (!header || (header->type != Type::request && header->type != Type::hello)) return false;
  const bool greets = header->type == Type::hello;
  put(static_cast<std::uint8_t>(greets ? Type::hello_reply : Type::reply), bytes, kTypeAt);
  put(far.arrival, bytes, kArrivalAt);
  const Ns turnaround =
      std::clamp(far.sent - far.arrival, Ns{0}, Ns{std::numeric_limits<std::uint32_t>::max()});
  put(static_cast<std::uint32_t>(turnaround), bytes, kTurnaroundAt);
  if (greets) std::ranges::copy(boot_id, bytes.subspan(kBootIdAt).begin());
  return true;
}

}  // namespace netperfd::echo
