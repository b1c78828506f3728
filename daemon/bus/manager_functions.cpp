// The methods of org.netperfd1.Manager about what function_graph's calls of a run come to. A profile is in
// the store's order, which a page of it is cut from by number: a run that has ended does not change.
#include <tuple>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_functions.hpp"

namespace netperfd::bus {
namespace {

constexpr std::uint32_t kPageLimit = 2000;

}  // namespace

std::tuple<ManagerObject::Dict, ManagerObject::Dicts> ManagerObject::GetFunctionProfile(
    const std::uint64_t& run) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    core::ProfileParts parts;
    parts.edges = parts.tree = true;  // it says how many there are
    const FunctionProfile profile = value_or_throw(ports_.queries.profile(id, parts));
    WireProfile wire = wire_profile(profile, value_or_throw(ports_.queries.traffic(id)));
    return std::tuple{std::move(wire.profile), std::move(wire.builds)};
  });
}

std::tuple<ManagerObject::Dicts, std::uint64_t> ManagerObject::ListFunctionProfile(
    const std::uint64_t& run, const std::uint64_t& offset, const std::uint32_t& limit) {
  return dbus::guarded([&] {
    const RunId id = value_or_throw(parse_id(run, "run"));
    const FunctionProfile profile = value_or_throw(ports_.queries.profile(id, {}));
    const Traffic traffic = value_or_throw(ports_.queries.traffic(id));
    const std::uint64_t total = profile.functions.size();
    return std::tuple{fitting_part(total, offset, page_limit(limit, kPageLimit),
                                   [&](std::size_t i) {
                                     return function_profile_row(profile.functions[i], traffic,
                                                                 profile.timed);
                                   }),
                      total};
  });
}

std::tuple<ManagerObject::Dicts, std::uint64_t> ManagerObject::ListFunctionSlices(
    const std::uint64_t& run, const std::uint64_t& offset, const std::uint32_t& limit) {
  return dbus::guarded([&] {
    core::ProfileParts parts;
    parts.slices = true;
    const FunctionProfile profile =
        value_or_throw(ports_.queries.profile(value_or_throw(parse_id(run, "run")), parts));
    const std::uint64_t total = profile.functions.size();
    return std::tuple{
        fitting_part(total, offset, page_limit(limit, kPageLimit),
                     [&](std::size_t i) { return function_slices_row(profile.functions[i], profile.timed); }),
        total};
  });
}

std::tuple<ManagerObject::Dicts, std::uint64_t> ManagerObject::ListCallEdges(const std::uint64_t& run,
                                                                             const std::uint64_t& offset,
                                                                             const std::uint32_t& limit) {
  return dbus::guarded([&] {
    core::ProfileParts parts;
    parts.edges = true;
    const FunctionProfile profile =
        value_or_throw(ports_.queries.profile(value_or_throw(parse_id(run, "run")), parts));
    const std::uint64_t total = profile.edges.size();
    return std::tuple{
        fitting_part(total, offset, page_limit(limit, kPageLimit),
                     [&](std::size_t i) { return call_edge_row(profile.edges[i], profile.functions); }),
        total};
  });
}

std::tuple<ManagerObject::Dicts, std::uint64_t> ManagerObject::ListCallTree(const std::uint64_t& run,
                                                                            const std::uint64_t& offset,
                                                                            const std::uint32_t& limit) {
  return dbus::guarded([&] {
    core::ProfileParts parts;
    parts.tree = true;
    const FunctionProfile profile =
        value_or_throw(ports_.queries.profile(value_or_throw(parse_id(run, "run")), parts));
    const auto depths = call_depths(profile.tree);
    const std::uint64_t total = profile.tree.size();
    return std::tuple{
        fitting_part(total, offset, page_limit(limit, kPageLimit),
                     [&](std::size_t i) { return call_node_row(profile.tree[i], depths[i], profile); }),
        total};
  });
}

}  // namespace netperfd::bus
