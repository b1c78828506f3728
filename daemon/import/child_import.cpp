// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/child_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <string_view>
#include <utility>

#include "daemon/base/spawn.hpp"
#include "daemon/reading/memory_file.hpp"
#include "daemon/reading/record_bytes.hpp"

namespace netperfd::import {

using reading::ReaderMode;

namespace {

// An error in the file, reported by the process. The caller can fix the file.
std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorKind::invalid_argument, std::move(message));
}

Result<ImportedFile> decode(std::string_view answer) {
  const char kind = answer.front();
  answer.remove_prefix(1);
  if (kind == reading::kAnswerRecord) return reading::from_bytes(answer);
  return refuse(kind == reading::kAnswerError ? reading::printable_error(answer)
                                              : "the process that read the file gave no answer");
}

std::string killed_by(int number) {
  if (number == SIGBUS) return "the file became shorter while it was read, or its disk failed";
  if (number == SIGXCPU) return "reading the file takes too much CPU time";
  return fmt::format("the process that read the file was killed by {}", signal_text(number));
}

Result<ImportedFile> result_of(const confined::Exchange::End& end, const ImportSettings& settings) {
  using How = confined::Exchange::How;
  switch (end.how) {
    case How::answered:
    case How::gave_up:
      if (!end.answer.empty()) return decode(end.answer);
      return refuse(
          fmt::format("the process that read the file ended with exit code {} and no answer", end.number));
    case How::was_killed:
      return refuse(killed_by(end.number));
    case How::was_late:
      return refuse(
          fmt::format("reading the file takes longer than {} s",
                      std::chrono::duration_cast<std::chrono::seconds>(settings.reader.deadline).count()));
    case How::said_much:
      break;
  }
  return refuse(
      fmt::format("what the file holds comes to more than {} MiB", settings.answer_limit_bytes >> 20U));
}

}  // namespace

ChildImport::~ChildImport() {
  for (const auto& reading : readings_) {
    if (const auto alive = reading.lock()) alive->cancel();
  }
}

Result<confined::Process> ChildImport::start(ReaderMode mode, ForeignFd in, std::uint64_t in_bytes,
                                             Fd out) const {
  return confined::Process::start(
      settings_.reader.program,
      reading::reader_argv(mode, reading::confinement_of(settings_.reader), in_bytes), settings_.reader.uid,
      std::move(in), std::move(out));
}

bool ChildImport::has_room() {
  std::erase_if(readings_, [](const auto& reading) { return reading.expired(); });
  return readings_.size() + endings_.count() < settings_.reads;
}

Status ChildImport::make_room() {
  if (!has_room()) {
    return fail(ErrorKind::busy, "other files are being read: try again when they are done");
  }
  return {};
}

Result<std::shared_ptr<void>> ChildImport::read(ForeignFd file, std::uint64_t size, Done done) {
  if (auto room = make_room(); !room) return std::unexpected(room.error());
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(pipe.error());
  if (auto set = set_nonblocking(pipe->read); !set) return std::unexpected(set.error());
  auto process = start(ReaderMode::record, std::move(file), size, std::move(pipe->write));
  if (!process) return std::unexpected(process.error());
  using End = confined::Exchange::End;
  auto result = std::make_shared<Result<ImportedFile>>();
  auto reading = confined::Exchange::begin(
      loop_, endings_, std::move(*process), std::move(pipe->read),
      {.answer_bytes = settings_.answer_limit_bytes, .deadline = settings_.reader.deadline},
      [result, done = std::move(done)](const End&) { done(std::move(*result)); },
      [result, settings = settings_](const End& end) { *result = result_of(end, settings); });
  if (!reading) return std::unexpected(reading.error());
  readings_.emplace_back(*reading);
  return *reading;
}

Result<Fd> ChildImport::text(const Recording& recording, core::TextReader reader,
                             std::function<void()> ended) {
  if (writings_.size() >= settings_.texts) {
    return fail(ErrorKind::busy, "other recordings are being written as text: try again when they are done");
  }
  auto bytes = recording();
  if (!bytes) return std::unexpected(bytes.error());
  auto file = reading::in_memory("recording", {*bytes});
  if (!file) return std::unexpected(file.error());
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(pipe.error());
  const ReaderMode mode = reader == core::TextReader::root ? ReaderMode::text : ReaderMode::owner_text;
  auto process = start(mode, std::move(*file), bytes->size(), std::move(pipe->write));
  if (!process) return std::unexpected(process.error());
  const auto writing = writings_.insert(writings_.end(), {std::move(*process), {}, std::move(ended)});
  auto exit = loop_.on_readable(writing->process.pidfd().get(), [this, writing] {
    if (!writing->process.reap().ended) return;
    const auto told = std::move(writing->ended);
    writings_.erase(writing);  // free the slot before they are notified
    told();
  });
  if (!exit) {
    endings_.take(std::move(writing->process));
    writings_.erase(writing);
    return std::unexpected(exit.error());
  }
  writing->exit = std::move(*exit);
  return std::move(pipe->read);
}

}  // namespace netperfd::import
