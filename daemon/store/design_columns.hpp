// SPDX-License-Identifier: GPL-2.0-or-later
// Maps a job's design to the columns of its row.
#pragma once

#include <optional>
#include <string>

#include "daemon/model/job_spec.hpp"

namespace netperfd::store {

// All are NULL or empty for a job without a design; a NULL seed means no design.
struct DesignColumns {
  std::optional<std::string> seed, variant_a, variant_b;  // the seed in decimal: SQL's integers are signed
  bool plain = false;
  std::string changed;  // one per line
};

[[nodiscard]] DesignColumns columns_of(const std::optional<Design>& design);

// The variants have only their names; nothing else of them is stored.
[[nodiscard]] std::optional<Design> design_of(const DesignColumns& columns);

}  // namespace netperfd::store
