// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/design_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/problems.hpp"
#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd {
namespace {

// The kernel's PATH_MAX includes the final NUL. Long enough for any other word too.
constexpr std::size_t kMaxWord = 4095;

// Our own limits: the width of a screen, and the size of one comparison.
constexpr std::size_t kMaxWords = 64;
constexpr std::size_t kMinBuilds = 6;  // an interval of 95 % takes six samples
constexpr std::size_t kMaxBuilds = 64;
constexpr std::size_t kMaxGroups = 64;
constexpr std::size_t kMaxSettings = 32;
constexpr std::size_t kMaxGroup = 255;
constexpr std::size_t kMaxAxes = 4;
constexpr std::size_t kMaxPoints = 100;
constexpr std::size_t kMaxSweepValue = 64;

void check_words(const std::string& key, const std::vector<std::string>& words, Problems& problems) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = fmt::format("{}[{}]", key, i);
    if (!is_printable(words[i])) {
      problems.add(word, "has a line break or another control character, or is not UTF-8");
    }
    if (words[i].size() > kMaxWord) {
      problems.add(word, fmt::format("has {} bytes; at most {} are taken", words[i].size(), kMaxWord));
    }
  }
}

void check_argv(const std::string& key, const std::vector<std::string>& argv, Problems& problems) {
  if (argv.empty()) return;
  if (argv.size() > kMaxWords) {
    problems.add(key, fmt::format("has {} words; at most {} are taken", argv.size(), kMaxWords));
    return;
  }
  if (!argv.front().starts_with('/') || argv.front().ends_with('/')) {
    problems.add(key + "[0]", fmt::format("{} is not the absolute path of a program, such as /usr/sbin/ip",
                                          in_quotes(argv.front())));
  }
  check_words(key, argv, problems);
}

// Each must have a name of its own: a repeated one would count as one build.
void check_builds(const std::string& key, const Variant& variant, Problems& problems) {
  const std::vector<std::string>& builds = variant.builds;
  if (builds.empty()) return;
  if (builds.size() < kMinBuilds || builds.size() > kMaxBuilds) {
    problems.add(key, fmt::format("has {}; expected are {} to {} builds, since a pair of them is a sample",
                                  builds.size(), kMinBuilds, kMaxBuilds));
    return;
  }
  if (variant.apply.empty()) {
    problems.add(key, "has no `switch`, whose last word a build is",
                 {key.substr(0, key.rfind('.')) + ".switch"});
  }
  check_words(key, builds, problems);
  for (std::size_t i = 0; i < builds.size(); ++i) {
    const std::string word = fmt::format("{}[{}]", key, i);
    if (builds[i].empty()) problems.add(word, "is empty");
    if (std::find(builds.begin(), builds.begin() + static_cast<std::ptrdiff_t>(i), builds[i]) !=
        builds.begin() + static_cast<std::ptrdiff_t>(i)) {
      problems.add(word, fmt::format("{} stands there before", in_quotes(builds[i])));
    }
  }
}

// A target has one value of each side.
void check_settings(const std::string& key, const Variant& side, Problems& problems) {
  if (side.settings.size() > kMaxSettings) {
    problems.add(key + ".machine",
                 fmt::format("has {} settings; at most {} are taken", side.settings.size(), kMaxSettings));
    return;
  }
  for (auto each = side.settings.begin(); each != side.settings.end(); ++each) {
    if (std::string wrong = wrong_setting(*each); !wrong.empty()) {
      problems.add(fmt::format("{}.machine", key), fmt::format("has {}: {}", each->target, wrong));
    } else if (std::find_if(side.settings.begin(), each, [&](const MachineSetting& other) {
                 return other.target == each->target;
               }) != each) {
      problems.add(fmt::format("{}.machine", key), fmt::format("has {} a second time", each->target));
    }
  }
  if (!side.settings.empty() && !(side.apply.empty() && side.verify.empty())) {
    problems.add(key + ".machine", "stands beside commands; a side has one of them",
                 {key + ".switch", key + ".check"});
  }
}

// `other` is the default name of the other side.
void check_variant(const std::string& key, const Variant& variant, std::string_view other,
                   Problems& problems) {
  if (!is_word(variant.name, "._-", kMaxVariantName)) {
    problems.add(key + ".name",
                 fmt::format("{} is not of letters, digits, '.', '_' and '-', beginning with a "
                             "letter or digit, and at most {} characters",
                             in_quotes(variant.name), kMaxVariantName));
  }
  if (variant.name == other) {
    problems.add(key + ".name", fmt::format("{} stands for the other side", in_quotes(variant.name)));
  }
  check_argv(key + ".switch", variant.apply, problems);
  check_argv(key + ".check", variant.verify, problems);
  check_builds(key + ".builds", variant, problems);
  check_settings(key, variant, problems);
}

