// SPDX-License-Identifier: GPL-2.0-or-later
// The perf events that sample every CPU, and their rings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/sampling/records.hpp"

namespace netperfd::sampling {

// What is sampled.
struct SampleEvent {
  std::string name;                  // as in SampleProfile::event
  bool sees_interrupts_off = false;  // as in SampleProfile
};

// Bytes of the ring of one CPU: four seconds of samples with forty frames, a power of two from 64 KiB to 512
// KiB, as much as kernel.perf_event_mlock_kb allows by default.
[[nodiscard]] std::size_t ring_bytes(std::uint32_t rate);

// Samples from its creation to stop(). The kernel closes everything with the descriptors, also those of a
// killed process.
class SampleRings {
 public:
  // Samples `cpus` at `rate` per second: the CPUs' cycles, or cpu-clock if they are not counted here. All
  // tasks, stacks of the kernel only. unsupported or io: the kernel refuses; all CPUs are sampled or none.
  [[nodiscard]] static Result<SampleRings> open(const std::vector<std::uint32_t>& cpus, std::uint32_t rate);
  SampleRings(SampleRings&&) noexcept = default;
  SampleRings& operator=(SampleRings&&) noexcept = default;
  SampleRings(const SampleRings&) = delete;
  SampleRings& operator=(const SampleRings&) = delete;
  ~SampleRings() = default;

  [[nodiscard]] const SampleEvent& event() const { return event_; }
  [[nodiscard]] std::size_t cpus() const { return rings_.size(); }
  // Becomes readable when half of the ring is full; borrowed.
  [[nodiscard]] int descriptor(std::size_t cpu) const { return rings_[cpu].event.get(); }

  // Reads what the rings have.
  void drain(RecordListener& listener);
  // No samples come from now on; those in the rings can still be read.
  void stop();
  // Samples lost so far; absent: this kernel does not count them (before 6.0), only the records tell.
  [[nodiscard]] std::optional<std::uint64_t> lost() const;

 private:
  // The mapped ring: a page of positions, then the data.
  class Mapping {
   public:
    Mapping() = default;
    Mapping(void* base, std::size_t size) : base_(base), size_(size) {}
    Mapping(Mapping&& other) noexcept
        : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
      std::swap(base_, other.base_);
      std::swap(size_, other.size_);
      return *this;
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping();
    [[nodiscard]] void* base() const { return base_; }

   private:
    void* base_ = nullptr;
    std::size_t size_ = 0;
  };
  struct Ring {
    Fd event;
    Mapping mapping;
  };
  SampleRings() = default;
  [[nodiscard]] static Result<Ring> map(Fd event, std::size_t bytes);
  [[nodiscard]] std::vector<std::byte> take_all_of(const Ring& ring, RecordListener& listener) const;

  SampleEvent event_;
  std::size_t data_bytes_ = 0;
  bool counts_lost_ = false;
  std::vector<Ring> rings_;
};

}  // namespace netperfd::sampling
