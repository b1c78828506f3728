// SPDX-License-Identifier: GPL-2.0-or-later
// Daemon's calls about the functions of a trace, about imported files and about bundles.
#include <chrono>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client/bus/daemon.hpp"
#include "client/bus/daemon_bus.hpp"

namespace netperfctl {
namespace {

// A recording of gigabytes is decoded to its end before the daemon answers.
constexpr std::chrono::hours kImportAnswer{1};

}  // namespace

Outcome<std::optional<BudgetDetails>> Daemon::budget(std::uint64_t job) {
  auto found = call([&] {
    auto [budget, functions] = bus_->ask<RowOf<BudgetView>, RowsOf<BudgetFunctionView>>("GetBudget", job);
    return BudgetDetails{std::move(budget), std::move(functions)};
  });
  if (found) return std::move(*found);
  if (found.error().exit == Exit::not_found) return std::nullopt;
  return std::unexpected(found.error());
}

Outcome<ProfileDetails> Daemon::profile(std::uint64_t run, const FunctionLists& lists, bool slices) {
  return call([&] {
    ProfileDetails details;
    std::tie(details.profile, details.builds) =
        bus_->ask<RowOf<ProfileView>, RowsOf<BuildView>>("GetFunctionProfile", run);
    details.functions = bus_->list<FunctionStatsView>("ListFunctionProfile", run);
    if (slices) {
      details.slices = bus_->list<FunctionSlicesView>("ListFunctionSlices", run);
    }
    if (lists.callers) {
      details.edges = bus_->list<CallEdgeView>("ListCallEdges", run);
    }
    if (lists.tree) {
      details.tree = bus_->list<CallNodeView>("ListCallTree", run);
    }
    return details;
  });
}

Outcome<OwnedFd> Daemon::open_trace_text(std::uint64_t run) {
  return guarded_call(*bus_, [&] { return OwnedFd{bus_->OpenTraceText(run).release()}; });
}

Outcome<OwnedFd> Daemon::open_bundle(std::uint64_t job, const BundleOptions& options) {
  dbus::Row row;
  if (options.run != 0) row.emplace("run", options.run);
  if (options.redact) row.emplace("redact", true);
  if (options.recordings) row.emplace("recordings", true);
  if (options.report) row.emplace("report", *options.report);
  return guarded_call(*bus_, [&] {
    const Bus::Patience patience{*bus_};
    return OwnedFd{bus_->OpenBundle(job, row).release()};
  });
}

Outcome<std::uint64_t> Daemon::import_run(const std::vector<const OwnedFd*>& files,
                                          const std::vector<std::string>& names,
                                          const ImportOptions& options) {
  dbus::Row row;
  if (options.name) row.emplace("name", *options.name);
  if (options.label) row.emplace("label", *options.label);
  return guarded_call(*bus_, [&] {
    const Bus::Patience patience{*bus_, kImportAnswer};
    std::vector<sdbus::UnixFd> sent;
    for (const OwnedFd* file : files) sent.emplace_back(file->get());
    return bus_->ImportRun(sent, names, row);
  });
}

}  // namespace netperfctl