void check_pair(const Variant& a, const Variant& b, Problems& problems) {
  check_variant("design.a", a, "B", problems);
  check_variant("design.b", b, "A", problems);
  if (a.name == b.name) {
    problems.add("design.b.name", fmt::format("{} is the name of `a` too", in_quotes(b.name)),
                 {"design.a.name"});
  }
  if (a.apply.empty() != b.apply.empty()) {
    problems.add(a.apply.empty() ? "design.a.switch" : "design.b.switch",
                 "is missing: nothing would bring the machine back from the other side",
                 {"design.a.switch", "design.b.switch"});
  }
  if (a.settings.empty() != b.settings.empty() &&
      !(a.apply.empty() && a.verify.empty() && b.verify.empty())) {
    problems.add(a.settings.empty() ? "design.b.machine" : "design.a.machine",
                 "stands beside commands of the other side; a design has one of them",
                 {"design.a.switch", "design.b.switch", "design.a.check", "design.b.check"});
  }
  if (!(a.settings.empty() && b.settings.empty()) && a.settings == b.settings) {
    problems.add("design.b.machine", "makes no difference between the sides", {"design.a.machine"});
  }
  if (a.builds.size() != b.builds.size()) {
    problems.add(
        "design.b.builds",
        fmt::format("has {} and design.a.builds {}; each block has one of both, so expected are as many",
                    b.builds.size(), a.builds.size()),
        {"design.a.builds", "design.b.builds"});
  }
}

constexpr std::uint32_t kMaxRunsOfBoot = 100;

void check_side_of_boots(const std::string& key, const Variant& side, Problems& problems) {
  for (const auto& [name, argv] : {std::pair{".switch", &side.apply}, {".check", &side.verify}}) {
    if (argv->empty()) {
      problems.add(key + name, "is missing: with `level: boot`, each side needs both commands",
                   {"design.level"});
    }
  }
  if (!side.builds.empty()) {
    problems.add(key + ".builds", "cannot be taken by turns with `level: boot`", {"design.level"});
  }
}

