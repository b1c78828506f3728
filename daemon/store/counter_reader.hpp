// What is asked of the stored counters; core::RunQueries says what the call means.
#pragma once

#include "daemon/model/counters.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

[[nodiscard]] Result<Counters> read_counters(Connection& connection, RunId run);

}  // namespace netperfd::store
