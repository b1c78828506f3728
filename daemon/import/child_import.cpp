// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/child_import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iterator>
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

confined::Endings& ChildImport::endings_of(uid_t owner) {
  return endings_
      .try_emplace(owner, loop_,
                   [this] {
                     if (room_) room_();
                   })
      .first->second;
}

bool ChildImport::has_place() {
  std::erase_if(readings_, [](const auto& reading) { return reading.expired(); });
  return readings_.size() < settings_.reads;
}

bool ChildImport::has_room(uid_t owner) {
  if (!has_place() || endings_of(owner).count() > 0) return false;
  if (owner == 0) return true;
  std::size_t killed = 0;
  for (auto& [user, endings] : endings_) killed += user == 0 ? 0 : endings.count();
  return killed < settings_.killed;
}

Result<std::shared_ptr<void>> ChildImport::read(uid_t owner, ForeignFd file, std::uint64_t size, Done done) {
  if (!has_place()) return fail(ErrorKind::busy, "other files are being read: try again when they are done");
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(pipe.error());
  if (auto set = set_nonblocking(pipe->read); !set) return std::unexpected(set.error());
  auto process = start(ReaderMode::record, std::move(file), size, std::move(pipe->write));
  if (!process) return std::unexpected(process.error());
  using End = confined::Exchange::End;
  auto result = std::make_shared<Result<ImportedFile>>();
  auto reading = confined::Exchange::begin(
      loop_, endings_of(owner), std::move(*process), std::move(pipe->read),
      {.answer_bytes = settings_.answer_limit_bytes, .deadline = settings_.reader.deadline},
      [result, done = std::move(done)](const End&) { done(std::move(*result)); },
      [result, settings = settings_](const End& end) { *result = result_of(end, settings); });
  if (!reading) return std::unexpected(reading.error());
  readings_.emplace_back(*reading);
  return *reading;
}

// A child takes its place until somebody has read its text. So root's places are his alone.
bool ChildImport::has_room_for_text(uid_t owner) const {
  const auto of_user = std::ranges::count(writings_, owner, &Writing::owner);
  const auto of_root = std::ranges::count(writings_, uid_t{0}, &Writing::owner);
  return std::cmp_less(of_user, settings_.texts_of_user) &&
         (owner == 0 || std::cmp_less(std::ssize(writings_) - of_root, settings_.texts));
}

Result<Fd> ChildImport::text(uid_t owner, const Recording& recording, core::TextReader reader,
                             std::function<void()> ended) {
  if (!has_room_for_text(owner)) {
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
  const auto writing = writings_.insert(writings_.end(), {owner, std::move(*process), {}, std::move(ended)});
  auto exit = loop_.on_readable(writing->process.pidfd().get(), [this, writing] {
    if (!writing->process.reap().ended) return;
    const auto told = std::move(writing->ended);
    writings_.erase(writing);  // free the slot before they are notified
    told();
  });
  if (!exit) {
    endings_of(owner).take(std::move(writing->process));
    writings_.erase(writing);
    return std::unexpected(exit.error());
  }
  writing->exit = std::move(*exit);
  return std::move(pipe->read);
}

}  // namespace netperfd::import
