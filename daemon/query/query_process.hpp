// SPDX-License-Identifier: GPL-2.0-or-later
// `netperfd --query`: the process that answers one query about the stored runs, so that the daemon's loop
// never waits for a long one. The request is its standard input; it writes the answer to its standard output.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/confined/confinement.hpp"
#include "daemon/core/ports/run_queries.hpp"

namespace netperfd::query {

inline constexpr std::string_view kQueryFlag = "--query";
// The same for a request of QueryRunner::stream(): what is written is only the stream, and a failure is the
// exit code.
inline constexpr std::string_view kStreamFlag = "--stream";
// The same for a file that may become the store: it is the standard input, and there is no request.
inline constexpr std::string_view kCandidateFlag = "--check-candidate";
inline constexpr std::size_t kRequestBytes = std::size_t{8} << 20U;  // longest request; a page may be in it

struct QueryFunctions {
  // Opens the database at `path` for reading only, while the process still has its privileges. The result
  // needs no further file afterwards.
  std::function<Result<std::unique_ptr<core::RunQueries>>(const std::string& path)> open;
  // The answer to a request, in the confined process. May throw.
  std::function<Result<std::string>(core::RunQueries& queries, std::string_view request)> answer;
  // Writes the answer to a request that QueryRunner::stream() makes; absent for another request. None: there
  // are no such requests. Used with kStreamFlag only.
  using Write = std::function<Status(std::string_view bytes)>;
  std::function<std::optional<Status>(core::RunQueries& queries, std::string_view request,
                                      const Write& write)>
      stream = {};
};

// The process's command line.
[[nodiscard]] std::vector<std::string> query_argv(std::string_view flag,
                                                  const confined::Confinement& confinement,
                                                  const std::string& database);

// The main function of such a process. main() calls it before anything else if argv[1] is kQueryFlag,
// kStreamFlag or kCandidateFlag.
[[noreturn]] int run_query(int argc, char** argv, const QueryFunctions& functions);

// What such a process wrote; the error is the one that it reports, or internal if the bytes are damaged.
[[nodiscard]] Result<std::string> read_answer(std::string_view bytes);

}  // namespace netperfd::query
