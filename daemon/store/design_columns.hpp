// A job's design as the columns of its row.
#pragma once

#include <optional>
#include <string>

#include "daemon/model/job_spec.hpp"

namespace netperfd::store {

// All are NULL or empty for a job without a design, which is what no seed says.
struct DesignColumns {
  std::optional<std::string> seed, variant_a, variant_b;  // the seed in decimal: SQL's integers are signed
  bool plain = false;
  std::string changed;  // a line each
};

[[nodiscard]] DesignColumns columns_of(const std::optional<Design>& design);

// Of its variants the names, which is all that is kept.
[[nodiscard]] std::optional<Design> design_of(const DesignColumns& columns);

}  // namespace netperfd::store
