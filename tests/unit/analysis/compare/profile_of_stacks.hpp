// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/model/sample_profile.hpp"

namespace netperfd::analysis {

// Builds a profile from stacks, each a path from its root.
class ProfileOfStacks {
 public:
  ProfileOfStacks() {
    profile_.event = "cpu-clock";
    profile_.rate = 100;
    profile_.cpus = 2;
    profile_.duration_ns = 10'000'000'000;
  }

  ProfileOfStacks& add(std::uint64_t samples, const std::vector<SampleFrame>& path) {
    std::optional<std::uint32_t> parent;
    for (const SampleFrame& frame : path) parent = node(parent, frame);
    profile_.nodes[*parent].samples += samples;
    profile_.samples += samples;
    return *this;
  }
  ProfileOfStacks& idle(std::uint64_t samples) {
    profile_.samples += samples;
    profile_.idle += samples;
    return *this;
  }

  SampleProfile& profile() { return profile_; }

 private:
  std::uint32_t node(std::optional<std::uint32_t> parent, const SampleFrame& frame) {
    auto known = std::ranges::find(profile_.frames, frame);
    if (known == profile_.frames.end()) known = profile_.frames.insert(known, frame);
    const auto index = static_cast<std::uint32_t>(known - profile_.frames.begin());
    for (std::uint32_t i = 0; i < profile_.nodes.size(); ++i) {
      if (profile_.nodes[i].parent == parent && profile_.nodes[i].frame == index) return i;
    }
    profile_.nodes.push_back({.parent = parent, .frame = index, .samples = 0});
    return static_cast<std::uint32_t>(profile_.nodes.size() - 1);
  }

  SampleProfile profile_;
};

inline const SampleFrame kIperf3{.kind = FrameKind::program, .name = "iperf3", .module = {}, .duplicate = 0};
inline const SampleFrame kOthers{.kind = FrameKind::others, .name = {}, .module = {}, .duplicate = 0};
inline const SampleFrame kUser{.kind = FrameKind::user, .name = {}, .module = {}, .duplicate = 0};

inline SampleFrame function(const std::string& name, const std::string& module = {}) {
  return {.kind = FrameKind::function, .name = name, .module = module, .duplicate = 0};
}

}  // namespace netperfd::analysis
