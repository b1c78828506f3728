// SPDX-License-Identifier: GPL-2.0-or-later
// Makes sub-buffers like the kernel's ring buffer, and records and formats of a small synthetic kernel: some
// events of Linux 6.18, with their fields at the same offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/ring/subbuffer.hpp"
#include "daemon/trace/ring/tally.hpp"

namespace netperfd::trace::test {

using Bytes = std::vector<std::byte>;

// Writes numbers in the machine's byte order at offsets, into a record that grows as needed.
class RecordMaker {
 public:
  explicit RecordMaker(std::uint16_t id, std::int32_t pid = 0, std::uint8_t flags = 0) {
    put(0, id);
    put(2, flags);
    put(4, pid);
  }
  template <class T>
  RecordMaker& put(std::size_t offset, T value) {
    if (bytes_.size() < offset + sizeof value) bytes_.resize(offset + sizeof value);
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
    return *this;
  }
  RecordMaker& put_text(std::size_t offset, std::string_view text) {
    for (const char c : text) put(offset++, c);
    return put(offset, '\0');
  }
  operator Bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

class SubbufferMaker {
 public:
  explicit SubbufferMaker(std::uint64_t time) : bytes_(kHeader), begin_(time), time_(time) {}

  // Times must increase. False if the record does not fit; then nothing is added.
  bool add(std::uint64_t time, const Bytes& record) {
    const auto words = (record.size() + 3) / 4;
    const bool is_short = words <= 28;
    const auto size = 4 * words + (is_short ? 4 : 8);
    const auto delta = time - time_;
    const bool is_late = delta >= kDeltas;
    if (bytes_.size() + size + (is_late ? 8 : 0) > kSize) return false;
    if (is_late) {
      put_head(30, delta % kDeltas);
      put(static_cast<std::uint32_t>(delta / kDeltas));
    }
    put_head(is_short ? words : 0, is_late ? 0 : delta);
    if (!is_short) put(static_cast<std::uint32_t>(4 * words + 4));
    bytes_.insert(bytes_.end(), record.begin(), record.end());
    bytes_.resize(bytes_.size() + 4 * words - record.size());
    time_ = time;
    return true;
  }

  // A whole sub-buffer. `lost`: events missing before it; -1: some.
  [[nodiscard]] Bytes finish(std::int64_t lost = 0) const {
    Bytes result = bytes_;
    std::uint64_t commit = bytes_.size() - kHeader;
    if (lost != 0) commit |= std::uint64_t{1} << 31;
    if (lost > 0) commit |= std::uint64_t{1} << 30;
    std::memcpy(result.data(), &begin_, sizeof begin_);
    std::memcpy(result.data() + 8, &commit, sizeof commit);
    result.resize(kSize);
    if (lost > 0) std::memcpy(result.data() + bytes_.size(), &lost, sizeof lost);
    return result;
  }

 private:
  static constexpr std::size_t kHeader = 16;
  static constexpr std::size_t kSize = 4096;
  static constexpr std::uint64_t kDeltas = std::uint64_t{1} << 27;

  void put(std::uint32_t word) {
    bytes_.resize(bytes_.size() + sizeof word);
    std::memcpy(bytes_.data() + bytes_.size() - sizeof word, &word, sizeof word);
  }
  void put_head(std::uint64_t type, std::uint64_t delta) {
    put(static_cast<std::uint32_t>(delta << 5 | type));
  }

