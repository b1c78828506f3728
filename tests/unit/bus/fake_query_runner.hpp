// SPDX-License-Identifier: GPL-2.0-or-later
// Answers queries in this process, in a later turn of the loop, through the same bytes as a process would.
#pragma once

#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/event_loop.hpp"
#include "daemon/bus/queries/query_answers.hpp"
#include "daemon/bus/queries/store_answers.hpp"
#include "daemon/core/ports/query_runner.hpp"

namespace netperfd::bus {

class FakeQueryRunner final : public core::QueryRunner {
 public:
  FakeQueryRunner(EventLoop& loop, core::RunQueries& queries) : loop_(loop), queries_(queries) {}

  Result<std::shared_ptr<void>> run(const core::QueryCaller& caller, std::string request,
                                    Done done) override {
    callers.push_back(caller);
    if (refusal) return std::unexpected(*refusal);
    auto query = std::make_shared<Query>();
    query->request = std::move(request);
    query->done = std::move(done);
    latest = query;
    if (!held)
      query->soon =
          loop_.after(std::chrono::milliseconds{0}, [this, it = query.get()] { answer(*it); }).value();
    return query;
  }

  Result<Fd> stream(std::string request, Ended ended) override {
    if (refusal) return std::unexpected(*refusal);
    auto pipe = make_pipe();
    if (!pipe) return std::unexpected(pipe.error());
    // What is written fits into the pipe.
    const auto written = stream_query(queries_, request, [&pipe](std::string_view bytes) -> Status {
      if (::write(pipe->write.get(), bytes.data(), bytes.size()) < 0) return fail(ErrorKind::io, "pipe");
      return {};
    });
    ended(written.value_or(fail(ErrorKind::internal, "no stream")));
    return std::move(pipe->read);
  }

  Result<std::shared_ptr<void>> check_candidate(ForeignFd file, std::uint64_t most_bytes,
                                                Done done) override {
    candidate_bytes = most_bytes;
    candidate.reset(::dup(file.get().get()));
    return run({}, {}, std::move(done));
  }

  void when_idle(Ended done) override { done({}); }

  Fd candidate;  // that was given last
  std::uint64_t candidate_bytes = 0;
  // What `done` gets if it is not the answer of the queries.
  std::optional<Result<std::string>> instead;
  std::optional<Error> refusal;
  bool held = false;  // no answer
  std::vector<core::QueryCaller> callers;
  std::weak_ptr<void> latest;  // expired: ended

 private:
  struct Query {
    std::string request;
    Done done;
    EventSource soon;
  };
  void answer(Query& query) {
    const auto done = std::move(query.done);
    done(instead ? *instead : answer_query(queries_, query.request));
  }

  EventLoop& loop_;
  core::RunQueries& queries_;
};

}  // namespace netperfd::bus
