// SPDX-License-Identifier: GPL-2.0-or-later
// The order of a job's runs, chosen so that its sides can be compared. docs/designs.md is the guide.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/machine_setting.hpp"

namespace netperfd {

inline constexpr std::size_t kMaxVariantName = 32;  // letters, digits, '.', '_' and '-'

// One side of a job's comparison, and the commands that switch the machine to it. Only scenarios that root
// installed may have commands; a caller's text can never add one. Every argv begins with an absolute path.
struct Variant {
  std::string name;                // such as "list"; "A" and "B" if the scenario gives none
  std::vector<std::string> apply;  // `switch:`; empty: nothing to do
  std::vector<std::string>
      verify;  // `check:`, which must exit with 0 before each run of this side; empty: none
  // Builds of one source, each a last word for both commands; empty: there is one, and the commands know it.
  std::vector<std::string> builds;
  // `machine:`, in place of commands, and `module:`; what one side alone sets is on the other as it was.
  std::vector<MachineSetting> settings{};

  // The commands for a build, from 1; 0: without builds.
  [[nodiscard]] std::vector<std::string> switch_to(std::uint32_t build) const;
  [[nodiscard]] std::vector<std::string> check_of(std::uint32_t build) const;
  bool operator==(const Variant&) const = default;
};

// `level: boot`: the `switch` of a side reboots the machine, and each letter has a boot of its own.
struct Reboots {
  std::uint32_t runs = 3;                     // of each letter, for each arm
  std::chrono::milliseconds notice{120'000};  // from the announcement to the reboot
  std::chrono::milliseconds settle{60'000};   // from the check after the boot to the first run
  std::vector<std::string> prepare;           // a command after each boot, before the check; empty: none
  std::uint32_t most = 0;  // reboots of the job; 0: twice the number of letters, at most 1,000
  std::chrono::milliseconds within{86'400'000};  // from the first reboot on; none begins later

  bool operator==(const Reboots&) const = default;
};

// What the points of a sweep have different values of.
struct SweepAxis {
  std::string key;  // of the workload, as a side sets it: "streams"; or a target of the machine
  std::vector<std::string> values;  // as in the text; no commas

  [[nodiscard]] bool is_of_machine() const { return begins_setting_target(key); }

  bool operator==(const SweepAxis&) const = default;
};

// With variants, a block is four letters, ABBA or BAAB. Each letter is a plain run or, if the job has `plain`
// and a trace, a plain and a traced run in random order. Without variants, with `plain` and a trace, a block
// is one plain and one traced run in random order. With builds, all letters of a side in a block have the
// same one, and so many blocks have each of them once, in random order. With reboots, a letter is several
// such runs.
struct Design {
  std::optional<Variant> a, b;        // both or neither
  bool plain = false;                 // each letter also has a run without the trace
  std::vector<std::string> changed;   // groups that A and B are declared to differ in; empty: not declared
  std::optional<std::uint64_t> seed;  // absent: drawn when the job is accepted, and recorded
  std::optional<Reboots> reboots{};   // with variants that have commands, and without builds
  // `module.prepare:`, a command after each load of a module; empty: none.
  std::vector<std::string> prepare{};
  // `sweep:`, whose points are all combinations of values, those of the last axis in turn first. Each block
  // has four letters of each point. Empty: no sweep.
  std::vector<SweepAxis> sweep{};
  // Of a self-test, whose sides are both A: side B of its scenario, if that has a check. The machine may be
  // found on it, and is then brought back to it.
  std::optional<Variant> home{};

  [[nodiscard]] bool has_variants() const { return a.has_value(); }
  // Whether sides or the sweep set something on the machine.
  [[nodiscard]] bool has_settings() const;
  // Of the side, and of the point of a sweep.
  [[nodiscard]] std::vector<MachineSetting> settings_of(char variant, std::uint32_t point) const;
  // What the machine has there: of what the other side alone sets, kAsItWas.
  [[nodiscard]] std::vector<MachineSetting> set_on(char variant, std::uint32_t point) const;
  // Of each side.
  [[nodiscard]] std::uint32_t builds() const { return a ? static_cast<std::uint32_t>(a->builds.size()) : 0; }
  [[nodiscard]] std::uint32_t points() const;  // 0: no sweep
  // The value of each axis at a point, from 1.
  [[nodiscard]] std::vector<std::string> values_at(std::uint32_t point) const;
  // "streams=4, length=512"; empty for point 0.
  [[nodiscard]] std::string point_name(std::uint32_t point) const;
  // The side's build of that number; empty without builds.
  [[nodiscard]] std::string build_name(char variant, std::uint32_t build) const;
  bool operator==(const Design&) const = default;
};

// Why a job was requested. Figures of pilots and self-tests are not results: selections of runs by scenario,
// or of the last run, ignore them.
enum class JobPurpose {
  measurement,
  pilot,    // measures how much runs spread, for planning; all runs are plain
  selftest  // A against A: the difference that this host can resolve
};
[[nodiscard]] std::string_view to_string(JobPurpose purpose);
[[nodiscard]] std::optional<JobPurpose> parse_job_purpose(std::string_view text);
[[nodiscard]] bool parse_word(std::string_view text, JobPurpose& purpose);  // as that of Direction

// The place of a run in its job's design. Without a design, block, letter and variant have their defaults.
struct Slot {
  std::uint32_t block = 0;   // from 1; 0: no design
  std::uint32_t letter = 0;  // within the block and, in a sweep, the point, from 1
  char variant = '\0';       // 'A' or 'B'
  std::uint32_t build = 0;   // of the side's builds, from 1; 0: it has none
  bool traced = false;       // whether the job's trace is applied
  std::uint32_t point = 0;   // of the sweep's points, from 1; 0: no sweep

  bool operator==(const Slot&) const = default;
};

struct JobSpec;

// Number of runs of the job; `spec` may be one that check() refuses.
[[nodiscard]] std::uint64_t run_count(const JobSpec& spec);

// Letters that the runs from number `from` on belong to, counted from 0. With reboots, each has a boot.
[[nodiscard]] std::uint32_t letters_left(const std::vector<Slot>& slots, std::size_t from);

inline constexpr std::uint32_t kMaxReboots = 1'000;  // of one job
// Reboots that a job whose design has them may ask for.
[[nodiscard]] std::uint32_t most_reboots(const JobSpec& spec);

// The order of all runs of the job. `repeat` counts blocks if there is a design, otherwise runs. The same
// seed gives the same order on every machine. Each block's order is drawn independently.
[[nodiscard]] std::vector<Slot> draw_slots(const JobSpec& spec, std::uint64_t seed);

}  // namespace netperfd
