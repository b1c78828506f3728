#include "client/live_line.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "client/escaped.hpp"
#include "client/text.hpp"
#include "client/units.hpp"

namespace netperfctl {

void LiveLine::job_changed(const LiveJobView& raw, Time now) {
  LiveJobView job = escaped(raw);
  const std::uint64_t run = job.current_run.value_or(0);
  const bool begins = job.run_state == "running" && (job_.run_state != "running" || run != run_);
  if (run != run_) {
    live_.clear();
    trace_.reset();
  }
  if (begins || job.progress != job_.progress) {
    anchor_s_ = job.progress.value_or(0) * job.planned_s.value_or(0);
    anchor_time_ = now;
  }
  run_ = run;
  job_ = std::move(job);
}

void LiveLine::interval(std::uint64_t run, const IntervalView& interval) {
  if (run != run_ || !interval.bits_per_second) return;
  const std::string direction = interval.direction.value_or("send");
  auto live = std::ranges::find(live_, direction, &Live::direction);
  if (live == live_.end())
    live = live_.insert(live_.end(), {.direction = direction, .rates = {}, .retransmits = {}});
  live->rates.push_back(*interval.bits_per_second);
  if (interval.retransmits) live->retransmits = live->retransmits.value_or(0) + *interval.retransmits;
}

void LiveLine::trace_progress(std::uint64_t run, const TraceProgressView& progress) {
  if (run != run_) return;
  const std::uint64_t lost = trace_ ? trace_->lost : 0;
  trace_ = progress;
  trace_->lost += lost;
  trace_->events = escaped(std::move(trace_->events));
}

double LiveLine::elapsed_s(Time now) const {
  const double elapsed = anchor_s_ + std::chrono::duration<double>(now - anchor_time_).count();
  return job_.planned_s ? std::min(elapsed, *job_.planned_s) : elapsed;
}

std::string LiveLine::time_words(Time now) const {
  if (!job_.planned_s) return fmt::format("{:.1f} s", elapsed_s(now));
  return fmt::format("{:.1f} s of {}", elapsed_s(now), format_seconds(*job_.planned_s));
}

std::string LiveLine::rate_words() const {
  std::string text;
  for (const Live& live : live_) {
    if (!text.empty()) text += "  ";
    text += format_rate(live.rates.back());
    if (live_.size() > 1) text += live.direction == "receive" ? " in" : " out";
  }
  return text;
}

std::string LiveLine::trace_words(std::size_t room) const {
  if (!trace_ || trace_->seconds <= 0) return {};
  const std::string lost = fmt::format("{} lost", format_short(static_cast<double>(trace_->lost)));
  const auto rate = [this](std::uint64_t count) {
    return format_short(static_cast<double>(count) / trace_->seconds);
  };
  std::uint64_t all = 0;
  std::string by_name;
  for (const TraceEventView& event : trace_->events) {
    all += event.count.value_or(0);
    by_name += fmt::format("{} {}/s, ", event.event, rate(event.count.value_or(0)));
  }
  by_name += lost;
  if (!trace_->events.empty() && display_width(by_name) <= room) return by_name;
  return fmt::format("{} events/s, {}", rate(all), lost);
}

std::string LiveLine::state_text() const {
  if (!job_.current_run) {
    const bool waits = job_.state.value_or("pending") == "pending";
    return fmt::format("job {}  {}", job_.job, waits ? "waits for its turn" : job_.state.value_or("-"));
  }
  const std::vector<std::uint64_t> runs = job_.runs.value_or(std::vector{run_});
  const auto index = std::ranges::find(runs, run_) - runs.begin() + 1;
  return fmt::format("run {}  {}/{}  {}", run_, index, runs.size(), job_.run_state.value_or("-"));
}

std::string LiveLine::text(const Screen& screen, Time now, const std::string& lead) const {
  // Room stays for the ^C that a terminal echoes, which must not begin a new line.
  const std::size_t width = screen.width.value_or(120) - 3;
  std::string line = lead + state_text();
  if (!moves()) return cut(screen, line, width);
  const std::size_t bar_cells = width < 100 ? 8 : 14;
  constexpr std::size_t kFewestSparks = 10;
  constexpr std::size_t kMostSparks = 40;
  const auto append_if_fits = [&](const std::string& part) {
    if (!part.empty() && display_width(line) + 2 + display_width(part) <= width) line += "  " + part;
  };
  const std::string time = time_words(now);
  const std::string rate = rate_words();
  const std::size_t needed = display_width(line) + 2 + time.size() + 2 + rate.size();
  const std::string trace = trace_words(width - std::min(width, needed + 2));
  const std::size_t beside_bar = needed + (trace.empty() ? 0 : 2 + display_width(trace));
  if (job_.planned_s && beside_bar + 2 + bar_cells + 2 <= width) {
    append_if_fits(bar(screen, elapsed_s(now) / *job_.planned_s, bar_cells));
  }
  append_if_fits(time);
  append_if_fits(rate);
  append_if_fits(trace);
  if (live_.size() != 1) return line;
  const Live& live = live_.front();
  const std::string retransmits =
      live.retransmits ? fmt::format("  {} retr", format_count(*live.retransmits)) : "";
  const std::size_t room = width - std::min(width, display_width(line) + 2);
  const bool both_fit = screen.glyphs && room >= kFewestSparks + retransmits.size();
  // The newest intervals; older ones leave at the left.
  const std::size_t cells =
      std::min({live.rates.size(), room - (both_fit ? retransmits.size() : 0), kMostSparks});
  append_if_fits(sparkline(screen, std::span{live.rates}.last(cells), cells));
  if (both_fit || !screen.glyphs)
    append_if_fits(retransmits.substr(std::min<std::size_t>(2, retransmits.size())));
  return line;
}

}  // namespace netperfctl
