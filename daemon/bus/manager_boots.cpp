// SPDX-License-Identifier: GPL-2.0-or-later
// The methods of org.netperfd1.Manager about designs that reboot the machine.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/core/boot_estimate.hpp"

namespace netperfd::bus {

void ManagerObject::CheckBoots(sdbus::Result<std::uint32_t, double>&& result, std::string scenario,
                               Dict options) {
  const auto reply = share(std::move(result));
  answer(reply, [&] {
    const LoadJob load =
        loading_scenario(std::move(scenario), value_or_throw(parse_start_options(options)).job);
    with_caller(reply, [this, reply, load](const Caller& caller) {
      expect_may_check(caller);
      const JobSpec spec = value_or_throw(load(caller));
      // If the store does not answer, the estimate is the least.
      const auto known = ports_.store.boot_time(spec.name);
      const core::BootEstimate estimate = core::estimate_boots(spec, known ? *known : std::nullopt);
      const auto seconds = estimate.takes ? std::chrono::duration<double>(*estimate.takes).count() : 0;
      reply->ok(estimate.boots, seconds);
    });
  });
}

ManagerObject::Dicts ManagerObject::ListBoots(const std::uint64_t& job) {
  return dbus::guarded([&] {
    return all_rows(value_or_throw(ports_.queries.boots_of_job(value_or_throw(parse_id(job, "job")))),
                    boot_row);
  });
}

}  // namespace netperfd::bus
