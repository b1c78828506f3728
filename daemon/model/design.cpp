#include "daemon/model/design.hpp"

#include <random>
#include <utility>

#include "daemon/model/job_spec.hpp"

namespace netperfd {
namespace {

constexpr std::pair<JobPurpose, std::string_view> kPurposes[] = {{JobPurpose::measurement, "measurement"},
                                                                 {JobPurpose::pilot, "pilot"},
                                                                 {JobPurpose::selftest, "selftest"}};

// The standard defines the engine's output exactly, but not that of its distributions. So each draw is the
// highest bit of one output.
class Coin {
 public:
  explicit Coin(std::uint64_t seed) : engine_(seed) {}
  bool toss() { return engine_() >> 63U != 0; }

 private:
  std::mt19937_64 engine_;
};

// Appends the runs of one letter; `both`: one with the job's trace and one without, in random order.
void append_letter(std::vector<Arm>& arms, Arm arm, bool both, Coin& coin) {
  if (both) {
    const bool traced_first = coin.toss();
    arm.traced = traced_first;
    arms.push_back(arm);
    arm.traced = !traced_first;
  }
  arms.push_back(arm);
}

}  // namespace

std::string_view to_string(JobPurpose purpose) {
  for (const auto& [value, text] : kPurposes) {
    if (value == purpose) return text;
  }
  std::unreachable();
}

std::optional<JobPurpose> parse_job_purpose(std::string_view text) {
  for (const auto& [value, name] : kPurposes) {
    if (name == text) return value;
  }
  return std::nullopt;
}

std::uint64_t run_count(const JobSpec& spec) {
  if (!spec.design) return spec.repeat;
  const std::uint64_t letters = spec.design->has_variants() ? 4 : 1;
  const std::uint64_t arms = spec.design->plain && spec.trace ? 2 : 1;
  return letters * arms * spec.repeat;
}

std::vector<Arm> draw_arms(const JobSpec& spec, std::uint64_t seed) {
  const bool traces = spec.trace.has_value();
  std::vector<Arm> arms;
  if (!spec.design) {
    arms.assign(spec.repeat, Arm{.block = 0, .letter = 0, .variant = '\0', .traced = traces});
    return arms;
  }
  const bool both = spec.design->plain && traces;
  Coin coin(seed);
  for (std::uint32_t block = 1; block <= spec.repeat; ++block) {
    // One letter with the variant 0, which means no variants.
    std::string_view letters("\0", 1);
    if (spec.design->has_variants()) letters = coin.toss() ? "BAAB" : "ABBA";
    std::uint32_t letter = 0;
    for (const char variant : letters) {
      append_letter(arms, {.block = block, .letter = ++letter, .variant = variant, .traced = traces}, both,
                    coin);
    }
  }
  return arms;
}

}  // namespace netperfd
