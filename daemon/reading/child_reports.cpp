// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/child_reports.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string_view>

#include "daemon/base/fd.hpp"
#include "daemon/base/spawn.hpp"
#include "daemon/confined/process.hpp"
#include "daemon/reading/figure_bytes.hpp"
#include "daemon/reading/memory_file.hpp"
#include "daemon/reading/reader.hpp"
#include "daemon/reading/record_check.hpp"
#include "daemon/reading/report_bytes.hpp"

namespace netperfd::reading {
namespace {

std::unexpected<Error> unreadable(std::string_view program, std::string_view why) {
  return fail(ErrorKind::invalid_argument, fmt::format("{}'s output could not be read: {}", program, why));
}

std::string how_it_was_killed(int number) {
  if (number == SIGXCPU) return "that takes too much CPU time";
  return fmt::format("the process that read it was killed by {}", signal_text(number));
}

// What the process answered, without the letter of its kind.
Result<std::string> answer_of(const confined::Exchange::End& end, std::string_view program, char expected,
                              std::chrono::milliseconds deadline, std::string_view limit) {
  using How = confined::Exchange::How;
  switch (end.how) {
    case How::answered:
      if (end.answer.empty()) break;
      if (end.answer.front() == expected) return end.answer.substr(1);
      if (end.answer.front() == kAnswerError)
        return unreadable(program, printable_error(end.answer.substr(1)));
      break;
    case How::gave_up:
      return unreadable(program, fmt::format("the process that read it ended with exit code {}", end.number));
    case How::was_killed:
      return unreadable(program, how_it_was_killed(end.number));
    case How::was_late:
      return unreadable(program,
                        fmt::format("that takes longer than {} s",
                                    std::chrono::duration_cast<std::chrono::seconds>(deadline).count()));
    case How::said_much:
      return unreadable(program, fmt::format("the process that read it made more of it than {}", limit));
  }
  return unreadable(program, "the process that read it gave no answer");
}

Result<ParsedReport> report_of(const confined::Exchange::End& end, std::chrono::milliseconds deadline,
                               std::size_t intervals) {
  const auto answer =
      answer_of(end, "iperf3", kAnswerReport, deadline, fmt::format("{} intervals", intervals));
  if (!answer) return std::unexpected(answer.error());
  auto report = report_from_bytes(*answer, intervals);
  if (!report) return unreadable("iperf3", report.error().message);
  return report;
}

Result<ParsedLatency> latency_of(const confined::Exchange::End& end, std::chrono::milliseconds deadline) {
  const auto answer = answer_of(end, "the prober", kAnswerLatency, deadline, "is possible");
  if (!answer) return std::unexpected(answer.error());
  auto latency = latency_from_bytes(*answer);
  if (!latency) return unreadable("the prober", latency.error().message);
  return latency;
}

core::FigureReading::Values values_of(const confined::Exchange::End& end, std::chrono::milliseconds deadline,
                                      std::size_t count) {
  const bool answered = end.how == confined::Exchange::How::answered && !end.answer.empty();
  // Told by the process itself in a whole sentence. Other errors say nothing of the command.
  if (answered && end.answer.front() == kAnswerMissing)
    return fail(ErrorKind::not_found, printable_error(end.answer.substr(1)));
  const auto answer = answer_of(end, "the command", kAnswerFigures, deadline, "its figures");
  if (!answer) return std::unexpected(answer.error());
  return values_from_bytes(*answer, count);
}

}  // namespace

ChildReports::~ChildReports() {
  for (const auto& reading : readings_) {
    if (const auto alive = reading.lock()) alive->cancel();
  }
}

template <class T>
Result<std::shared_ptr<void>> ChildReports::begin(
    ReaderMode mode, const std::string& order, const std::string& text, std::size_t answer_bytes,
    std::function<Result<T>(const confined::Exchange::End& end)> decode,
    std::function<void(Result<T>)> done) {
  std::erase_if(readings_, [](const auto& reading) { return reading.expired(); });
  auto file = in_memory("output", {order, text});
  if (!file) return std::unexpected(file.error());
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(pipe.error());
  if (auto set = set_nonblocking(pipe->read); !set) return std::unexpected(set.error());
  auto process = confined::Process::start(
      settings_.program, reader_argv(mode, confinement_of(settings_), order.size() + text.size()),
      settings_.uid, std::move(*file), std::move(pipe->write));
  if (!process) return std::unexpected(process.error());
  using End = confined::Exchange::End;
  auto result = std::make_shared<Result<T>>();
  auto reading = confined::Exchange::begin(
      loop_, endings_, std::move(*process), std::move(pipe->read),
      {.answer_bytes = answer_bytes, .deadline = settings_.deadline},
      [result, done = std::move(done)](const End&) { done(std::move(*result)); },
      [result, decode = std::move(decode)](const End& end) { *result = decode(end); });
  if (!reading) return std::unexpected(reading.error());
  readings_.emplace_back(*reading);
  return *reading;
}

Result<std::shared_ptr<void>> ChildReports::read(const std::string& client_stdout,
                                                 const std::string& client_stderr, const TestSpec& asked,
                                                 core::ReportReading::Done done) {
  const std::size_t intervals = most_intervals(asked);
  return begin<ParsedReport>(
      ReaderMode::report, to_bytes(asked, client_stderr), client_stdout, 1 + most_report_bytes(intervals),
      [deadline = settings_.deadline, intervals](const confined::Exchange::End& end) {
        return report_of(end, deadline, intervals);
      },
      std::move(done));
}

Result<std::shared_ptr<void>> ChildReports::read_latency(const std::string& prober_stdout,
                                                         const LatencyOrder& order,
                                                         core::LatencyReading::Done done) {
  return begin<ParsedLatency>(
      ReaderMode::latency, to_bytes(order), prober_stdout, 1 + kMostLatencyBytes,
      [deadline = settings_.deadline](const confined::Exchange::End& end) {
        return latency_of(end, deadline);
      },
      std::move(done));
}

Result<std::shared_ptr<void>> ChildReports::read_figures(const std::vector<DeclaredFigure>& figures,
                                                         const std::vector<core::FigureText>& texts,
                                                         core::FigureReading::Done done) {
  std::string together;
  for (const core::FigureText& text : texts) together += text.bytes;
  return begin<core::FigureReading::Values::value_type>(
      ReaderMode::figures, to_bytes(figures, texts), together, 1 + kMostValueBytes,
      [deadline = settings_.deadline, count = figures.size()](const confined::Exchange::End& end) {
        return values_of(end, deadline, count);
      },
      std::move(done));
}

}  // namespace netperfd::reading
