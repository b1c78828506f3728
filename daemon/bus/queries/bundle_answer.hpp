// SPDX-License-Identifier: GPL-2.0-or-later
// The answer to OpenBundle, in the process of a query.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/model/stored_tables.hpp"

namespace netperfd::bus {

struct BundleRequest {
  std::uint64_t job = 0;
  std::uint64_t run = 0;  // only this one of the job; 0: all
  bool recordings = false;
  std::string report;   // a page to put in; empty: none
  BundleOrigin origin;  // with the real host; a redacted bundle has a placeholder
};

// The bytes of the query, which begin with its name, and back.
[[nodiscard]] std::string to_query_bytes(const BundleRequest& request);
// The bundle's file: the run, or the job with the one that it confirms and the self-tests of its scenario,
// where these have the same owner.
[[nodiscard]] Result<std::string> bundle_of(core::RunQueries& queries, std::string_view request);

}  // namespace netperfd::bus
