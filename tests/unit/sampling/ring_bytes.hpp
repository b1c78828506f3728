// SPDX-License-Identifier: GPL-2.0-or-later
// Records as the kernel writes them, made by hand from perf_event_open(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/sampling/records.hpp"

namespace netperfd::sampling {

inline constexpr std::uint16_t kKernelMode = 1, kUserMode = 2, kGuestKernelMode = 4;
inline constexpr std::uint64_t kKernelMarker = static_cast<std::uint64_t>(-128);

class RecordBytes {
 public:
  RecordBytes& sample(std::int32_t pid, std::vector<std::uint64_t> addresses,
                      std::uint16_t mode = kKernelMode) {
    if (mode == kKernelMode) addresses.insert(addresses.begin(), kKernelMarker);
    begin(9, mode);
    put(pid);
    put(pid + 1);  // a thread
    put(std::uint64_t{addresses.size()});
    for (const std::uint64_t address : addresses) put(address);
    return end();
  }
  RecordBytes& name(std::int32_t pid, std::int32_t tid, std::string text) {
    begin(3, 0);
    put(pid);
    put(tid);
    text.resize((text.size() / 8 + 1) * 8);
    for (const char each : text) put(each);
    return end();
  }
  RecordBytes& lost(std::uint64_t count) {
    begin(2, 0);
    put(std::uint64_t{77});
    put(count);
    return end();
  }
  RecordBytes& lost_samples(std::uint64_t count) {
    begin(13, 0);
    put(count);
    return end();
  }
  RecordBytes& throttle() {
    begin(5, 0);
    for (int i = 0; i < 3; ++i) put(std::uint64_t{5});
    return end();
  }
  // `unloaded`: it goes away.
  RecordBytes& code(std::uint64_t address, std::uint32_t size, std::string text, bool bpf = true,
                    bool unloaded = false) {
    begin(17, 0);
    put(address);
    put(size);
    put(static_cast<std::uint16_t>(bpf ? 1 : 2));
    put(static_cast<std::uint16_t>(unloaded ? 1 : 0));
    text.resize((text.size() / 8 + 1) * 8);
    for (const char each : text) put(each);
    return end();
  }
  // Of a type that nobody knows.
  RecordBytes& other() {
    begin(999, 0);
    put(~std::uint64_t{0});
    return end();
  }
  // A header alone, that claims to be `size` bytes long.
  RecordBytes& header(std::uint16_t size) {
    put(std::uint32_t{9});
    put(kKernelMode);
    put(size);
    return *this;
  }

  std::vector<std::byte> bytes;

 private:
  template <class Value>
  void put(Value value) {
    const auto raw = std::as_bytes(std::span(&value, 1));
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  void begin(std::uint32_t type, std::uint16_t misc) {
    begin_ = bytes.size();
    put(type);
    put(misc);
    put(std::uint16_t{0});
  }
  RecordBytes& end() {
    const std::size_t size = bytes.size() - begin_;
    bytes[begin_ + 6] = static_cast<std::byte>(size & 0xFFU);
    bytes[begin_ + 7] = static_cast<std::byte>(size >> 8U);
    return *this;
  }
  std::size_t begin_ = 0;
};

// What a listener was told, as words.
class Heard final : public RecordListener {
 public:
  void loaded(const LoadedCode& code) override {
    words.push_back(std::string(code.name) + (code.is_bpf ? " of BPF" : "") + " at " +
                    std::to_string(code.address) + " + " + std::to_string(code.bytes));
  }
  void sampled(const RawSample& sample) override {
    std::string text = "sample of " + std::to_string(sample.pid);
    text += sample.in_guest ? " guest" : sample.in_kernel ? " kernel" : " user";
    for (const std::uint64_t address : sample.addresses) text += " " + std::to_string(address);
    words.push_back(text);
  }
  void renamed(std::int32_t pid, std::string_view name) override {
    words.push_back(std::to_string(pid) + " is " + std::string(name));
  }
  void lost(std::uint64_t records) override { words.push_back("lost " + std::to_string(records)); }
  void throttled() override { words.emplace_back("throttled"); }
  void damaged() override { words.emplace_back("damaged"); }

  std::vector<std::string> words;
};

}  // namespace netperfd::sampling
