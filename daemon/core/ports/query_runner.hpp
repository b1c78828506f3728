// SPDX-License-Identifier: GPL-2.0-or-later
// Answers queries that may take long, outside the loop's thread; daemon/query implements it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"

namespace netperfd::core {

struct QueryCaller {
  uid_t uid = 0;
  bool may_measure = false;      // goes before those who may only read
  std::size_t answer_bytes = 0;  // longest answer; 0: what fits into a message
  // Of a query about the whole store: it has as long as this and keeps no other query of the user waiting. 0:
  // it is a usual one.
  std::chrono::milliseconds deadline{};
};

class QueryRunner {
 public:
  using Done = std::function<void(const Result<std::string>& answer)>;

  virtual ~QueryRunner() = default;
  // `request` and the answer are the bytes of the caller's own protocol; the answer is untrusted. Calls
  // `done` later, from the loop; inside it, the handle may be destroyed. Destroying the handle earlier ends
  // the query without a call. busy if too many queries wait, of this user or of all. Errors of the answer:
  // busy if the query did not end in time, internal if its process failed.
  [[nodiscard]] virtual Result<std::shared_ptr<void>> run(const QueryCaller& caller, std::string request,
                                                          Done done) = 0;

  // What a process of its own writes for `request`, in a pipe. The process ends if nobody reads for a minute.
  // Calls `ended` from the loop, with an error if not all was written. busy if there is such a process
  // already.
  using Ended = std::function<void(const Status& end)>;
  [[nodiscard]] virtual Result<Fd> stream(std::string request, Ended ended) = 0;
  // Has `file` copied beside the store, if it has `most_bytes` at most, and checked there, in a process of
  // its own; else as run(). busy if one is being checked.
  [[nodiscard]] virtual Result<std::shared_ptr<void>> check_candidate(ForeignFd file,
                                                                      std::uint64_t most_bytes,
                                                                      Done done) = 0;
  // For a change that no query may see half of: answers those that run with busy, starts no other, and calls
  // `done` once none of their processes is left, or with busy if one does not end. Then the waiting ones
  // start. A stream goes on.
  virtual void when_idle(Ended done) = 0;
};

}  // namespace netperfd::core
