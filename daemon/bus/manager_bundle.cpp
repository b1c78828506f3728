// SPDX-License-Identifier: GPL-2.0-or-later
// The method of org.netperfd1.Manager that makes a bundle of a job.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

#include "daemon/bundle/bundle.hpp"
#include "daemon/bus/bundle_answer.hpp"
#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"

namespace netperfd::bus {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

// A run whose raw data the caller must be allowed to read: the job's runs have one owner.
RunId run_to_read(core::RunQueries& queries, const BundleRequest& request) {
  core::RunFilter filter;
  filter.job = value_or_throw(parse_id(request.job, "job"));
  const auto runs = value_or_throw(queries.selected_runs(filter, {}, 1));
  if (runs.empty())
    throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {}: no such job", *filter.job)});
  if (request.run == 0) return runs.front().id;
  const core::RunRow run = value_or_throw(queries.run(value_or_throw(parse_id(request.run, "run"))));
  if (run.job == *filter.job) return run.id;
  throw to_dbus(Error{ErrorKind::not_found, fmt::format("job {} has no run {}", *filter.job, run.id)});
}

}  // namespace

void ManagerObject::OpenBundle(sdbus::Result<sdbus::UnixFd>&& result, std::uint64_t job, Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    BundleRequest request = value_or_throw(parse_bundle_options(options));
    request.job = job;
    request.origin.version = settings_.version;
    request.origin.host = host_name();
    request.origin.made = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    const RunId run = run_to_read(ports_.queries, request);
    const auto open = [this, reply, request](const core::RunRow& row, const Caller& caller) {
      const auto give = [this, reply, id = row.id, uid = caller.uid](const std::string& bytes) {
        const auto name = fmt::format("bundle-{}", ++bundles_);
        Fd file = value_or_throw(ports_.documents.open(uid, id, name, [&] { return bytes; }));
        reply->ok(sdbus::UnixFd{file.release(), sdbus::adopt_fd});
      };
      query_bytes(reply, caller, to_query_bytes(request), bundle::kMostBytes, give);
    };
    with_readable_run(static_cast<std::uint64_t>(run), fmt::format("a bundle of job {} with", job),
                      request.recordings ? Raw::kernel_addresses : Raw::of_owner, reply, open);
  });
}

}  // namespace netperfd::bus