void check_reboots(const JobSpec& spec, Problems& problems) {
  const Design& design = *spec.design;
  if (!design.a || !design.b) {
    problems.add("design.level", "boots for the sides `a` and `b`, which are missing",
                 {"design.a", "design.b"});
    return;
  }
  check_side_of_boots("design.a", *design.a, problems);
  check_side_of_boots("design.b", *design.b, problems);
  const Reboots& reboots = *design.reboots;
  const auto expect = [&](const char* name, bool good, std::string_view expected) {
    if (!good) problems.add(fmt::format("design.reboots.{}", name), fmt::format("is not {}", expected));
  };
  using std::chrono::hours;
  expect("runs", reboots.runs >= 1 && reboots.runs <= kMaxRunsOfBoot, "between 1 and 100");
  expect("notice", reboots.notice <= hours{1}, "at most 1 h");
  expect("settle", reboots.settle <= hours{1}, "at most 1 h");
  expect("most", reboots.most <= kMaxReboots, "at most 1,000");
  expect("within", reboots.within.count() > 0 && reboots.within <= hours{1'000},
         "above 0 s and at most 1000 h");
  check_argv("design.reboots.prepare", reboots.prepare, problems);
  constexpr std::uint32_t kMostBlocks = kMaxReboots / 4;
  if (spec.repeat > kMostBlocks) {
    problems.add("repeat",
                 fmt::format("is {}; a block takes four boots, and a job has at most 1,000: expected are at "
                             "most {} blocks",
                             spec.repeat, kMostBlocks),
                 {"design.level"});
  }
}

void check_without_variants(const JobSpec& spec, Problems& problems) {
  if (!spec.design->plain || !spec.trace) {
    problems.add("design",
                 "compares nothing; give `a` and `b`, or `arms: [plain, traced]` in a job with a `trace`",
                 {"design.arms", "design.a", "design.b", "trace"});
  }
  if (!spec.design->changed.empty()) {
    problems.add("design.changed",
                 "has a meaning for `a` and `b` only; plain and traced runs differ in trace",
                 {"design.a", "design.b"});
  }
}

// A value is set by a side or by the point, not by both.
bool is_set_by_side(const Design& design, const std::string& target) {
  const auto sets = [&](const Variant& side) {
    return std::ranges::find(side.settings, target, &MachineSetting::target) != side.settings.end();
  };
  return sets(*design.a) || sets(*design.b);
}

void check_axis(const Design& design, const SweepAxis& axis, Problems& problems) {
  const std::string key = "sweep." + axis.key;
  if (axis.values.size() < 2 || axis.values.size() > kMaxPoints) {
    return problems.add(key,
                        fmt::format("has {}; expected are 2 to {} values", axis.values.size(), kMaxPoints));
  }
  if (axis.key.find_first_of(",=") != std::string::npos)
    return problems.add("sweep",
                        fmt::format("has the key {}, and no key has a comma or '='", in_quotes(axis.key)));
  if (std::ranges::count(design.sweep, axis.key, &SweepAxis::key) > 1)
    problems.add(key, "stands there twice");
  for (const std::string& value : axis.values) {
    if (value.empty() || value.size() > kMaxSweepValue || value.contains(',') || !is_printable(value)) {
      problems.add(
          key,
          fmt::format("has {}; expected are values of 1 to {} bytes without commas and control characters",
                      in_quotes(value), kMaxSweepValue));
    }
    if (std::ranges::count(axis.values, value) > 1) {
      return problems.add(key, fmt::format("has {} twice", in_quotes(value)));
    }
    if (!axis.is_of_machine()) continue;
    if (const auto target = parse_setting_target(axis.key); target && target->kind == SettingKind::module)
      return problems.add(key, "is loaded by a side, as `module`");
    if (std::string wrong = wrong_setting({axis.key, value}); !wrong.empty())
      return problems.add(key, std::move(wrong));
  }
  if (axis.is_of_machine() && is_set_by_side(design, axis.key))
    problems.add(key, "is set by a side too", {"design.a.machine", "design.b.machine"});
}

// The points are alternated within a block, so nothing else may decide the order.
void check_sweep(const Design& design, bool until_decided, Problems& problems) {
  if (design.sweep.empty() || !design.has_variants()) return;
  if (design.sweep.size() > kMaxAxes) {
    return problems.add("sweep",
                        fmt::format("has {} keys; at most {} are taken", design.sweep.size(), kMaxAxes));
  }
  for (const SweepAxis& axis : design.sweep) check_axis(design, axis, problems);
  std::size_t points = 1;
  for (const SweepAxis& axis : design.sweep) points = std::min(points * axis.values.size(), 2 * kMaxPoints);
  if (points > kMaxPoints)
    problems.add("sweep", fmt::format("has more than {} combinations of values", kMaxPoints));
  const bool of_machine = std::ranges::any_of(design.sweep, &SweepAxis::is_of_machine);
  if (of_machine && !(design.a->apply.empty() && design.a->verify.empty() && design.b->apply.empty() &&
                      design.b->verify.empty()))
    problems.add("sweep", "sets the machine beside commands of the sides; a design has one of them",
                 {"design.a.switch", "design.b.switch", "design.a.check", "design.b.check"});
  if (design.reboots) problems.add("sweep", "cannot be taken with `level: boot`", {"design.level"});
  if (design.builds() > 0)
    problems.add("sweep", "cannot be taken with `builds`", {"design.a.builds", "design.b.builds"});
  if (until_decided) problems.add("sweep", "measures a fixed number of blocks; remove `until`", {"until"});
}

// Looks count blocks, each of which is a sample.
void check_until(const JobSpec& spec, Problems& problems) {
  if (!spec.until_decided) return;
  if (!spec.design || !spec.design->has_variants()) {
    problems.add("until", "has a meaning for a `design` with `a` and `b` only: there is nothing to decide",
                 {"design", "design.a", "design.b"});
  } else if (spec.design->reboots) {
    problems.add("until", "counts blocks, and with `level: boot` boots are compared", {"design.level"});
  } else if (spec.design->builds() > 0) {
    problems.add("until", "counts blocks, and with `builds` pairs of builds are compared",
                 {"design.a.builds", "design.b.builds"});
  }
}

void check_changed(const std::vector<std::string>& groups, Problems& problems) {
  if (groups.size() > kMaxGroups) {
    problems.add("design.changed",
                 fmt::format("has {} groups; at most {} are taken", groups.size(), kMaxGroups));
    return;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string key = fmt::format("design.changed[{}]", i);
    if (auto wrong = wrong_fact_group(groups[i])) {
      problems.add(key, std::move(*wrong));
    } else if (groups[i].size() > kMaxGroup) {
      problems.add(key, fmt::format("has {} bytes; at most {} are taken", groups[i].size(), kMaxGroup));
    }
  }
}

}  // namespace

std::vector<JobProblem> check_design(const JobSpec& spec) {
  Problems problems;
  check_until(spec, problems);
  if (!spec.design) return problems.take();
  const Design& design = *spec.design;
  // Imported files have no design.
  if (!spec.workload.ends_by_itself) {
    problems.add("design",
                 fmt::format("needs runs that end by themselves, and only a stop ends one of workload {}",
                             spec.workload.name),
                 {"workload"});
  }
  if (design.a && design.b) {
    check_pair(*design.a, *design.b, problems);
    if (design.plain && !spec.trace) {
      problems.add("design.arms", "asks for plain and traced runs, and the job has no `trace`", {"trace"});
    }
  } else if (design.a || design.b) {
    problems.add(design.a ? "design.b" : "design.a", "is missing: a comparison has two sides",
                 {"design.a", "design.b"});
  } else {
    check_without_variants(spec, problems);
  }
  if (spec.repeat < design.builds()) {
    problems.add("repeat",
                 fmt::format("is {}; with {} builds, expected are at least as many blocks", spec.repeat,
                             design.builds()),
                 {"design.a.builds"});
  }
  if (design.reboots) check_reboots(spec, problems);
  check_sweep(design, spec.until_decided, problems);
  if (design.reboots && design.has_settings()) {
    problems.add("design.level", "boots between the sides, which would lose what they set on the machine",
                 {"design.a.machine", "design.b.machine"});
  }
  check_argv("design.module.prepare", design.prepare, problems);
  check_changed(design.changed, problems);
  return problems.take();
}

}  // namespace netperfd
