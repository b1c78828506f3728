// SPDX-License-Identifier: GPL-2.0-or-later
// Rings recorded by a kernel (tools/record-trace), and the kernel's own text of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "daemon/trace/ring/event_fields.hpp"
#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/ring/subbuffer.hpp"

namespace netperfd::trace::test {

// Path below tests/data/trace.
[[nodiscard]] std::string recorded_file(const std::string& path);

// One event in the file `trace`.
struct KernelLine {
  std::uint32_t cpu = 0;
  std::int32_t pid = 0;
  std::string time;   // "14001.084763", in seconds
  std::string event;  // "kfree_skb", "print", "kernel_stack"
  std::string text;   // after the event's name
};

struct RecordedCpu {
  std::vector<std::byte> bytes;  // of its sub-buffers, one after the other
  std::uint64_t entries = 0;     // from its statistics
  std::uint64_t overrun = 0;
  std::vector<KernelLine> lines;
};

struct RecordedRing {
  SubbufferLayout layout;
  std::map<std::uint32_t, RecordedCpu> cpus;

  [[nodiscard]] std::vector<std::span<const std::byte>> subbuffers(std::uint32_t cpu) const;
};

// "traffic", "losses", "losses_uncounted", "large".
[[nodiscard]] RecordedRing recorded_ring(const std::string& name);

// The formats of all events in the rings, by ID.
[[nodiscard]] std::map<std::uint32_t, EventFormat> recorded_formats();
[[nodiscard]] EventFormat recorded_format(const std::string& path);  // "skb/kfree_skb"

// Returns its argument as text: "code:ffffffff81ebe6ec", "data:ffff888102af0100".
class EchoedNames final : public AddressNames {
 public:
  [[nodiscard]] std::string code(std::uint64_t address) const override;
  [[nodiscard]] std::string token(std::uint64_t address) const override;
};

}  // namespace netperfd::trace::test
