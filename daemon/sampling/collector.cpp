// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/sampling/collector.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "daemon/trace/ring/event_fields.hpp"

namespace netperfd::sampling {
namespace {

// So many addresses are remembered with their functions; then they are looked up again.
constexpr std::size_t kRememberedAddresses = std::size_t{1} << 16U;
// BPF programs and other code that is loaded during a run.
constexpr std::size_t kMostLoaded = std::size_t{1} << 16U;
// Nodes beyond the limit, for the innermost functions of paths without room.
constexpr std::size_t kMoreNodes = std::size_t{1} << 13U;

// Code that an interrupt enters, and softirqs, which also run without one. By architecture: x86 (asm_ are the
// entries of interrupts and exceptions; common_interrupt and do_IRQ before 5.8), arm64, then others.
bool enters_interrupt(std::string_view name) {
  constexpr std::array<std::string_view, 12> kNames{"handle_softirqs",
                                                    "__do_softirq",
                                                    "do_softirq",
                                                    "common_interrupt",
                                                    "do_IRQ",
                                                    "el1_irq",
                                                    "el1_interrupt",
                                                    "do_irq",
                                                    "__do_irq",
                                                    "gic_handle_irq",
                                                    "generic_handle_arch_irq",
                                                    "do_ext_irq"};
  const std::string_view base = name.substr(0, name.find('.'));
  return base.starts_with("asm_sysvec_") || base.starts_with("asm_common_") ||
         base.starts_with("el1h_64_irq") || std::ranges::find(kNames, base) != kNames.end();
}

bool is_idle_loop(std::string_view name) {
  const std::string_view base = name.substr(0, name.find('.'));
  return base == "do_idle" || base == "cpu_startup_entry";
}

std::uint64_t key_of(std::uint32_t parent, std::uint32_t frame) {
  return (std::uint64_t{parent} << 32U) | frame;
}

}  // namespace

Collector::Collector(CollectorSettings settings) : settings_(std::move(settings)) {
  begin();
}

void Collector::begin() {
  counts_ = {};
  children_.clear();
  nodes_.clear();
  for (std::size_t i = 0; i <= settings_.workload.size(); ++i) {
    nodes_.push_back({.parent = std::nullopt, .frame = kNone, .samples = 0});
  }
}

void Collector::renamed(std::int32_t pid, std::string_view name) {
  for (Process& process : settings_.workload) {
    if (process.pid == pid) process.name = trace::safe_text(name);
  }
}

std::uint32_t Collector::frame_of(const SampleFrame& frame) {
  const auto [place, is_new] = frame_numbers_.try_emplace(
      {frame.kind, {frame.name, frame.module, frame.duplicate}}, static_cast<std::uint32_t>(frames_.size()));
  if (is_new) frames_.push_back({frame, enters_interrupt(frame.name), is_idle_loop(frame.name)});
  return place->second;
}

// It takes the place of all that was there before.
void Collector::loaded(const LoadedCode& code) {
  if (code.bytes == 0 || code.name.empty() || loaded_.size() >= kMostLoaded) return;
  const std::uint64_t end = code.address + code.bytes;
  if (end < code.address) return;
  auto first = loaded_.lower_bound(code.address);
  if (first != loaded_.begin() && std::prev(first)->second.end > code.address) --first;
  loaded_.erase(first, loaded_.lower_bound(end));
  loaded_.emplace(code.address, Code{.end = end,
                                     .name = {.name = trace::safe_text(code.name),
                                              .module = code.is_bpf ? "bpf" : "",
                                              .duplicate = 0}});
  by_address_.clear();
}

std::optional<analysis::FunctionName> Collector::name_at(std::uint64_t address) const {
  const auto above = loaded_.upper_bound(address);
  if (above != loaded_.begin() && address < std::prev(above)->second.end)
    return std::prev(above)->second.name;
  return settings_.name_of(address);
}

std::uint32_t Collector::frame_at(std::uint64_t address) {
  if (const auto known = by_address_.find(address); known != by_address_.end()) return known->second;
  const auto function = name_at(address);
  const std::uint32_t frame = function ? frame_of({.kind = FrameKind::function,
                                                   .name = function->name,
                                                   .module = function->module,
                                                   .duplicate = function->duplicate})
                                       : special(FrameKind::unknown);
  if (by_address_.size() >= kRememberedAddresses) by_address_.clear();
  by_address_.emplace(address, frame);
  return frame;
}

void Collector::resolve(const RawSample& sample) {
  path_.clear();
  if (sample.in_guest) {
    path_.push_back(special(FrameKind::guest));
    return;
  }
  if (!sample.in_kernel) {
    path_.push_back(special(FrameKind::user));
    return;
  }
  for (const std::uint64_t address : sample.addresses) {
    // Those of callers are where the call returns to, which may be behind the end of the function.
    path_.push_back(frame_at(path_.empty() ? address : address - 1));
  }
  if (path_.empty()) path_.push_back(special(FrameKind::unknown));
}

bool Collector::is_idle(const RawSample& sample) const {
  if (sample.pid != 0 || !sample.in_kernel) return false;
  const auto any = [this](bool Frame::* fact) {
    return std::ranges::any_of(path_, [&](std::uint32_t frame) { return frames_[frame].*fact; });
  };
  return (settings_.zero_is_idle || any(&Frame::is_idle_loop)) && !any(&Frame::enters_interrupt);
}

std::uint32_t Collector::root_of(std::int32_t pid) const {
  const auto found = std::ranges::find(settings_.workload, pid, &Process::pid);
  return static_cast<std::uint32_t>(found - settings_.workload.begin());
}

std::uint32_t Collector::child(std::uint32_t parent, std::uint32_t frame, std::size_t most) {
  const auto key = key_of(parent, frame);
  if (const auto known = children_.find(key); known != children_.end()) return known->second;
  if (nodes_.size() >= most) return kNone;
  const auto number = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back({.parent = parent, .frame = frame, .samples = 0});
  children_.emplace(key, number);
  return number;
}

std::uint32_t Collector::node_of(std::uint32_t root) {
  std::uint32_t node = root;
  for (auto frame = path_.rbegin(); frame != path_.rend() && node != kNone; ++frame) {
    node = child(node, *frame, settings_.most_nodes);
  }
  if (node != kNone) return node;
  ++counts_.cut;
  // One node for each root is always within these limits.
  const std::size_t most = settings_.most_nodes + kMoreNodes;
  const std::uint32_t more = child(root, special(FrameKind::more), most + nodes_.size());
  const std::uint32_t innermost = child(more, path_.front(), most);
  return innermost == kNone ? more : innermost;
}

void Collector::sampled(const RawSample& sample) {
  ++counts_.samples;
  resolve(sample);
  if (is_idle(sample)) {
    ++counts_.idle;
    return;
  }
  const bool has_unknown = std::ranges::any_of(
      path_, [this](std::uint32_t frame) { return frames_[frame].frame.kind == FrameKind::unknown; });
  if (has_unknown) ++counts_.unknown;
  ++nodes_[node_of(root_of(sample.pid))].samples;
}

SampleProfile Collector::profile() const {
  SampleProfile profile = counts_;
  std::vector<bool> needed(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    if (nodes_[i].samples > 0) needed[i] = true;
    if (needed[i] && nodes_[i].parent) needed[*nodes_[i].parent] = true;
  }
  std::map<std::pair<FrameKind, std::string>, std::uint32_t> roots;
  std::vector<std::uint32_t> frames(frames_.size(), kNone);
  std::vector<std::uint32_t> numbers(nodes_.size());
  const auto add_frame = [&](const SampleFrame& frame) {
    profile.frames.push_back(frame);
    return static_cast<std::uint32_t>(profile.frames.size() - 1);
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!needed[i]) continue;
    SampleNode node = nodes_[i];
    numbers[i] = static_cast<std::uint32_t>(profile.nodes.size());
    if (node.parent) {
      std::uint32_t& frame = frames[node.frame];
      if (frame == kNone) frame = add_frame(frames_[node.frame].frame);
      node.frame = frame;
      node.parent = numbers[*node.parent];
    } else {
      const bool own = i < settings_.workload.size();
      const SampleFrame root{.kind = own ? FrameKind::program : FrameKind::others,
                             .name = own ? settings_.workload[i].name : "",
                             .module = ""};
      const auto [place, is_new] =
          roots.try_emplace({root.kind, root.name}, static_cast<std::uint32_t>(profile.frames.size()));
      if (is_new) (void)add_frame(root);
      node.frame = place->second;
    }
    profile.nodes.push_back(node);
  }
  return profile;
}

}  // namespace netperfd::sampling
