// SPDX-License-Identifier: GPL-2.0-or-later
// Implements the core's QueryRunner: each query runs in a process of its own, without privileges
// (query_process.hpp).
//
// A user has one process at a time, and a few queries that wait for it. A caller who may only read can
// neither take all processes or places to wait nor go before one who may measure, and root needs none of
// them. So nobody can keep others from asking.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/confined/endings.hpp"
#include "daemon/confined/exchange.hpp"
#include "daemon/confined/process.hpp"
#include "daemon/core/ports/query_runner.hpp"

namespace netperfd::query {

struct QuerySettings {
  uid_t uid = 0;  // of the processes: an unprivileged user
  gid_t gid = 0;
  std::string database;
  std::string program = "/proc/self/exe";  // hands kQueryFlag to run_query()
  // From the call to the answer, waiting included. netperfctl waits longer for the answer.
  std::chrono::milliseconds deadline = std::chrono::seconds{60};
  std::uint64_t memory_bytes = std::uint64_t{512} << 20U;  // of a process
  std::size_t answer_bytes = std::size_t{4} << 20U;        // longest answer
  std::size_t running = 4;                                 // processes at a time, besides root's
  std::size_t running_readers = 2;                         // of these, for users who may only read
  std::size_t waiting_of_user = 4;
  std::size_t waiting = 64;                                         // in all; root's always may
  std::size_t waiting_readers = 32;                                 // of these, of users who may only read
  std::chrono::milliseconds long_deadline = std::chrono::hours{2};  // of a stream, and of a candidate's check
};

// Use it only from the loop. The destructor kills all processes that it started; remaining handles of run()
// are dead then.
class QueryPool final : public core::QueryRunner {
 public:
  QueryPool(EventLoop& loop, QuerySettings settings);
  QueryPool(const QueryPool&) = delete;
  QueryPool& operator=(const QueryPool&) = delete;
  ~QueryPool() override;

  [[nodiscard]] Result<std::shared_ptr<void>> run(const core::QueryCaller& caller, std::string request,
                                                  Done done) override;
  [[nodiscard]] Result<Fd> stream(std::string request, Ended ended) override;
  [[nodiscard]] Result<std::shared_ptr<void>> check_candidate(ForeignFd file, std::uint64_t most_bytes,
                                                              Done done) override;
  void when_idle(Ended done) override;

 private:
  class Query;
  struct Stream {
    confined::Process process;
    EventSource exit, late;
    Ended ended;
  };
  [[nodiscard]] Status expect_room(const core::QueryCaller& caller) const;
  [[nodiscard]] bool may_start(const Query& query);
  // The first of those who may measure, else of the others; null if none may start now.
  [[nodiscard]] Query* next();
  void start_waiting();
  void look_again(std::chrono::milliseconds delay);
  [[nodiscard]] Result<std::shared_ptr<confined::Exchange>> start(Query& query);
  [[nodiscard]] Result<confined::Process> start_process(std::string_view flag, std::chrono::seconds cpu_time,
                                                        ForeignFd in, Fd out) const;
  [[nodiscard]] static Error error_of(const confined::Exchange::End& end, std::size_t longest,
                                      std::chrono::seconds deadline);
  [[nodiscard]] std::chrono::milliseconds deadline_of(const core::QueryCaller& caller) const;
  void end_stream();

  EventLoop& loop_;
  QuerySettings settings_;
  confined::Endings endings_, reader_endings_;
  confined::Endings candidate_endings_;  // one of these may wait for a file that root has passed
  std::list<Query*> queries_;            // in the order of their calls; their handles own them
  EventSource soon_;                     // calls start_waiting()
  Ended idle_;                           // of when_idle(); until it was called, no query starts
  EventSource idle_late_;
  std::optional<Stream> stream_;
  std::weak_ptr<void> candidate_;  // expired: none is being checked
};

}  // namespace netperfd::query
