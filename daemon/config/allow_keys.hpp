// SPDX-License-Identifier: GPL-2.0-or-later
// The keys `allow` of root's configuration.
#pragma once

#include <vector>

#include "daemon/keys/schema.hpp"
#include "daemon/model/allowed_places.hpp"

namespace netperfd::config {

[[nodiscard]] std::vector<keys::Key> keys_of_allow(AllowedPlaces& allow);

}  // namespace netperfd::config
