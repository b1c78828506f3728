// SPDX-License-Identifier: GPL-2.0-or-later
// Answers about the store as a whole, in the process of a query, and what the daemon makes of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/bus/queries/query_bytes.hpp"
#include "daemon/core/ports/query_runner.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/core/retention/keep_rules.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// Answers to CheckStore and ListOldJobs; throw sdbus::Error.
[[nodiscard]] std::string check_store(core::RunQueries& queries, QueryReader& reader);
[[nodiscard]] std::string list_old_jobs(core::RunQueries& queries, QueryReader& reader);

// OpenBackup: writes the store; absent for another request.
[[nodiscard]] std::optional<Status> stream_query(core::RunQueries& queries, std::string_view request,
                                                 const core::RunQueries::Sink& write);

// Of a candidate whose file had this version: a row RestoredStore without `kept`. invalid_argument with what
// is wrong if it is damaged.
[[nodiscard]] Result<std::string> answer_candidate(core::RunQueries& queries, std::int64_t version);

// The rule of ListOldJobs.
[[nodiscard]] Result<core::KeepRule> parse_old_job_rule(const dbus::Row& rule);

}  // namespace netperfd::bus
