// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sampling/records.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace netperfd::sampling {
namespace {

using Bytes = std::span<const std::byte>;

// The kernel's own limit is kernel.perf_event_max_stack, 127 unless root raised it.
constexpr std::size_t kMostAddresses = 1024;

// Takes a value from the front; false if there are too few bytes.
template <class Value>
bool take(Bytes& bytes, Value& value) {
  if (bytes.size() < sizeof value) return false;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return true;
}

// A marker of the kernel between addresses, such as PERF_CONTEXT_KERNEL.
bool is_marker(std::uint64_t address) {
  return address >= PERF_CONTEXT_MAX;
}

bool read_sample(Bytes body, std::uint16_t misc, RecordListener& listener) {
  std::int32_t pid = 0;
  std::int32_t tid = 0;
  std::uint64_t count = 0;
  if (!take(body, pid) || !take(body, tid) || !take(body, count)) return false;
  if (count > body.size() / sizeof(std::uint64_t)) return false;
  std::array<std::uint64_t, kMostAddresses> addresses;
  std::size_t kept = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t address = 0;
    if (take(body, address) && !is_marker(address) && kept < addresses.size()) addresses[kept++] = address;
  }
  const std::uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
  listener.sampled({.pid = pid,
                    .in_kernel = mode == PERF_RECORD_MISC_KERNEL,
                    .in_guest = mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER,
                    .addresses = std::span(addresses).first(kept)});
  return true;
}

bool read_name(Bytes body, RecordListener& listener) {
  std::int32_t pid = 0;
  std::int32_t tid = 0;
  if (!take(body, pid) || !take(body, tid)) return false;
  const auto* text = reinterpret_cast<const char*>(body.data());
  const std::string_view name(text, ::strnlen(text, body.size()));
  if (pid == tid) listener.renamed(pid, name);  // other threads name themselves
  return true;
}

bool read_lost(Bytes body, bool has_id, RecordListener& listener) {
  std::uint64_t id = 0;
  std::uint64_t count = 0;
  if ((has_id && !take(body, id)) || !take(body, count)) return false;
  listener.lost(count);
  return true;
}

// PERF_RECORD_KSYMBOL, since Linux 5.1. Code that is unloaded keeps its name: samples of it may not have been
// read yet.
void read_code(Bytes body, RecordListener& listener) {
  LoadedCode code;
  std::uint16_t type = 0;
  std::uint16_t flags = 0;
  if (!take(body, code.address) || !take(body, code.bytes) || !take(body, type) || !take(body, flags)) return;
  if ((flags & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER) != 0) return;
  code.is_bpf = type == PERF_RECORD_KSYMBOL_TYPE_BPF;
  const auto* text = reinterpret_cast<const char*>(body.data());
  code.name = {text, ::strnlen(text, body.size())};
  listener.loaded(code);
}

bool read_record(const perf_event_header& header, Bytes body, RecordListener& listener) {
  switch (header.type) {
    case PERF_RECORD_SAMPLE:
      return read_sample(body, header.misc, listener);
    case PERF_RECORD_COMM:
      return read_name(body, listener);
    case PERF_RECORD_LOST:
      return read_lost(body, true, listener);
    case PERF_RECORD_LOST_SAMPLES:
      return read_lost(body, false, listener);
    case PERF_RECORD_THROTTLE:
      listener.throttled();
      return true;
    default:
      return true;
  }
}

// The body of the next record, which is taken from the front; absent: no record can begin so.
std::optional<Bytes> next_record(Bytes& bytes, perf_event_header& header) {
  Bytes rest = bytes;
  if (!take(rest, header) || header.size < sizeof header || header.size > bytes.size()) return std::nullopt;
  bytes = bytes.subspan(header.size);
  return rest.first(header.size - sizeof header);
}

}  // namespace

void read_loaded_code(Bytes bytes, RecordListener& listener) {
  perf_event_header header{};
  while (!bytes.empty()) {
    const auto body = next_record(bytes, header);
    if (!body) return;  // read_records() tells of it
    if (header.type == PERF_RECORD_KSYMBOL) read_code(*body, listener);
  }
}

void read_records(Bytes bytes, RecordListener& listener) {
  while (!bytes.empty()) {
    perf_event_header header{};
    const auto body = next_record(bytes, header);
    if (!body || !read_record(header, *body, listener)) {
      listener.damaged();
      return;
    }
  }
}

bool copy_out(Bytes ring, std::uint64_t tail, std::uint64_t head, std::vector<std::byte>& out) {
  out.clear();
  const std::uint64_t size = head - tail;
  if (size > ring.size()) return false;
  if (size == 0) return true;
  const auto begin = static_cast<std::size_t>(tail % ring.size());
  const Bytes first = ring.subspan(begin, std::min<std::size_t>(size, ring.size() - begin));
  out.insert(out.end(), first.begin(), first.end());
  const Bytes second = ring.first(size - first.size());
  out.insert(out.end(), second.begin(), second.end());
  return true;
}

}  // namespace netperfd::sampling
