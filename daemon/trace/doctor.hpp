// What this machine can do for a measurement, one answer a capability, each with its reason in words.
//
// What cannot change before the next boot is tried once a boot: in an instance of the doctor's own, with one
// function in its filter, and never in the top instance. Everything else is asked anew each time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/core/trace_ports.hpp"
#include "daemon/trace/catalogue_settings.hpp"
#include "daemon/trace/probe_site.hpp"
#include "daemon/trace/reasons.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

class Doctor {
 public:
  // All must outlive it.
  Doctor(Tracefs& tracefs, Reasons& reasons, const CatalogueSettings& settings)
      : tracefs_(tracefs), reasons_(reasons), settings_(settings) {}

  // As Catalogue::capabilities(). While somebody traces, netperfd too, function tracing is not tried: the
  // answer is then what is known since the boot, or that it was not tried.
  [[nodiscard]] std::vector<core::Capability> examine(bool fresh);

 private:
  [[nodiscard]] std::vector<core::Capability> lasting(bool fresh, const std::vector<std::string>& others);
  [[nodiscard]] std::vector<Finding> probe(const std::vector<std::string>& others);

  Tracefs& tracefs_;
  Reasons& reasons_;
  const CatalogueSettings& settings_;
};

// The capability of that name; null where there is none.
[[nodiscard]] const core::Capability* find_capability(const std::vector<core::Capability>& capabilities,
                                                      std::string_view name);

}  // namespace netperfd::trace
