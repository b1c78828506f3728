// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/query/query_pool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "daemon/base/fd.hpp"
#include "daemon/base/spawn.hpp"
#include "daemon/confined/process.hpp"
#include "daemon/query/query_process.hpp"

namespace netperfd::query {
namespace {

using Clock = std::chrono::steady_clock;

// A process that was killed still needs some CPU time to end, and may not get it at once.
constexpr std::chrono::milliseconds kUntilKilledOnesEnd{20};

// A file rather than a pipe: writing it never waits for the process.
Result<Fd> request_file(const std::string& request) {
  Fd file{::memfd_create("query", MFD_CLOEXEC)};
  if (!file) return fail_errno("memfd_create", errno);
  if (::pwrite(file.get(), request.data(), request.size(), 0) != static_cast<ssize_t>(request.size())) {
    return fail_errno("write a query", errno);
  }
  return file;
}

std::chrono::seconds in_seconds(std::chrono::milliseconds time) {
  return std::chrono::ceil<std::chrono::seconds>(time);
}

bool is_long(const core::QueryCaller& caller) {
  return caller.deadline.count() > 0;
}

bool is_root(const core::QueryCaller& caller) {
  return caller.uid == 0;
}

}  // namespace

// A query that waits or runs.
class QueryPool::Query {
 public:
  Query(QueryPool& pool, const core::QueryCaller& caller, std::string request, Done done)
      : pool_(&pool), caller_(caller), request_(std::move(request)), done_(std::move(done)) {}
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;
  ~Query() { leave(); }

  [[nodiscard]] const core::QueryCaller& caller() const { return caller_; }
  [[nodiscard]] const std::string& request() const { return request_; }
  [[nodiscard]] Clock::time_point called() const { return called_; }
  [[nodiscard]] bool runs() const { return exchange_ != nullptr; }

  void wait(EventSource patience) { patience_ = std::move(patience); }
  void run(std::shared_ptr<confined::Exchange> exchange) {
    exchange_ = std::move(exchange);
    patience_.reset();
  }

  // Ends it without a call.
  void leave() {
    if (pool_ == nullptr) return;
    auto& pool = *std::exchange(pool_, nullptr);
    exchange_.reset();
    patience_.reset();
    done_ = nullptr;
    std::erase(pool.queries_, this);
    pool.look_again(std::chrono::milliseconds{0});
  }

  // Last use of this object: the caller may destroy it inside the call.
  void give(const Result<std::string>& answer) {
    const auto done = std::move(done_);
    leave();
    done(answer);
  }

