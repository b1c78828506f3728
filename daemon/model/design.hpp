// How the runs of a job are ordered so that its sides can be compared. docs/designs.md is the guide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace netperfd {

// One side of a job's comparison, and how the machine is brought to it. Only a scenario that root installed
// may have commands: no caller's text ever becomes one. Every argv begins with an absolute path.
struct Variant {
  std::string name;                // such as "list"; "A" and "B" where the scenario gives none
  std::vector<std::string> apply;  // `switch:`; empty: nothing is to be done
  std::vector<std::string>
      verify;  // `check:`, which must end with 0 before each run of this side; empty: none

  bool operator==(const Variant&) const = default;
};

// With variants a block is four letters, ABBA or BAAB, each a plain run and, where `plain` and a trace are
// asked for, a traced one, in drawn order. Without variants, with `plain` and a trace, a block is one plain
// and one traced run in drawn order.
struct Design {
  std::optional<Variant> a, b;        // both or neither
  bool plain = false;                 // each letter also has a run without the job's trace
  std::vector<std::string> changed;   // groups that A and B are meant to differ in; empty: not declared
  std::optional<std::uint64_t> seed;  // absent: drawn when the job is accepted, and recorded

  [[nodiscard]] bool has_variants() const { return a.has_value(); }
  bool operator==(const Design&) const = default;
};

// Why a job was asked for: figures of pilots and self-tests are no results, and selections of runs by
// scenario or by being the last leave them out.
enum class JobPurpose {
  measurement,
  pilot,    // how much runs spread, to plan with: its runs are plain
  selftest  // A against A: what this host can resolve
};
[[nodiscard]] std::string_view to_string(JobPurpose purpose);
[[nodiscard]] std::optional<JobPurpose> parse_job_purpose(std::string_view text);

// The place of a run in its job's design; of a job without one, block, letter and variant have their
// defaults.
struct Arm {
  std::uint32_t block = 0;   // from 1; 0: no design
  std::uint32_t letter = 0;  // of the block, from 1
  char variant = '\0';       // 'A' or 'B'
  bool traced = false;       // whether the job's trace is applied

  bool operator==(const Arm&) const = default;
};

struct JobSpec;

// How many runs the job has; `spec` may be one that check() refuses.
[[nodiscard]] std::uint64_t run_count(const JobSpec& spec);

// The order of all runs of the job: `repeat` counts blocks where there is a design, else runs. The same for
// the same seed on every machine. Each block's order is drawn on its own.
[[nodiscard]] std::vector<Arm> draw_arms(const JobSpec& spec, std::uint64_t seed);

}  // namespace netperfd
