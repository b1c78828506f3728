// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/design.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>

#include "daemon/model/job_spec.hpp"

namespace netperfd {
namespace {

constexpr std::pair<JobPurpose, std::string_view> kPurposes[] = {{JobPurpose::measurement, "measurement"},
                                                                 {JobPurpose::pilot, "pilot"},
                                                                 {JobPurpose::selftest, "selftest"}};

// The standard defines the engine's output exactly, but not that of its distributions. So each draw is the
// highest bit of one output, and an order is that of as many outputs.
class Coin {
 public:
  explicit Coin(std::uint64_t seed) : engine_(seed) {}
  bool toss() { return engine_() >> 63U != 0; }
  // The numbers from 1 to `count`.
  std::vector<std::uint32_t> shuffle(std::uint32_t count) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> drawn;
    for (std::uint32_t number = 1; number <= count; ++number) drawn.emplace_back(engine_(), number);
    std::ranges::sort(drawn);
    std::vector<std::uint32_t> order;
    std::ranges::transform(drawn, std::back_inserter(order), [](const auto& draw) { return draw.second; });
    return order;
  }

 private:
  std::mt19937_64 engine_;
};

std::vector<std::string> with_build(std::vector<std::string> argv, const std::vector<std::string>& builds,
                                    std::uint32_t build) {
  if (!argv.empty() && build > 0) argv.push_back(builds.at(build - 1));
  return argv;
}

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

std::vector<std::string> Variant::switch_to(std::uint32_t build) const {
  return with_build(apply, builds, build);
}

std::vector<std::string> Variant::check_of(std::uint32_t build) const {
  return with_build(verify, builds, build);
}

std::string Design::build_name(char variant, std::uint32_t build) const {
  if (build == 0) return {};
  return (variant == 'A' ? a : b)->builds.at(build - 1);
}

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
  const std::uint64_t runs = spec.design->reboots ? spec.design->reboots->runs : 1;
  return letters * arms * runs * spec.repeat;
}

std::uint32_t letters_left(const std::vector<Arm>& arms, std::size_t from) {
  std::uint32_t letters = 0;
  for (std::size_t run = from; run < arms.size(); ++run) {
    const bool goes_on =
        run > from && arms[run].block == arms[run - 1].block && arms[run].letter == arms[run - 1].letter;
    if (!goes_on) ++letters;
  }
  return letters;
}

std::uint32_t most_reboots(const JobSpec& spec) {
  constexpr std::uint32_t kLetters = 4, kBootsOfLetter = 2;
  if (spec.design->reboots->most != 0) return spec.design->reboots->most;
  return std::min(spec.repeat, kMaxReboots / (kLetters * kBootsOfLetter)) * kLetters * kBootsOfLetter;
}

std::vector<Arm> draw_arms(const JobSpec& spec, std::uint64_t seed) {
  const bool traces = spec.trace.has_value();
  std::vector<Arm> arms;
  if (!spec.design) {
    arms.assign(spec.repeat, Arm{.block = 0, .letter = 0, .variant = '\0', .build = 0, .traced = traces});
    return arms;
  }
  const bool both = spec.design->plain && traces;
  const std::uint32_t builds = spec.design->builds();
  const std::uint32_t runs = spec.design->reboots ? spec.design->reboots->runs : 1;
  std::vector<std::uint32_t> order;
  Coin coin(seed);
  for (std::uint32_t block = 1; block <= spec.repeat; ++block) {
    const std::uint32_t round = builds > 0 ? (block - 1) % builds : 0;
    if (builds > 0 && round == 0) order = coin.shuffle(builds);
    // One letter with the variant 0, which means no variants.
    std::string_view letters("\0", 1);
    if (spec.design->has_variants()) letters = coin.toss() ? "BAAB" : "ABBA";
    std::uint32_t letter = 0;
    for (const char variant : letters) {
      ++letter;
      for (std::uint32_t run = 0; run < runs; ++run) {
        append_letter(arms,
                      {.block = block,
                       .letter = letter,
                       .variant = variant,
                       .build = builds > 0 ? order[round] : 0,
                       .traced = traces},
                      both, coin);
      }
    }
  }
  return arms;
}

}  // namespace netperfd
