// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/graph.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "client/flame/colours.hpp"
#include "client/flame/shares.hpp"
#include "client/flame/tree.hpp"
#include "client/pages/samples_text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl::flame {
namespace {

constexpr double kNsInMs = 1e6;

std::string figures_of_samples(const Node& node, std::uint64_t all) {
  return fmt::format("{} of {} samples, {}\nin it alone: {}", format_count(node.total), format_count(all),
                     share_with_interval({node.total, all}), plural(node.self, "sample"));
}

std::string ms(std::uint64_t ns) {
  return format_milliseconds(static_cast<double>(ns) / kNsInMs);
}

std::string figures_of_calls(const Node& node, std::uint64_t all) {
  std::string text = fmt::format("{} of {}, {}\nin it alone: {}", ms(node.total), ms(all),
                                 format_share(Part{node.total, all}.share()), ms(node.self));
  if (node.calls) text += fmt::format(" in {}", plural(*node.calls, "call"));
  return text;
}

template <class Figures>
void add_boxes(Picture& picture, const Stacks& stacks, Figures figures) {
  const Tree tree = tree_of(stacks);
  picture.width = tree.front().total;
  for (const Node& node : tree) {
    picture.boxes.push_back({node.depth, node.left, node.total, label_of(node.frame),
                             figures(node, picture.width), colour_of(node.frame)});
  }
}

void note_counts(Picture& picture, const ProfileView& profile) {
  const auto add = [&picture](const std::optional<std::uint64_t>& count, std::string_view what) {
    if (count.value_or(0) > 0)
      picture.notes.push_back(fmt::format("Missing: {} {}.", format_count(*count), what));
  };
  add(profile.tree_overflow, "calls for whose path the tree had no room");
  add(profile.over_losses, "calls during which events were lost");
  add(profile.open_at_start, "calls that had begun before the trace");
  add(profile.open_at_end, "calls that had not ended with the trace");
  add(profile.unmatched_exits, "ends of calls without their begin");
  add(profile.unmatched_entries, "begins of calls without their end");
}

}  // namespace

std::string name_of(const RunView& run) {
  std::string about = run.scenario.value_or("");
  if (const std::string label = run.label.value_or(""); !label.empty())
    about += (about.empty() ? "" : ", ") + label;
  return about.empty() ? fmt::format("Run {}", run.run) : fmt::format("Run {} ({})", run.run, about);
}

Picture flame_graph(const RunView& run, const SampledDetails& details) {
  const SampleProfileView& profile = details.profile;
  const Stacks stacks = stacks_of(details);
  Picture picture;
  picture.title = name_of(run) + ": samples of the CPUs";
  picture.notes.push_back(fmt::format("Samples: {}.", show::taken_words(profile)));
  picture.notes.push_back(fmt::format("Width: the share of the {} busy samples. Left out: {} idle ones.",
                                      format_count(stacks.total()), format_count(profile.idle.value_or(0))));
  for (const std::string& words : show::missing_words(profile))
    picture.notes.push_back("Missing: " + words + ".");
  if (profile.busy.value_or(0) > stacks.total()) {
    picture.notes.push_back(fmt::format("Missing: {} busy samples whose stacks are not known.",
                                        format_count(*profile.busy - stacks.total())));
  }
  if (!profile.sees_interrupts_off.value_or(true)) {
    picture.notes.emplace_back(
        "A timer takes the samples. In code with interrupts off, it waits: functions that switch them on "
        "have "
        "the samples of the code before.");
  }
  picture.notes.emplace_back(kColourNote);
  add_boxes(picture, stacks, figures_of_samples);
  return picture;
}

Picture flame_graph(const RunView& run, const ProfileDetails& details) {
  const ProfileView& profile = details.profile;
  const Stacks stacks = stacks_of(details);
  Picture picture;
  picture.title = name_of(run) + ": traced calls";
  picture.notes.push_back(fmt::format(
      "Calls: {} of {} functions, {} of self time. Only traced functions are here; times are as recorded, "
      "with "
      "the tracer's own cost.",
      or_dash(profile.hits, format_count), or_dash(profile.functions, format_count), ms(stacks.total())));
  picture.notes.emplace_back("Width: the share of the self time of a frame and of all that it called.");
  note_counts(picture, profile);
  picture.notes.emplace_back(kColourNote);
  add_boxes(picture, stacks, figures_of_calls);
  return picture;
}

}  // namespace netperfctl::flame
