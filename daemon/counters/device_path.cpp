// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/counters/device_path.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <string_view>

#include "daemon/counters/fact_sheet.hpp"

namespace netperfd::counters {
namespace {

// The direction from which a device was reached.
enum class From { above, end, below };

bool is_virtual_end(const Link& link) {
  return link.kind == "veth" || link.kind == "tun" || link.kind == "netkit";
}

class Walk {
 public:
  Walk(const std::vector<NamespaceView>& views, const std::vector<NetnsNumber>& numbers)
      : views_(views), numbers_(numbers) {}

  DevicePath run(const std::vector<DevicePlace>& ends) {
    for (const DevicePlace& end : ends) meet(end, From::above);
    while (!waiting_.empty()) {
      const auto [place, from] = waiting_.front();
      waiting_.pop_front();
      go_on(place, from);
    }
    return std::move(path_);
  }

 private:
  struct Met {
    DevicePlace place;
    From from;
  };

  void meet(const DevicePlace& place, From from) {
    if (views_[place.view].find(place.index) == nullptr || !seen_.insert(place).second) return;
    if (path_.devices.size() == kMostDevices) {
      path_.cut = true;
      return;
    }
    path_.devices.push_back(place);
    waiting_.push_back({place, from});
  }

  void go_on(const DevicePlace& place, From from) {
    const NamespaceView& view = views_[place.view];
    const Link& link = *view.find(place.index);
    for (const std::string& name : names_below(view, link)) {
      const Link* below = view.find(name);
      if (below == nullptr || (from == From::below && is_virtual_end(*below))) continue;
      meet({place.view, below->index}, From::above);
    }
    for (const DevicePlace& peer : other_end(views_, numbers_, place)) meet(peer, From::end);
    if (from == From::end && link.master) meet({place.view, *link.master}, From::below);
  }

  const std::vector<NamespaceView>& views_;
  const std::vector<NetnsNumber>& numbers_;
  std::set<DevicePlace> seen_;
  std::deque<Met> waiting_;
  DevicePath path_;
};

}  // namespace

std::vector<std::string> names_below(const NamespaceView& view, const Link& link) {
  constexpr std::string_view kPrefix = "lower_";
  std::set<std::string> below;
  if (!view.sys.empty()) {
    for (const std::string& name : names_in(view.sys + "/class/net/" + link.name)) {
      if (name.starts_with(kPrefix)) below.insert(name.substr(kPrefix.size()));
    }
  }
  for (const Link& other : view.links) {
    if (other.master == link.index) below.insert(other.name);
  }
  if (link.kind != "veth" && link.lower && *link.lower != link.index && !link.lower_netns) {
    if (const Link* lower = view.find(*link.lower)) below.insert(lower->name);
  }
  return {below.begin(), below.end()};
}

std::vector<DevicePlace> other_end(const std::vector<NamespaceView>& views,
                                   const std::vector<NetnsNumber>& numbers, const DevicePlace& device) {
  const Link* link = views[device.view].find(device.index);
  if (link == nullptr || link->kind != "veth" || !link->lower || *link->lower == 0) return {};
  if (!link->lower_netns) return {{device.view, *link->lower}};
  const auto known = std::ranges::find_if(numbers, [&](const NetnsNumber& number) {
    return number.view == device.view && number.number == *link->lower_netns;
  });
  if (known == numbers.end()) return {};
  return {{known->other, *link->lower}};
}

DevicePath devices_on_path(const std::vector<NamespaceView>& views, const std::vector<NetnsNumber>& numbers,
                           const std::vector<DevicePlace>& ends) {
  return Walk(views, numbers).run(ends);
}

}  // namespace netperfd::counters
