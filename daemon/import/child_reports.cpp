// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/child_reports.hpp"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string_view>

#include "daemon/base/fd.hpp"
#include "daemon/base/spawn.hpp"
#include "daemon/confined/process.hpp"
#include "daemon/import/memory_file.hpp"
#include "daemon/import/reader.hpp"
#include "daemon/import/record_check.hpp"
#include "daemon/import/report_bytes.hpp"

namespace netperfd::import {
namespace {

std::unexpected<Error> unreadable(std::string_view why) {
  return fail(ErrorKind::invalid_argument, fmt::format("iperf3's output could not be read: {}", why));
}

Result<ParsedReport> decode_report(std::string_view answer, std::size_t intervals) {
  const char kind = answer.front();
  answer.remove_prefix(1);
  if (kind == kAnswerError) return unreadable(printable_error(answer));
  if (kind != kAnswerReport) return unreadable("the process that read it gave no answer");
  auto report = report_from_bytes(answer, intervals);
  if (!report) return unreadable(report.error().message);
  return report;
}

std::string how_it_was_killed(int number) {
  if (number == SIGXCPU) return "that takes too much CPU time";
  return fmt::format("the process that read it was killed by {}", signal_text(number));
}

Result<ParsedReport> report_of(const confined::Exchange::End& end, std::chrono::milliseconds deadline,
                               std::size_t intervals) {
  using How = confined::Exchange::How;
  switch (end.how) {
    case How::answered:
      if (!end.answer.empty()) return decode_report(end.answer, intervals);
      return unreadable("the process that read it gave no answer");
    case How::gave_up:
      return unreadable(fmt::format("the process that read it ended with exit code {}", end.number));
    case How::was_killed:
      return unreadable(how_it_was_killed(end.number));
    case How::was_late:
      return unreadable(fmt::format("that takes longer than {} s",
                                    std::chrono::duration_cast<std::chrono::seconds>(deadline).count()));
    case How::said_much:
      break;
  }
  return unreadable(fmt::format("the process that read it made more of it than {} intervals", intervals));
}

}  // namespace

ChildReports::~ChildReports() {
  for (const auto& reading : readings_) {
    if (const auto alive = reading.lock()) alive->cancel();
  }
}

Result<std::shared_ptr<void>> ChildReports::read(const std::string& client_stdout,
                                                 const std::string& client_stderr, const Iperf3Spec& asked,
                                                 Done done) {
  std::erase_if(readings_, [](const auto& reading) { return reading.expired(); });
  const std::string order = to_bytes(asked, client_stderr);
  auto file = in_memory("iperf3-output", {order, client_stdout});
  if (!file) return std::unexpected(file.error());
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(pipe.error());
  if (auto set = set_nonblocking(pipe->read); !set) return std::unexpected(set.error());
  auto process = confined::Process::start(
      settings_.program,
      reader_argv(ReaderMode::report, confinement_of(settings_), order.size() + client_stdout.size()),
      settings_.uid, std::move(*file), std::move(pipe->write));
  if (!process) return std::unexpected(process.error());
  const std::size_t intervals = most_intervals(asked);
  auto reading = confined::Exchange::begin(
      loop_, endings_, std::move(*process), std::move(pipe->read),
      {.answer_bytes = 1 + most_report_bytes(intervals), .deadline = settings_.deadline},
      [deadline = settings_.deadline, intervals, done = std::move(done)](const confined::Exchange::End& end) {
        done(report_of(end, deadline, intervals));
      });
  if (!reading) return std::unexpected(reading.error());
  readings_.emplace_back(*reading);
  return *reading;
}

}  // namespace netperfd::import
