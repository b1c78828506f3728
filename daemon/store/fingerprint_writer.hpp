// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the environment of a run.
#pragma once

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Runs within the transaction of the run's record. If another run has exactly the same facts, they are not
// stored again.
[[nodiscard]] Status write_fingerprint(Connection& connection, RunId run, const Fingerprint& fingerprint);

}  // namespace netperfd::store
