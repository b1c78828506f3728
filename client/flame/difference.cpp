// SPDX-License-Identifier: GPL-2.0-or-later
// The differential flame graph.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "client/flame/graph.hpp"
#include "client/flame/shares.hpp"
#include "client/flame/tree.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::flame {
namespace {

constexpr double kFalseDiscoveries = 0.05;
constexpr std::size_t kMostGone = 5;

struct Change {
  Part a, b;
  std::optional<double> p;
  bool is_found = false;

  [[nodiscard]] double points() const { return 100 * (b.share() - a.share()); }
};

std::vector<Change> changes_of(const Tree& tree) {
  const Weights& all = tree.front().total;
  std::vector<Change> changes;
  std::vector<std::optional<double>> p;
  for (const Node& node : tree) {
    Change change{{node.total[kBase], all[kBase]}, {node.total[kDrawn], all[kDrawn]}, {}};
    change.p = p_of_difference(change.a, change.b);
    p.push_back(change.p);
    changes.push_back(change);
  }
  const std::vector<bool> found = discoveries(p, kFalseDiscoveries);
  for (std::size_t i = 0; i < changes.size(); ++i) changes[i].is_found = found[i];
  return changes;
}

std::string verdict(const Change& change) {
  if (!change.p) return "not tested: fewer than five samples expected in it or outside it";
  if (!change.is_found) return "no significant difference";
  return change.points() > 0 ? "significantly more in B" : "significantly less in B";
}

std::string figures_of(const Change& change) {
  return fmt::format("{:+.2f} percentage points, {}{}\nA: {} of {} samples, {}\nB: {} of {} samples, {}",
                     change.points(), verdict(change),
                     change.p ? fmt::format(" (p = {:.2g})", *change.p) : std::string{},
                     format_count(change.a.count), format_count(change.a.of), share_with_interval(change.a),
                     format_count(change.b.count), format_count(change.b.of), share_with_interval(change.b));
}

// Deeper the larger the change of the share is, relative to the larger one of both.
Colour colour_of(const Change& change) {
  constexpr std::uint32_t kMore = 0, kLess = 225, kSame = 85, kVivid = 85;
  constexpr double kPalest = 82, kRange = 22;
  if (!change.is_found) return {0, 0, kSame};
  const double larger = std::max(change.a.share(), change.b.share());
  const double strength = std::abs(change.b.share() - change.a.share()) / larger;
  const auto lightness = static_cast<std::uint32_t>(kPalest - kRange * strength);
  return {change.points() > 0 ? kMore : kLess, kVivid, lightness};
}

// "+1.20 tcp_ack": the sign as text, for whoever does not see the colour.
std::string label_of(const Node& node, const Change& change) {
  if (!change.is_found) return flame::label_of(node.frame);
  return fmt::format("{:+.2f} {}", change.points(), flame::label_of(node.frame));
}

std::string side_words(const char* name, const SampledSide& side) {
  std::string text = fmt::format("{}: {}, {}, {} busy samples.", name, side.words,
                                 plural(side.runs.size(), "sampled run"), format_count(side.stacks.total()));
  if (!side.not_sampled.empty())
    text += fmt::format(" Left out, without samples: {}.", plural(side.not_sampled.size(), "run"));
  return text;
}

// Frames with a significant share of A and none of B have no width: their names are all that shows them.
void note_gone(Picture& picture, const Tree& tree, const std::vector<Change>& changes) {
  std::vector<std::pair<double, std::string>> gone;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (changes[i].is_found && changes[i].b.count == 0)
      gone.emplace_back(changes[i].a.share(), flame::label_of(tree[i].frame));
  }
  if (gone.empty()) return;
  std::ranges::sort(gone, std::greater{});
  std::string text = "Not in B, so without a width:";
  for (std::size_t i = 0; i < std::min(kMostGone, gone.size()); ++i)
    text += fmt::format("{} {} (A: {})", i == 0 ? "" : ",", gone[i].second, format_share(gone[i].first));
  if (gone.size() > kMostGone) text += fmt::format(" and {} more", gone.size() - kMostGone);
  picture.notes.push_back(text + ".");
}

}  // namespace

Picture difference(const SampledSide& a, const SampledSide& b) {
  const Tree tree = tree_of(b.stacks, &a.stacks);
  const std::vector<Change> changes = changes_of(tree);
  const auto found = std::ranges::count_if(changes, &Change::is_found);
  const auto tested = std::ranges::count_if(changes, [](const Change& each) { return each.p.has_value(); });
  Picture picture;
  picture.title = "B against A: samples of the CPUs";
  picture.notes.push_back(side_words("A", a));
  picture.notes.push_back(side_words("B", b));
  picture.notes.push_back(
      fmt::format("Width: the share of B's busy samples. Red with + is a larger share than in A, blue with - "
                  "a smaller one, in "
                  "percentage points: {} of {} tested frames (two-proportion test, 5 % false discoveries by "
                  "Benjamini-Hochberg). Grey: no significant difference, or too few samples.",
                  found, tested));
  picture.notes.emplace_back(
      "If one share grows, the others shrink. The test treats samples as independent, also those of "
      "different "
      "runs.");
  if (a.runs.size() == 1 || b.runs.size() == 1) {
    picture.notes.emplace_back(
        "One run on a side: what differs between any two runs is coloured too. Select several runs for each "
        "side.");
  }
  note_gone(picture, tree, changes);
  picture.width = tree.front().total[kDrawn];
  for (std::size_t i = 0; i < tree.size(); ++i) {
    picture.boxes.push_back({tree[i].depth, tree[i].left, tree[i].total[kDrawn],
                             label_of(tree[i], changes[i]), figures_of(changes[i]), colour_of(changes[i])});
  }
  return picture;
}

}  // namespace netperfctl::flame
