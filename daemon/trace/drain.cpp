// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/drain.hpp"

#include <algorithm>
#include <utility>

#include "daemon/trace/thread_cpu_time.hpp"

namespace netperfd::trace {

std::chrono::microseconds decode_time(const DrainSettings& settings, double idle_cpus) {
  const auto idle =
      std::chrono::duration<double, std::micro>(settings.decode_idle) * std::min(idle_cpus, 1.0);
  return std::max(settings.decode, std::chrono::duration_cast<std::chrono::microseconds>(idle));
}

Drain::Drain(core::Clock& clock, Tally& tally, std::vector<RingPipe> pipes, const DrainSettings& settings,
             IdleCpus idle_cpus, RawKeeper* keeper)
    : clock_(clock),
      tally_(tally),
      settings_(settings),
      idle_cpus_(std::move(idle_cpus)),
      keeper_(keeper),
      reader_(std::move(pipes), settings.reader) {}

Status Drain::start() {
  auto thread = ReaderThread::start(reader_, settings_.thread);
  if (!thread) return std::unexpected(std::move(thread.error()));
  thread_ = std::move(*thread);
  timer_ = clock_.after(settings_.period, [this] { turn(); });
  return {};
}

void Drain::finish(std::function<void(Status)> done) {
  done_ = std::move(done);
  if (thread_) {
    thread_->end();
    cpu_time_ += thread_->cpu_time();
  }
  reader_.tracing_is_off();
  timer_ = clock_.after(std::chrono::milliseconds{0}, [this] { turn(); });
}

void Drain::turn() {
  const auto began = thread_cpu_time();
  bool more = take_some();
  if (!more && done_) more = read_some();
  if (!more && !done_)
    tally_.decode(for_at_most(decode_time(settings_, idle_cpus_.of_late(clock_.since_boot()))));
  if (!more && done_) {
    reader_.close();
    more = !tally_.end(for_at_most(settings_.decode_rest));
  }
  if (!done_) cpu_time_ += thread_cpu_time() - began;
  if (more || !done_) {
    timer_ = clock_.after(more ? std::chrono::milliseconds{0} : settings_.period, [this] { turn(); });
    return;
  }
  const auto done = std::exchange(done_, {});
  done(error_ ? Status{std::unexpected(*error_)} : Status{});
}

Tally::Question Drain::for_at_most(std::chrono::microseconds time) const {
  return [this, until = clock_.since_boot() + time] { return clock_.since_boot() < until; };
}

bool Drain::take_some() {
  if (!thread_) return false;
  for (std::size_t taken = 0; taken < settings_.turn_bytes;) {
    auto sweep = thread_->take(tally_.held_bytes());
    if (!sweep) return false;
    taken += sweep->bytes;
    count(std::move(*sweep));
  }
  return true;
}

bool Drain::read_some() {
  Sweep sweep = reader_.sweep();
  const bool more = !sweep.behind.empty();
  count(std::move(sweep));
  return more;
}

void Drain::count(Sweep sweep) {
  for (RawSubbuffer& subbuffer : sweep.subbuffers) {
    if (keeper_ != nullptr) keeper_->add(subbuffer.cpu, subbuffer.bytes);
    tally_.add(subbuffer.cpu, std::move(subbuffer.bytes));
  }
  tally_.end_turn(sweep.behind, [] { return false; });
  if (sweep.error && !error_) error_ = sweep.error;
}

}  // namespace netperfd::trace