  Bytes bytes_;
  std::uint64_t begin_;
  std::uint64_t time_;
};

inline constexpr std::uint16_t kStackId = 4;
inline constexpr std::uint16_t kPrintId = 5;
inline constexpr std::uint16_t kUserStackId = 13;
inline constexpr std::uint16_t kSendId = 700;
inline constexpr std::uint16_t kConsumeId = 2309;
inline constexpr std::uint16_t kDropId = 2310;

inline KnownEvent make_event(const std::string& system, const std::string& name, std::uint16_t id,
                             const std::string& fields) {
  auto format =
      parse_event_format("name: " + name + "\nID: " + std::to_string(id) +
                         "\nformat:\n"
                         "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                         "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                         "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                         "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" +
                         fields);
  if (!format) throw std::runtime_error(format.error().message);
  return {system + ":" + name, *std::move(format)};
}

inline std::vector<KnownEvent> known_events() {
  return {
      make_event("ftrace", "kernel_stack", kStackId,
                 "\tfield:int size;\toffset:8;\tsize:4;\tsigned:1;\n"
                 "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
                 "print fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n"),
      make_event("ftrace", "print", kPrintId,
                 "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
                 "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\n"
                 "print fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n"),
      make_event("ftrace", "user_stack", kUserStackId,
                 "\tfield:unsigned int tgid;\toffset:8;\tsize:4;\tsigned:0;\n"
                 "\tfield:unsigned long caller[8];\toffset:16;\tsize:64;\tsigned:0;\n\n"
                 "print fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n"),
      make_event("net", "send", kSendId,
                 "\tfield:unsigned int len;\toffset:8;\tsize:4;\tsigned:0;\n\n"
                 "print fmt: \"len=%u\", REC->len\n"),
      make_event("skb", "consume_skb", kConsumeId,
                 "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
                 "\tfield:void * location;\toffset:16;\tsize:8;\tsigned:0;\n\n"
                 "print fmt: \"skbaddr=%p location=%pS\", REC->skbaddr, REC->location\n"),
      make_event("skb", "kfree_skb", kDropId,
                 "\tfield:void * skbaddr;\toffset:8;\tsize:8;\tsigned:0;\n"
                 "\tfield:void * location;\toffset:16;\tsize:8;\tsigned:0;\n"
                 "\tfield:void * rx_sk;\toffset:24;\tsize:8;\tsigned:0;\n"
                 "\tfield:unsigned short protocol;\toffset:32;\tsize:2;\tsigned:0;\n"
                 "\tfield:enum skb_drop_reason reason;\toffset:36;\tsize:4;\tsigned:0;\n\n"
                 "print fmt: \"skbaddr=%p location=%pS reason: %s\", REC->skbaddr, REC->location, "
                 "__print_symbolic(REC->reason, { 2, \"NOT_SPECIFIED\" }, { 3, \"NO_SOCKET\" })\n"),
  };
}

// The functions that contain the addresses below.
inline constexpr std::string_view kKallsyms =
    "ffffffff81000000 T _text\n"
    "ffffffff81001000 T ip_rcv\n"
    "ffffffff81002000 T udp_rcv\n"
    "ffffffff81003000 t do_softirq\n"
    "ffffffff81004000 T _etext\n"
    "ffffffff82000000 D some_data\n";
inline constexpr std::uint64_t kIpRcv = 0xffffffff81001000;
inline constexpr std::uint64_t kUdpRcv = 0xffffffff81002000;
inline constexpr std::uint64_t kSoftirq = 0xffffffff81003000;

inline Bytes send_record(std::uint32_t length, std::int32_t pid = 0, std::uint8_t flags = 0) {
  return RecordMaker(kSendId, pid, flags).put(8, length);
}

inline Bytes drop_record(std::uint32_t reason, std::uint64_t location, std::int32_t pid = 0,
                         std::uint8_t flags = 0) {
  return RecordMaker(kDropId, pid, flags)
      .put(8, std::uint64_t{0xffff888012345600})
      .put(16, location)
      .put(36, reason);
}

inline Bytes stack_record(std::span<const std::uint64_t> frames, std::int32_t pid = 0,
                          std::uint8_t flags = 0) {
  RecordMaker record(kStackId, pid, flags);
  record.put(8, static_cast<std::int32_t>(frames.size())).put(12, std::int32_t{0});
  for (std::size_t i = 0; i < frames.size(); ++i) record.put(16 + 8 * i, frames[i]);
  return record;
}
inline Bytes stack_record(std::initializer_list<std::uint64_t> frames, std::int32_t pid = 0,
                          std::uint8_t flags = 0) {
  return stack_record(std::span(frames.begin(), frames.size()), pid, flags);
}

inline Bytes print_record(std::string_view line, std::int32_t pid = 0) {
  return RecordMaker(kPrintId, pid).put(8, std::uint64_t{0}).put_text(16, line);
}

}  // namespace netperfd::trace::test
