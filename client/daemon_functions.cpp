// Daemon's questions about the functions of a trace, and traces that users bring along.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "client/daemon.hpp"
#include "client/daemon_bus.hpp"

namespace netperfctl {
namespace {

// A recording of gigabytes is decoded to its end before the daemon answers.
constexpr std::chrono::hours kImportAnswer{1};

// All rows of a list that is asked for by offset; `fetch` is given one and returns rows and how many there
// are in all.
template <class View, class Fetch>
std::vector<View> all_by_offset(Fetch fetch) {
  std::vector<View> views;
  for (;;) {
    const auto [rows, total] = fetch(static_cast<std::uint64_t>(views.size()));
    std::ranges::move(from_rows<View>(rows), std::back_inserter(views));
    if (rows.empty() || views.size() >= total) return views;
  }
}

}  // namespace

Outcome<ProfileDetails> Daemon::profile(std::uint64_t run, const FunctionLists& lists, bool slices) {
  return call([&] {
    const auto [profile, builds] = bus_->GetFunctionProfile(run);
    ProfileDetails details;
    details.profile = from_row<ProfileView>(profile);
    details.builds = from_rows<BuildView>(builds);
    details.functions = all_by_offset<FunctionStatsView>(
        [&](std::uint64_t offset) { return bus_->ListFunctionProfile(run, offset, 0); });
    if (slices) {
      details.slices = all_by_offset<FunctionSlicesView>(
          [&](std::uint64_t offset) { return bus_->ListFunctionSlices(run, offset, 0); });
    }
    if (lists.callers) {
      details.edges = all_by_offset<CallEdgeView>(
          [&](std::uint64_t offset) { return bus_->ListCallEdges(run, offset, 0); });
    }
    if (lists.tree) {
      details.tree = all_by_offset<CallNodeView>(
          [&](std::uint64_t offset) { return bus_->ListCallTree(run, offset, 0); });
    }
    return details;
  });
}

Outcome<OwnedFd> Daemon::open_trace_text(std::uint64_t run) {
  return call([&] { return OwnedFd{bus_->OpenTraceText(run).release()}; });
}

Outcome<std::uint64_t> Daemon::import_run(const std::vector<const OwnedFd*>& files,
                                          const std::vector<std::string>& names,
                                          const ImportOptions& options) {
  dbus::Row row;
  if (options.name) row.emplace("name", *options.name);
  if (options.label) row.emplace("label", *options.label);
  return change([&] {
    const auto usual = bus_->wait_at_most(kImportAnswer);
    std::vector<sdbus::UnixFd> sent;
    for (const OwnedFd* file : files) sent.emplace_back(file->get());
    const std::uint64_t run = bus_->ImportRun(sent, names, row);
    bus_->wait_at_most(usual);
    return run;
  });
}

}  // namespace netperfctl
