// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/slots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "client/terminal/text.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {
namespace {

// The known place of a run in its design.
std::vector<std::string> parts_of(const std::string& side, const std::optional<bool>& traced) {
  std::vector<std::string> parts;
  if (!side.empty()) parts.push_back(side);
  if (traced) parts.emplace_back(*traced ? "traced" : "plain");
  return parts;
}

std::string side_of(const RunView& run) {
  const std::string name = run.variant.value_or("");
  const std::string side = run.side.value_or("");
  return side.empty() ? name : side_words(side.front(), name);
}

template <class Value>
std::optional<Value> at(const std::optional<std::vector<Value>>& values, std::size_t place) {
  if (!values || place >= values->size()) return {};
  return (*values)[place];
}

std::string side_of(const LiveJobView& job, std::size_t place) {
  std::string name = at(job.variant, place).value_or("");
  if (name.empty() || !job.variant_a || !job.variant_b) return name;
  return side_words(name == *job.variant_b ? 'B' : 'A', name);
}

// Which runs a letter, or a block without letters, consists of.
std::string kinds_words(const LiveJobView& job) {
  const std::vector<bool> traced = job.traced.value_or(std::vector<bool>{});
  const bool some = std::ranges::find(traced, true) != traced.end();
  const bool all = std::ranges::find(traced, false) == traced.end();
  if (!some) return "plain";
  return all ? "traced" : "plain and traced";
}

}  // namespace

std::string side_words(char side, const std::string& name) {
  const std::string letter(1, side);
  return name.empty() || name == letter ? letter : letter + " " + name;
}

std::string design_words(const LiveJobView& job) {
  if (!job.blocks) return {};
  const std::string blocks = plural(*job.blocks, "block");
  if (!job.variant_a || !job.variant_b) {
    return kinds_words(job) == "plain and traced" ? blocks + " of a plain and a traced run" : blocks;
  }
  const std::string kinds = kinds_words(job);
  const std::string points = job.points ? " at each of " + plural(*job.points, "point") : "";
  return fmt::format("{} of {} and {}, ABBA or BAAB{}{}", blocks, side_words('A', *job.variant_a),
                     side_words('B', *job.variant_b), points, kinds == "plain" ? "" : ", each " + kinds);
}

bool has_slot(const RunView& run) {
  return run.block || run.side;
}

std::string slot_words(const RunView& run) {
  if (!has_slot(run)) return {};
  std::vector<std::string> parts = parts_of(side_of(run), run.traced);
  if (run.point_name) parts.insert(parts.begin(), *run.point_name);
  if (run.block) parts.insert(parts.begin(), fmt::format("block {}", *run.block));
  if (run.build) parts.push_back("build " + *run.build);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string slot_words(const LiveJobView& job, std::size_t place) {
  const auto block = at(job.block, place);
  if (!block) return {};
  std::vector<std::string> parts = parts_of(side_of(job, place), at(job.traced, place));
  parts.insert(parts.begin(), fmt::format("block {}", *block));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string short_slot_words(const RunView& run) {
  if (!has_slot(run)) return {};
  // Names come last, since a narrow column may cut them.
  std::string text = run.block ? fmt::format("{}", *run.block) : "";
  text += run.side.value_or("");
  if (run.traced) text += *run.traced ? " traced" : " plain";
  const std::string name = run.variant.value_or("");
  if (!name.empty() && name != run.side) text += " " + name;
  return run.point_name ? text + " " + *run.point_name : text;
}

std::string padded_slot_words(const LiveJobView& job, std::size_t place) {
  std::string words = slot_words(job, place);
  if (words.empty()) return words;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < job.block->size(); ++i)
    longest = std::max(longest, display_width(slot_words(job, i)));
  words.append(longest - display_width(words), ' ');
  return words;
}

std::string waiting_words(const LiveJobView& job) {
  std::string waiting = job.waiting.value_or("");
  if (!job.boots) return waiting;
  std::string boot = fmt::format("boot {}", *job.boots);
  if (const std::uint32_t planned = job.boots_planned.value_or(0); planned > 0) {
    boot += *job.boots > planned ? fmt::format(", {} planned", planned) : fmt::format(" of {}", planned);
  }
  if (job.side) boot += ", on side " + *job.side;
  return waiting.empty() ? boot : fmt::format("{} ({})", waiting, boot);
}

}  // namespace netperfctl
