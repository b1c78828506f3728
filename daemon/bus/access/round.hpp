// SPDX-License-Identifier: GPL-2.0-or-later
// Whose turn it is, of users who wait with several things each.
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <iterator>
#include <list>
#include <optional>
#include <utility>

namespace netperfd::bus {

// Each user has one place in the round, however much waits for him. Those who may measure, and root, have
// every other turn for themselves, so that others do not hold them up, however many they are.
template <class Item>
class Round {
 public:
  void put(uid_t user, bool may_measure, Item item) {
    Place* place = place_of(user);
    if (place == nullptr) place = &places_[may_measure ? 0 : 1].emplace_back(user);
    place->items.push_back(std::move(item));
  }
  [[nodiscard]] bool is_empty() const { return places_[0].empty() && places_[1].empty(); }

  // Whether something waits for a user of whom `is_ready(uid_t)` says so.
  template <class IsReady>
  [[nodiscard]] bool has_ready(const IsReady& is_ready) const {
    return std::ranges::any_of(places_, [&](const Places& places) {
      return std::ranges::any_of(places, [&](const Place& place) { return is_ready(place.user); });
    });
  }
  template <class IsReady>
  [[nodiscard]] std::optional<Item> next(const IsReady& is_ready) {
    for (int i = 0; i < 2; ++i) {
      last_ = 1 - last_;
      Places& places = places_[last_];
      const auto ready =
          std::ranges::find_if(places, [&](const Place& place) { return is_ready(place.user); });
      if (ready == places.end()) continue;
      Item item = std::move(ready->items.front());
      ready->items.pop_front();
      places.splice(places.end(), places, ready);
      if (ready->items.empty()) places.erase(ready);
      return item;
    }
    return {};
  }

 private:
  struct Place {
    explicit Place(uid_t of) : user(of) {}
    uid_t user;
    std::deque<Item> items;
  };
  using Places = std::list<Place>;

  Place* place_of(uid_t user) {
    for (Places& places : places_) {
      const auto found = std::ranges::find(places, user, &Place::user);
      if (found != places.end()) return &*found;
    }
    return nullptr;
  }

  std::array<Places, 2> places_;  // of those who may measure, and of others
  std::size_t last_ = 1;          // whose turn it was
};

}  // namespace netperfd::bus
