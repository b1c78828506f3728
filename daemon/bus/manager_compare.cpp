#include <tuple>
#include <utility>

#include "daemon/analysis/comparison.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire_comparison.hpp"
#include "daemon/core/run_comparison.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

std::tuple<ManagerObject::Dict, ManagerObject::Dicts, ManagerObject::Dicts, ManagerObject::Dicts>
ManagerObject::Compare(const std::string& a, const std::string& b, const Dict& options) {
  return dbus::guarded([&] {
    const core::ComparisonRequest request{a, b, value_or_throw(parse_compare_options(options))};
    WireComparison wire = wire_comparison(
        value_or_throw(core::compare_selections(ports_.queries, request, &analysis::compare)));
    return std::tuple{std::move(wire.comparison), std::move(wire.functions), std::move(wire.counters),
                      std::move(wire.facts)};
  });
}

}  // namespace netperfd::bus