 private:
  QueryPool* pool_;  // null once it has ended
  core::QueryCaller caller_;
  std::string request_;
  Clock::time_point called_ = Clock::now();
  Done done_;
  std::shared_ptr<confined::Exchange> exchange_;
  EventSource patience_;
};

QueryPool::QueryPool(EventLoop& loop, QuerySettings settings)
    : loop_(loop),
      settings_(std::move(settings)),
      endings_(loop),
      reader_endings_(loop),
      candidate_endings_(loop) {}

QueryPool::~QueryPool() {
  while (!queries_.empty()) queries_.front()->leave();
}

std::chrono::milliseconds QueryPool::deadline_of(const core::QueryCaller& caller) const {
  return is_long(caller) ? caller.deadline : settings_.deadline;
}

Status QueryPool::expect_room(const core::QueryCaller& caller) const {
  const auto is_same = [&caller](const Query* query) {
    return is_long(query->caller()) && query->caller().uid == caller.uid;
  };
  if (is_long(caller) && std::ranges::any_of(queries_, is_same)) {
    return fail(ErrorKind::busy,
                fmt::format("uid {} has asked for this already: wait until it is answered", caller.uid));
  }
  const auto waits = [](const Query* query) { return !query->runs(); };
  const auto waiting = std::ranges::count_if(queries_, waits);
  const auto of_user = std::ranges::count_if(
      queries_, [&](const Query* query) { return waits(query) && query->caller().uid == caller.uid; });
  if (std::cmp_greater_equal(of_user, settings_.waiting_of_user)) {
    return fail(ErrorKind::busy,
                fmt::format("{} queries of uid {} wait already: try again when they are answered", of_user,
                            caller.uid));
  }
  const auto of_readers = std::ranges::count_if(
      queries_, [&](const Query* query) { return waits(query) && !query->caller().may_measure; });
  const bool is_full = std::cmp_greater_equal(waiting, settings_.waiting) ||
                       (!caller.may_measure && std::cmp_greater_equal(of_readers, settings_.waiting_readers));
  if (is_full && !is_root(caller)) {
    return fail(ErrorKind::busy, fmt::format("{} queries wait already: try again later", waiting));
  }
  return {};
}

Result<std::shared_ptr<void>> QueryPool::run(const core::QueryCaller& caller, std::string request,
                                             Done done) {
  if (request.size() > kRequestBytes) {
    return fail(ErrorKind::invalid_argument, fmt::format("the query is {} bytes long; at most {} are allowed",
                                                         request.size(), kRequestBytes));
  }
  if (auto room = expect_room(caller); !room) return std::unexpected(std::move(room.error()));
  auto query = std::make_shared<Query>(*this, caller, std::move(request), std::move(done));
  auto patience = loop_.after(settings_.deadline, [this, waiting = query.get()] {
    waiting->give(
        fail(ErrorKind::busy, fmt::format("the query waited {} s for others to end: try again later",
                                          in_seconds(settings_.deadline).count())));
  });
  if (!patience) return std::unexpected(std::move(patience.error()));
  query->wait(std::move(*patience));
  queries_.push_back(query.get());
  look_again(std::chrono::milliseconds{0});
  return query;
}

bool QueryPool::may_start(const Query& query) {
  std::size_t running = 0;
  std::size_t readers = 0;
  for (const Query* other : queries_) {
    if (!other->runs()) continue;
    // One long query at a time, beside the others; and one of root, beside those of all users.
    if (is_long(other->caller()) != is_long(query.caller())) continue;
    if (other->caller().uid == query.caller().uid) return false;
    if (is_root(other->caller()) || is_root(query.caller())) continue;
    if (is_long(query.caller())) return false;
    ++running;
    if (!other->caller().may_measure) ++readers;
  }
  if (is_root(query.caller())) return true;
  readers += reader_endings_.count();
  running += reader_endings_.count() + endings_.count();
  return running < settings_.running && (query.caller().may_measure || readers < settings_.running_readers);
}

QueryPool::Query* QueryPool::next() {
  for (const bool may_measure : {true, false}) {
    const auto found = std::ranges::find_if(queries_, [&](const Query* query) {
      return !query->runs() && query->caller().may_measure == may_measure && may_start(*query);
    });
    if (found != queries_.end()) return *found;
  }
  return nullptr;
}

void QueryPool::look_again(std::chrono::milliseconds delay) {
  // If this fails, the end of a query or the next call looks.
  if (auto timer = loop_.after(delay, [this] { start_waiting(); })) soon_ = std::move(*timer);
}

void QueryPool::when_idle(Ended done) {
  const auto give = [this](const Status& status) {
    idle_late_.reset();
    std::exchange(idle_, nullptr)(status);
  };
  if (idle_) return done(fail(ErrorKind::busy, "another file is being restored"));
  auto late = loop_.after(settings_.deadline, [give] {
    give(fail(ErrorKind::busy, "a process that reads the store does not end: try again later"));
  });
  if (!late) return done(std::unexpected(late.error()));
  idle_ = std::move(done);
  idle_late_ = std::move(*late);
  const auto running = [this] { return std::ranges::find_if(queries_, &Query::runs); };
  for (auto query = running(); query != queries_.end(); query = running()) {
    (*query)->give(fail(ErrorKind::busy, "the store is being replaced: ask again"));
  }
  look_again(std::chrono::milliseconds{0});
}

void QueryPool::start_waiting() {
  if (idle_) {
    if (endings_.count() + reader_endings_.count() > 0) return look_again(kUntilKilledOnesEnd);
    idle_late_.reset();
    std::exchange(idle_, nullptr)({});
  }
  while (Query* const query = next()) {
    auto exchange = start(*query);
    if (!exchange) {
      query->give(std::unexpected(exchange.error()));
      continue;
    }
    query->run(std::move(*exchange));
  }
  const bool waits = std::ranges::any_of(queries_, [](const Query* query) { return !query->runs(); });
  if (waits && endings_.count() + reader_endings_.count() > 0) look_again(kUntilKilledOnesEnd);
}

Result<std::shared_ptr<confined::Exchange>> QueryPool::start(Query& query) {
  auto request = request_file(query.request());
  if (!request) return std::unexpected(std::move(request.error()));
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(std::move(pipe.error()));
  if (auto set = set_nonblocking(pipe->read); !set) return std::unexpected(std::move(set.error()));
  const auto deadline = deadline_of(query.caller());
  auto process = start_process(kQueryFlag, in_seconds(deadline), std::move(*request), std::move(pipe->write));
  if (!process) return std::unexpected(std::move(process.error()));
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(query.called() + deadline - Clock::now());
  const std::size_t longest = std::max(settings_.answer_bytes, query.caller().answer_bytes);
  return confined::Exchange::begin(
      loop_, query.caller().may_measure ? endings_ : reader_endings_, std::move(*process),
      std::move(pipe->read),
      {.answer_bytes = longest, .deadline = std::max(left, std::chrono::milliseconds{1})},
      [&query, longest, deadline](const confined::Exchange::End& end) {
        query.give(end.how == confined::Exchange::How::answered
                       ? read_answer(end.answer)
                       : std::unexpected(error_of(end, longest, in_seconds(deadline))));
      });
}

Result<confined::Process> QueryPool::start_process(std::string_view flag, std::chrono::seconds cpu_time,
                                                   ForeignFd in, Fd out) const {
  confined::Confinement confinement;
  confinement.uid = settings_.uid;
  confinement.gid = settings_.gid;
  confinement.parent = ::getpid();
  confinement.memory_bytes = settings_.memory_bytes;
  confinement.cpu_seconds = static_cast<std::uint64_t>(cpu_time.count());
  return confined::Process::start(settings_.program, query_argv(flag, confinement, settings_.database),
                                  settings_.uid, std::move(in), std::move(out));
}

Result<Fd> QueryPool::stream(std::string request, Ended ended) {
  if (stream_) return fail(ErrorKind::busy, "another backup is being made: try again when it is done");
  auto file = request_file(request);
  if (!file) return std::unexpected(std::move(file.error()));
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(std::move(pipe.error()));
  auto process = start_process(kStreamFlag, in_seconds(settings_.long_deadline), std::move(*file),
                               std::move(pipe->write));
  if (!process) return std::unexpected(std::move(process.error()));
  stream_.emplace(std::move(*process), EventSource{}, EventSource{}, std::move(ended));
  auto exit = loop_.on_readable(stream_->process.pidfd().get(), [this] { end_stream(); });
  // Whoever takes a page a minute would keep the log of the database from being emptied for days.
  auto late = loop_.after(settings_.long_deadline, [this] { stream_->process.kill(); });
  if (!exit || !late) {
    stream_.reset();
    return std::unexpected(std::move(exit ? late.error() : exit.error()));
  }
  stream_->exit = std::move(*exit);
  stream_->late = std::move(*late);
  return std::move(pipe->read);
}

void QueryPool::end_stream() {
  const auto end = stream_->process.reap();
  if (!end.ended) return;
  const auto ended = std::move(stream_->ended);
  stream_.reset();  // the next one may begin
  if (end.signal_number == 0 && end.exit_code == 0) return ended({});
  const std::string how =
      end.signal_number != 0
          ? fmt::format("was killed by {}", signal_text(end.signal_number))
          : "could not read the store, or nobody took what it wrote: `netperfctl db check` "
            "says what is wrong with the store";
  ended(fail(ErrorKind::internal, fmt::format("the process that wrote it {}", how)));
}

Result<std::shared_ptr<void>> QueryPool::check_candidate(ForeignFd file, std::uint64_t most_bytes,
                                                         Done done) {
  if (!candidate_.expired()) return fail(ErrorKind::busy, "another file is being restored");
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(std::move(pipe.error()));
  if (auto set = set_nonblocking(pipe->read); !set) return std::unexpected(std::move(set.error()));
  const auto seconds = in_seconds(settings_.long_deadline);
  auto process = start_process(kCandidateFlag, seconds, std::move(file), std::move(pipe->write));
  if (!process) return std::unexpected(std::move(process.error()));
  process->limit_files(most_bytes);
  const std::size_t longest = settings_.answer_bytes;
  auto exchange = confined::Exchange::begin(
      loop_, candidate_endings_, std::move(*process), std::move(pipe->read),
      {.answer_bytes = longest, .deadline = settings_.long_deadline},
      [done = std::move(done), longest, seconds](const confined::Exchange::End& end) {
        done(end.how == confined::Exchange::How::answered ? read_answer(end.answer)
                                                          : std::unexpected(error_of(end, longest, seconds)));
      });
  if (!exchange) return std::unexpected(std::move(exchange.error()));
  candidate_ = *exchange;
  return *exchange;
}

Error QueryPool::error_of(const confined::Exchange::End& end, std::size_t longest,
                          std::chrono::seconds deadline) {
  using How = confined::Exchange::How;
  if (end.how == How::was_late) {
    return {ErrorKind::busy, fmt::format("the query did not end within {} s: ask about fewer runs, or again "
                                         "when this machine is less busy",
                                         deadline.count())};
  }
  if (end.how == How::said_much) {
    return {ErrorKind::internal,
            fmt::format("the answer to the query is longer than {} MiB", longest >> 20U)};
  }
  if (end.how == How::was_killed && end.number == SIGXCPU) {
    return {
        ErrorKind::invalid_argument,
        fmt::format("the query takes more than {} s of CPU time: ask about fewer runs", deadline.count())};
  }
  if (end.how == How::was_killed) {
    return {ErrorKind::internal,
            fmt::format("the process of the query was killed by {}{}", signal_text(end.number),
                        end.number == SIGKILL ? "; memory may be short" : "")};
  }
  return {ErrorKind::internal,
          fmt::format("the process of the query ended with exit code {} and no answer", end.number)};
}

}  // namespace netperfd::query
