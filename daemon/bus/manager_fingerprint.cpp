// SPDX-License-Identifier: GPL-2.0-or-later
// The method of org.netperfd1.Manager for the environment of a run.
#include <tuple>
#include <utility>

#include "daemon/bus/errors.hpp"
#include "daemon/bus/manager_object.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/wire.hpp"
#include "daemon/bus/wire_fingerprint.hpp"
#include "daemon/bus/wire_text.hpp"

namespace netperfd::bus {

std::tuple<std::string, ManagerObject::Dicts, std::vector<std::string>> ManagerObject::GetFingerprint(
    const std::uint64_t& run) {
  return dbus::guarded([&] {
    const Fingerprint found =
        value_or_throw(ports_.queries.fingerprint(value_or_throw(parse_id(run, "run"))));
    return std::tuple{wire_text(found.boot_id, kShortTextBytes), all_rows(found.facts, fact_row),
                      wire_texts(found.unknown, kListBytes).texts};
  });
}

}  // namespace netperfd::bus
