// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/live_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "client/pages/slots.hpp"
#include "client/rows/trace_rows.hpp"
#include "client/terminal/escaped.hpp"
#include "client/terminal/text.hpp"
#include "client/terminal/times.hpp"
#include "client/terminal/units.hpp"

namespace netperfctl {

void LiveLine::job_changed(const LiveJobView& raw, Time now) {
  LiveJobView job = escaped(raw);
  if (ended_ && job.current_run == ended_) job.current_run.reset();  // said too late
  const std::uint64_t run = job.current_run.value_or(0);
  const bool begins = job.run_state == "running" && (job_.run_state != "running" || run != run_);
  if (run != run_) {
    live_.clear();
    trace_.reset();
    calls_ = false;
  }
  if (begins || job.progress != job_.progress) {
    anchor_s_ = run_progress(job).value_or(0) * job.planned_s.value_or(0);
    anchor_time_ = now;
  }
  run_ = run;
  job_ = std::move(job);
}

void LiveLine::interval(std::uint64_t run, const IntervalView& interval) {
  if (run != run_ || !interval.bits_per_second) return;
  auto live = std::ranges::find(live_, interval.direction, &Live::direction);
  if (live == live_.end())
    live = live_.insert(live_.end(), {.direction = interval.direction, .rates = {}, .retransmits = {}});
  live->rates.push_back(*interval.bits_per_second);
  if (interval.retransmits) live->retransmits = live->retransmits.value_or(0) + *interval.retransmits;
}

void LiveLine::trace_progress(std::uint64_t run, const TraceProgressView& progress) {
  if (run != run_) return;
  const std::uint64_t lost = trace_ ? trace_->lost : 0;
  trace_ = progress;
  trace_->lost += lost;
  trace_->events = escaped(std::move(trace_->events));
  trace_->functions = escaped(std::move(trace_->functions));
  // A second without a call does not name the event.
  calls_ = calls_ || calls_of(trace_->events) != nullptr || !trace_->functions.empty();
}

void LiveLine::run_ended(std::uint64_t run) {
  ended_ = run;
  if (job_.current_run == run) job_.current_run.reset();
}

double LiveLine::elapsed_s(Time now) const {
  const double elapsed = anchor_s_ + std::chrono::duration<double>(now - anchor_time_).count();
  return job_.planned_s ? std::min(elapsed, *job_.planned_s) : elapsed;
}

std::string LiveLine::time_words(Time now) const {
  if (!job_.planned_s) return fmt::format("{:.1f} s", elapsed_s(now));
  return fmt::format("{:.1f} s of {}", elapsed_s(now), format_seconds(*job_.planned_s));
}

// Of a job with several runs; the one run's end is its bar's.
std::string LiveLine::end_words(const Screen& screen) const {
  if (!job_.expected_end_us || !job_.runs || job_.runs->size() < 2) return {};
  return "job ends " + format_time(*job_.expected_end_us, screen.now_us);
}

std::string LiveLine::rate_words() const {
  std::string text;
  for (const Live& live : live_) {
    if (!text.empty()) text += "  ";
    text += format_rate(live.rates.back());
    if (live_.size() > 1) text += live.direction == Direction::receive ? " in" : " out";
  }
  return text;
}

std::string LiveLine::trace_words(const Screen& screen, std::size_t room, bool by_name) const {
  if (!trace_ || trace_->seconds <= 0) return {};
  const std::string lost = fmt::format("{} lost", format_short(static_cast<double>(trace_->lost)));
  std::vector<TraceEventView> events = trace_->events;
  const TraceEventView* returned = calls_of(trace_->events);
  const std::uint64_t called = returned != nullptr ? returned->count.value_or(0) : 0;
  std::erase_if(events, [](const TraceEventView& event) {
    return event.count.value_or(0) == 0 || is_call_event(event.event);
  });
  const auto rate = [this](std::uint64_t count) {
    return format_short(static_cast<double>(count) / trace_->seconds);
  };
  const std::string calls = calls_ ? rate(called) + " calls/s, " : "";
  // The first `count` of them, which are the most frequent.
  const auto names = [&](std::size_t count, bool with_system) {
    std::string text = calls;
    for (const TraceEventView& event : std::span{events}.first(count)) {
      const std::string_view name = event.event;
      const std::size_t begin = with_system ? 0 : name.find(':') + 1;
      text += fmt::format("{} {}/s, ", name.substr(begin), rate(event.count.value_or(0)));
    }
    if (count < events.size()) text += screen.glyphs ? "…, " : "..., ";
    return text + lost;
  };
  std::uint64_t all = 0;
  for (const TraceEventView& event : events) all += event.count.value_or(0);
  std::string sum = calls;
  if (!calls_ || all > 0) sum += rate(all) + " events/s, ";
  sum += lost;
  if (events.empty()) return sum;
  for (const bool with_system : {true, false}) {
    std::string text = names(events.size(), with_system);
    if (display_width(text) <= room) return text;
  }
  for (std::size_t count = events.size() - 1; count > 0; --count) {
    std::string text = names(count, false);
    if (display_width(text) <= room) return text;
  }
  return by_name ? std::string{} : sum;
}

std::string LiveLine::functions_text(const Screen& screen, const std::string& lead) const {
  if (!moves() || !calls_ || !trace_ || trace_->seconds <= 0) return {};
  const std::size_t width = screen.width.value_or(120) - 3;
  std::string text;
  for (const FunctionHitsView& function : trace_->functions) {
    const std::string rate = format_short(static_cast<double>(function.hits) / trace_->seconds);
    const std::string more = fmt::format("{}{} {}/s", text.empty() ? "" : ", ", function.function, rate);
    if (display_width(lead) + display_width(text) + display_width(more) > width) break;
    text += more;
  }
  return text.empty() ? text : lead + text;
}

std::string LiveLine::place_trace(const Screen& screen, std::size_t room, const std::string& shorter,
                                  std::string& line) const {
  for (const bool by_name : {true, false}) {
    // That it is running is plain from the time that goes on; what occurs is not.
    for (const std::string& head : {line, shorter}) {
      const std::size_t left = room - std::min(room, display_width(head) + 2);
      std::string words = trace_words(screen, left, by_name);
      if (words.empty() || display_width(words) > left) continue;
      line = head;
      return words;
    }
  }
  return {};
}

std::string LiveLine::run_text() const {
  const std::vector<std::uint64_t> runs = job_.runs.value_or(std::vector{run_});
  const auto place = static_cast<std::size_t>(std::ranges::find(runs, run_) - runs.begin());
  const std::string slot = slot_words(job_, place);
  return fmt::format("run {}  {}/{}{}{}", run_, place + 1, runs.size(), slot.empty() ? "" : "  ", slot);
}

std::string LiveLine::state_text() const {
  if (!job_.current_run) {
    const bool waits = job_.state.value_or("pending") == "pending";
    const std::size_t runs = job_.runs ? job_.runs->size() : 0;
    if (!waits && !has_ended(job_.state.value_or("")) && runs > 0)
      return fmt::format("job {}  {} of {} ended{}{}", job_.job, job_.runs_ended.value_or(0),
                         plural(runs, "run"), job_.waiting ? "  " : "",
                         job_.waiting ? waiting_words(job_) : "");
    return fmt::format("job {}  {}", job_.job, waits ? "waits for its turn" : job_.state.value_or("-"));
  }
  return fmt::format("{}  {}", run_text(), job_.waiting ? waiting_words(job_) : job_.run_state.value_or("-"));
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
  const std::size_t beside = 2 + time.size() + (rate.empty() ? 0 : 2 + rate.size());
  const std::string trace = place_trace(screen, width - std::min(width, beside), lead + run_text(), line);
  // On a narrow screen the time that goes on tells that it is running; then the scenario's name goes.
  for (const std::string& shorter : {lead + run_text(), run_text()}) {
    if (display_width(line) + beside > width) line = shorter;
  }
  line = cut(screen, line, width);
  const std::size_t needed = display_width(line) + beside;
  const std::size_t beside_bar = needed + (trace.empty() ? 0 : 2 + display_width(trace));
  if (job_.planned_s && beside_bar + 2 + bar_cells + 2 <= width) {
    append_if_fits(bar(screen, elapsed_s(now) / *job_.planned_s, bar_cells));
  }
  append_if_fits(time);
  append_if_fits(rate);
  append_if_fits(trace);
  append_if_fits(end_words(screen));
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

std::string watched_text(const Screen& screen, const std::map<std::uint64_t, LiveLine>& jobs,
                         LiveLine::Time now) {
  std::string text;
  for (const auto& [number, line] : jobs) {
    if (has_ended(line.job().state.value_or(""))) continue;
    constexpr std::size_t kLeadColumns = 12;
    const std::string name = cut(screen, line.job().scenario.value_or("-"), kLeadColumns);
    text += line.text(screen, now, name + "  ") + "\n";
    const std::string lead(display_width(name) + 2, ' ');
    if (const std::string busiest = line.functions_text(screen, lead); !busiest.empty())
      text += paint(screen, Style::faint, busiest) + "\n";
  }
  return text +
         paint(screen, Style::faint, text.empty() ? "no job is under way; Ctrl-C leaves" : "Ctrl-C leaves");
}

}  // namespace netperfctl
