// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/design.hpp"

#include <fmt/format.h>

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
void append_letter(std::vector<Slot>& slots, Slot slot, bool both, Coin& coin) {
  if (both) {
    const bool traced_first = coin.toss();
    slot.traced = traced_first;
    slots.push_back(slot);
    slot.traced = !traced_first;
  }
  slots.push_back(slot);
}

}  // namespace

std::vector<std::string> Variant::switch_to(std::uint32_t build) const {
  return with_build(apply, builds, build);
}

std::vector<std::string> Variant::check_of(std::uint32_t build) const {
  return with_build(verify, builds, build);
}

bool Design::has_settings() const {
  if (!a || !b) return false;
  return !a->settings.empty() || !b->settings.empty() ||
         std::ranges::any_of(sweep, &SweepAxis::is_of_machine);
}

std::vector<MachineSetting> Design::settings_of(char variant, std::uint32_t point) const {
  std::vector<MachineSetting> all = (variant == 'A' ? a : b)->settings;
  if (point == 0) return all;
  const std::vector<std::string> values = values_at(point);
  for (std::size_t i = 0; i < sweep.size(); ++i) {
    if (sweep[i].is_of_machine()) all.push_back({sweep[i].key, values[i]});
  }
  return all;
}

std::vector<MachineSetting> Design::set_on(char variant, std::uint32_t point) const {
  std::vector<MachineSetting> all = settings_of(variant, point);
  for (const MachineSetting& other : (variant == 'A' ? b : a)->settings) {
    const auto same = [&](const MachineSetting& own) { return own.target == other.target; };
    if (std::ranges::none_of(all, same)) all.push_back({other.target, kAsItWas});
  }
  return all;
}

std::uint32_t Design::points() const {
  if (sweep.empty()) return 0;
  std::uint32_t points = 1;
  for (const SweepAxis& axis : sweep) points *= static_cast<std::uint32_t>(axis.values.size());
  return points;
}

std::vector<std::string> Design::values_at(std::uint32_t point) const {
  std::vector<std::string> values(sweep.size());
  std::size_t rest = point - 1;
  for (std::size_t i = sweep.size(); i-- > 0; rest /= sweep[i].values.size())
    values[i] = sweep[i].values.at(rest % sweep[i].values.size());
  return values;
}

std::string Design::point_name(std::uint32_t point) const {
  if (point == 0) return {};
  std::string name;
  const std::vector<std::string> values = values_at(point);
  for (std::size_t i = 0; i < sweep.size(); ++i)
    name += fmt::format("{}{}={}", i > 0 ? ", " : "", sweep[i].key, values[i]);
  return name;
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

bool parse_word(std::string_view text, JobPurpose& purpose) {
  const auto parsed = parse_job_purpose(text);
  if (parsed) purpose = *parsed;
  return parsed.has_value();
}

std::uint64_t run_count(const JobSpec& spec) {
  if (!spec.design) return spec.repeat;
  const std::uint64_t letters = spec.design->has_variants() ? 4 : 1;
  const std::uint64_t arms = spec.design->plain && spec.trace ? 2 : 1;
  const std::uint64_t runs = spec.design->reboots ? spec.design->reboots->runs : 1;
  return letters * arms * runs * spec.repeat * std::max(spec.design->points(), 1U);
}

std::uint32_t letters_left(const std::vector<Slot>& slots, std::size_t from) {
  std::uint32_t letters = 0;
  for (std::size_t run = from; run < slots.size(); ++run) {
    const bool goes_on = run > from && slots[run].block == slots[run - 1].block &&
                         slots[run].letter == slots[run - 1].letter &&
                         slots[run].point == slots[run - 1].point;
    if (!goes_on) ++letters;
  }
  return letters;
}

std::uint32_t most_reboots(const JobSpec& spec) {
  constexpr std::uint32_t kLetters = 4, kBootsOfLetter = 2;
  if (spec.design->reboots->most != 0) return spec.design->reboots->most;
  return std::min(spec.repeat, kMaxReboots / (kLetters * kBootsOfLetter)) * kLetters * kBootsOfLetter;
}

std::vector<Slot> draw_slots(const JobSpec& spec, std::uint64_t seed) {
  const bool traces = spec.trace.has_value();
  std::vector<Slot> slots;
  if (!spec.design) {
    slots.assign(spec.repeat, Slot{.block = 0, .letter = 0, .variant = '\0', .build = 0, .traced = traces});
    return slots;
  }
  const bool both = spec.design->plain && traces;
  const std::uint32_t builds = spec.design->builds();
  const std::uint32_t runs = spec.design->reboots ? spec.design->reboots->runs : 1;
  const std::uint32_t points = spec.design->points();
  std::vector<std::uint32_t> order;
  Coin coin(seed);
  for (std::uint32_t block = 1; block <= spec.repeat; ++block) {
    const std::uint32_t round = builds > 0 ? (block - 1) % builds : 0;
    if (builds > 0 && round == 0) order = coin.shuffle(builds);
    for (const std::uint32_t point : points > 0 ? coin.shuffle(points) : std::vector<std::uint32_t>{0}) {
      // One letter with the variant 0, which means no variants.
      std::string_view letters("\0", 1);
      if (spec.design->has_variants()) letters = coin.toss() ? "BAAB" : "ABBA";
      std::uint32_t letter = 0;
      for (const char variant : letters) {
        ++letter;
        for (std::uint32_t run = 0; run < runs; ++run) {
          append_letter(slots,
                        {.block = block,
                         .letter = letter,
                         .variant = variant,
                         .build = builds > 0 ? order[round] : 0,
                         .traced = traces,
                         .point = point},
                        both, coin);
        }
      }
    }
  }
  return slots;
}

}  // namespace netperfd
