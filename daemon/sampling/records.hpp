// SPDX-License-Identifier: GPL-2.0-or-later
// The records that perf events put into their ring, as perf_event_open(2) describes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace netperfd::sampling {

// One sample: which task was running, and where.
struct RawSample {
  std::int32_t pid = 0;  // of the process, in our PID namespace; 0: the idle task, or a task outside of it
  bool in_kernel = false;
  bool in_guest = false;                     // the CPU was running a virtual machine
  std::span<const std::uint64_t> addresses;  // of the kernel's code, innermost first; valid in the call only
};

// Code that the kernel got while it was sampled, such as a BPF program.
struct LoadedCode {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool is_bpf = false;
  std::string_view name;  // "bpf_prog_6deef7357e7b4530_count"; valid in the call only
};

class RecordListener {
 public:
  virtual ~RecordListener() = default;
  virtual void loaded(const LoadedCode& /*code*/) {}
  virtual void sampled(const RawSample& sample) = 0;
  // A process took another name; `name` is as the program chose it, valid in the call only.
  virtual void renamed(std::int32_t pid, std::string_view name) = 0;
  virtual void lost(std::uint64_t records) = 0;  // the ring had no room for them
  virtual void throttled() = 0;                  // sampling paused until the next tick
  virtual void damaged() = 0;                    // the rest of the bytes makes no sense
};

// What the kernel writes into a sample here, in this order; SampleRings asks for it.
// PERF_SAMPLE_TID: pid and tid; PERF_SAMPLE_CALLCHAIN: a count, then the addresses.

// Walks whole records for the code that was loaded, and tells of nothing else.
void read_loaded_code(std::span<const std::byte> bytes, RecordListener& listener);
// Walks whole records for all but that. Any bytes are safe: the walk ends at the first record that cannot be
// one.
void read_records(std::span<const std::byte> bytes, RecordListener& listener);

// The bytes from position `tail` to `head` of a ring, in one piece. The positions only grow; the ring begins
// anew at each multiple of its size. False if so many bytes cannot be in the ring; `out` is then empty.
[[nodiscard]] bool copy_out(std::span<const std::byte> ring, std::uint64_t tail, std::uint64_t head,
                            std::vector<std::byte>& out);

}  // namespace netperfd::sampling
