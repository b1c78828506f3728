// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string_view>
#include <utility>

#include "client/terminal/text.hpp"

namespace netperfctl::flame {
namespace {

// The daemon writes "xmit [hsr]", and "[user]" where there is no function.
Frame frame_of_sample(std::string_view text) {
  if (text == "[user]" || text == "[guest]") return {std::string{text}, {}, Place::user};
  if (text.starts_with('[')) return {printable(text), {}, Place::other};
  const std::size_t end = text.rfind(" [");
  if (end == std::string_view::npos || !text.ends_with(']')) return {printable(text), {}, Place::kernel};
  const std::string_view module = text.substr(end + 2, text.size() - end - 3);
  return {printable(text.substr(0, end)), printable(module), Place::module};
}

Frame frame_of_call(const CallNodeView& node) {
  Frame frame;
  frame.name = printable(node.function);
  if (node.duplicate) frame.name += fmt::format("#{}", *node.duplicate);
  frame.module = printable(node.module.value_or(""));
  frame.place = frame.module.empty() ? Place::kernel : Place::module;
  return frame;
}

}  // namespace

Frames::Frames(std::vector<Frame>& frames) : frames_{frames} {}

std::uint32_t Frames::number_of(Frame frame) {
  const auto [place, is_new] = numbers_.try_emplace(frame, static_cast<std::uint32_t>(frames_.size()));
  if (is_new) frames_.push_back(std::move(frame));
  return place->second;
}

std::string label_of(const Frame& frame) {
  return frame.module.empty() ? frame.name : fmt::format("{} [{}]", frame.name, frame.module);
}

std::uint64_t Stacks::total() const {
  std::uint64_t sum = 0;
  for (const Stack& stack : stacks) sum += stack.weight;
  return sum;
}

Stacks stacks_of(const SampledDetails& details) {
  Stacks result;
  Frames frames{result.frames};
  for (const SampledStackView& row : details.stacks) {
    Stack stack;
    stack.weight = row.samples.value_or(0);
    stack.frames.push_back(frames.number_of({printable(row.program.value_or("others")), {}, Place::root}));
    const std::vector<std::string> innermost_first = row.frames.value_or(std::vector<std::string>{});
    for (const std::string& text : std::views::reverse(innermost_first))
      stack.frames.push_back(frames.number_of(frame_of_sample(text)));
    result.stacks.push_back(std::move(stack));
  }
  return result;
}

Stacks stacks_of(const ProfileDetails& details) {
  Stacks result;
  result.unit = Unit::nanoseconds;
  Frames frames{result.frames};
  const Frame interrupt{"[interrupt]", {}, Place::root};
  std::vector<std::uint32_t> path;
  std::size_t roots = 0;  // frames of `path` above the traced root
  for (const CallNodeView& node : details.tree) {
    if (node.depth == 0) {
      path.clear();
      if (node.in_interrupt.value_or(false)) path.push_back(frames.number_of(interrupt));
      roots = path.size();
    }
    path.resize(std::min(path.size(), roots + node.depth));
    path.push_back(frames.number_of(frame_of_call(node)));
    result.stacks.push_back({path, node.self_ns.value_or(0), node.hits});
  }
  return result;
}

}  // namespace netperfctl::flame
