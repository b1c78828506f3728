// SPDX-License-Identifier: GPL-2.0-or-later
// What the CPUs were doing during an untraced run, sampled at a fixed rate. It has symbols, never addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "daemon/model/function_profile.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd {

// The rate of a design's plain runs whose job names none, per second and CPU. It keeps 99 % of the throughput
// in tests/bench/sampling_in_vm (docs/profiles.md).
inline constexpr std::uint32_t kDefaultSampleRate = 99;
// Any higher rate would measure the sampling.
inline constexpr std::uint32_t kMostSampleRate = 10'000;

// How the plain runs of a job are sampled.
struct SampleSpec {
  std::uint32_t rate = kDefaultSampleRate;  // samples per second on each CPU
  bool asked = true;                        // false: by default; then it is no error if the kernel refuses

  bool operator==(const SampleSpec&) const = default;
};

enum class FrameKind : std::uint8_t {
  function,  // of the kernel or of a module
  program,   // a root: a process of the workload; the name is the program's
  others,    // a root: all other tasks, kernel threads and interrupts of an idle CPU
  user,      // the innermost frame: code outside the kernel
  guest,     // the innermost frame: a virtual machine on this host
  unknown,   // kernel code without a symbol, such as that of a module loaded during the run
  more,      // frames left out because the profile has too many paths; the innermost function follows
};

struct SampleFrame {
  FrameKind kind = FrameKind::function;
  std::string name;             // of a function or a program; otherwise empty
  std::string module;           // of a function; empty: the kernel itself
  std::uint32_t duplicate = 0;  // as in FunctionStats

  bool operator==(const SampleFrame&) const = default;
};

// A path of frames from a root, outermost first: the path of a node is that of its parent and its own frame.
// A parent precedes its children.
struct SampleNode {
  std::optional<std::uint32_t> parent;  // index into SampleProfile::nodes; absent: a root
  std::uint32_t frame = 0;              // index into SampleProfile::frames
  std::uint64_t samples = 0;            // that were taken in this very frame, with this path

  bool operator==(const SampleNode&) const = default;
};

struct SampleProfile {
  std::uint32_t rate = 0;  // asked for, per second and CPU
  // "cycles" of the CPUs' own counters, or "cpu-clock", a timer of the kernel. Empty: nothing was sampled.
  std::string event;
  // False: the sample of a section with interrupts off is taken behind it (see switches_interrupts_on()).
  bool sees_interrupts_off = false;
  std::uint32_t cpus = 0;
  std::uint64_t duration_ns = 0;  // from the last ActiveSampling::released() to the workload's end

  std::uint64_t samples = 0;    // all that were read, idle ones included
  std::uint64_t idle = 0;       // of the idle task; in no node. None with "cycles": an idle CPU has none
  std::uint64_t lost = 0;       // that the kernel had no room for
  std::uint64_t throttled = 0;  // number of times that the kernel paused sampling on a CPU
  std::uint64_t unknown = 0;    // samples with a frame of the kind `unknown`
  std::uint64_t cut = 0;        // samples with a frame of the kind `more`
  std::uint64_t damaged = 0;    // stretches of records that made no sense

  std::vector<SampleFrame> frames;
  std::vector<SampleNode> nodes;  // the roots of the workload first, in the order of its processes
  std::vector<Build> builds;      // the kernel and the modules of its functions
  std::string skipped;            // why nothing was sampled, a clause; otherwise empty

  bool operator==(const SampleProfile&) const = default;
};
template <>
inline constexpr auto rows::kFields<SampleProfile> =
    std::tuple{rows::field("rate", &netperfd::SampleProfile::rate),
               rows::field("event", &netperfd::SampleProfile::event),
               rows::field("sees_interrupts_off", &netperfd::SampleProfile::sees_interrupts_off),
               rows::field("cpus", &netperfd::SampleProfile::cpus),
               rows::field("duration_ns", &netperfd::SampleProfile::duration_ns),
               rows::field("samples", &netperfd::SampleProfile::samples),
               rows::field("idle", &netperfd::SampleProfile::idle),
               rows::field("lost", &netperfd::SampleProfile::lost),
               rows::field("throttled", &netperfd::SampleProfile::throttled),
               rows::field("unknown", &netperfd::SampleProfile::unknown),
               rows::field("cut", &netperfd::SampleProfile::cut),
               rows::field("damaged", &netperfd::SampleProfile::damaged),
               rows::field("frames", &netperfd::SampleProfile::frames),
               rows::field("nodes", &netperfd::SampleProfile::nodes),
               rows::field("builds", &netperfd::SampleProfile::builds),
               rows::field("skipped", &netperfd::SampleProfile::skipped)};
static_assert(rows::kDescribed<SampleProfile>);

// Whether a function of the kernel switches interrupts on. A timer that expires while interrupts are off
// fires right there. So with SampleProfile::sees_interrupts_off == false, these functions get the samples
// of the sections before them. Known by name: the unlocks with irq or irqrestore, and the places in which
// the scheduler, softirqs, NAPI and system calls switch interrupts on themselves.
[[nodiscard]] bool switches_interrupts_on(std::string_view function);

// "tcp_ack", "[user]", "iperf3", "others", "[unknown]".
[[nodiscard]] std::string name_of(const SampleFrame& frame);

// The samples of one function or other place, over all paths.
struct SampledFunction {
  std::uint32_t frame = 0;     // index into SampleProfile::frames
  std::uint64_t self = 0;      // samples taken in it
  std::uint64_t total = 0;     // samples taken in it or in what it called; counted once in a recursion
  std::uint64_t workload = 0;  // of `self`, while a process of the workload was running

  bool operator==(const SampledFunction&) const = default;
};
// All frames but roots, the largest `self` first, then the largest `total`, then by name.
[[nodiscard]] std::vector<SampledFunction> functions_of(const SampleProfile& profile);

// Samples that are no idle ones: what shares are of.
[[nodiscard]] std::uint64_t busy_samples(const SampleProfile& profile);

// All samples that were due: those taken, those lost and those that did not come. The timer of cpu-clock
// fires on idle CPUs too. Absent for cycles, of which an idle CPU has none: nobody knows how many were due.
[[nodiscard]] std::optional<std::uint64_t> due_samples(const SampleProfile& profile);

// A share of `all` samples, with its 95 % interval (Wilson's score interval), all within 0 and 1. It treats
// samples as independent, which holds for functions that are short compared with the time between samples.
struct SampleShare {
  double share = 0, low = 0, high = 1;
};
[[nodiscard]] SampleShare share_of(std::uint64_t count, std::uint64_t all);

// The smallest difference of two shares near `share` that two profiles of `all` samples each can show at
// 95 %, with a chance of 80 %.
[[nodiscard]] double resolution(double share, std::uint64_t all);

}  // namespace netperfd
