// Writes the environment that a run was made in.
#pragma once

#include "daemon/model/fingerprint.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

// Within the transaction of the run's record. Facts that another run had too, all of them, are not stored
// again.
[[nodiscard]] Status write_fingerprint(Connection& connection, RunId run, const Fingerprint& fingerprint);

}  // namespace netperfd::store
