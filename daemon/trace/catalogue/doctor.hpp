// SPDX-License-Identifier: GPL-2.0-or-later
// The doctor: what this machine can do for a measurement, one answer for each capability, each with a reason
// in words.
//
// Answers that cannot change before the next boot are tried once per boot: in an instance of the doctor's
// own, with one function in its filter, never in the top instance. Everything else is checked each time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/ports/catalogue.hpp"
#include "daemon/trace/catalogue/catalogue_settings.hpp"
#include "daemon/trace/catalogue/probe_site.hpp"
#include "daemon/trace/catalogue/reasons.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

class Doctor {
 public:
  // All must outlive this object.
  Doctor(Tracefs& tracefs, Reasons& reasons, const CatalogueSettings& settings)
      : tracefs_(tracefs), reasons_(reasons), settings_(settings) {}

  // As Catalogue::capabilities(). While anybody traces, netperfd included, function tracing is not tried: the
  // answer is then the one known since the boot, or that it was not tried.
  [[nodiscard]] std::vector<core::Capability> examine(bool fresh);

 private:
  [[nodiscard]] std::vector<core::Capability> lasting(bool fresh, const std::vector<std::string>& others);
  [[nodiscard]] std::vector<Finding> probe(const std::vector<std::string>& others);

  Tracefs& tracefs_;
  Reasons& reasons_;
  const CatalogueSettings& settings_;
};

// The capability of that name; null if there is none.
[[nodiscard]] const core::Capability* find_capability(const std::vector<core::Capability>& capabilities,
                                                      std::string_view name);

}  // namespace netperfd::trace
