// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager for the samples of a run.
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/list_part.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/wire_samples.hpp"

namespace netperfd::bus {

std::tuple<ManagerObject::Dict, ManagerObject::Dicts> ManagerObject::GetSampleProfile(
    const std::uint64_t& run) {
  return dbus::guarded([&] {
    WireSamples wire =
        wire_samples(value_or_throw(ports_.queries.samples(value_or_throw(parse_id(run, "run")))));
    return std::tuple{std::move(wire.profile), std::move(wire.builds)};
  });
}

ManagerObject::ListPage ManagerObject::ListSampledFunctions(const std::uint64_t& run,
                                                            const std::string& cursor,
                                                            const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const SampleProfile profile =
        value_or_throw(ports_.queries.samples(value_or_throw(parse_id(run, "run"))));
    return list_part(functions_of(profile), cursor, limit,
                     [&](const SampledFunction& each) { return sampled_function_row(each, profile); });
  });
}

ManagerObject::ListPage ManagerObject::ListSampledStacks(const std::uint64_t& run, const std::string& cursor,
                                                         const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const SampleProfile profile =
        value_or_throw(ports_.queries.samples(value_or_throw(parse_id(run, "run"))));
    return list_part(sampled_stacks(profile), cursor, limit,
                     [&](std::uint32_t node) { return sampled_stack_row(node, profile); });
  });
}

}  // namespace netperfd::bus
