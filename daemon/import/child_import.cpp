#include "daemon/import/child_import.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include "daemon/base/foreign_fd.hpp"
#include "daemon/base/spawn.hpp"
#include "daemon/import/record_bytes.hpp"

namespace netperfd::import {
namespace {

// Maximum bytes to read per turn of the loop.
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

// Limit for descriptors whose file systems do not answer: each blocks a thread.
constexpr std::size_t kMostCloses = 8;

// An error in the file, reported by the process. The caller can fix the file.
std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorKind::invalid_argument, std::move(message));
}

Result<ImportedFile> decode(std::string_view answer) {
  const char kind = answer.front();
  answer.remove_prefix(1);
  if (kind == kAnswerRecord) return from_bytes(answer);
  constexpr std::size_t kLongestError = 4096;
  std::string message(answer.substr(0, kLongestError));
  // The text may quote the file, and the file may have compromised the process.
  for (char& c : message) {
    if (c < ' ' || c > '~') c = '?';
  }
  return refuse(kind == kAnswerError ? std::move(message) : "the process that read the file gave no answer");
}

Result<Fd> in_memory(const std::string& bytes) {
  Fd file{::memfd_create("recording", MFD_CLOEXEC)};
  if (!file) return fail_errno("memfd_create", errno);
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t wrote = ::write(file.get(), rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return fail_errno("write to memory", errno);
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return file;
}

}  // namespace

// One file being read. Ends with the process's exit, at the deadline or if the answer is too long.
class ChildImport::Reading {
 public:
  Reading(ChildImport& owner, ReaderProcess process, Fd answer, Done done)
      : owner_(owner),
        limit_(owner.settings_.answer_limit_bytes),
        deadline_(owner.settings_.deadline),
        process_(std::move(process)),
        answer_(std::move(answer)),
        done_(std::move(done)) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() { cancel(); }

  Status watch(EventLoop& loop) {
    auto readable = loop.on_readable(answer_->get(), [this] { on_answer(); });
    if (!readable) return std::unexpected(readable.error());
    readable_ = std::move(*readable);
    auto exit = loop.on_readable(process_->pidfd().get(), [this] { on_exit(); });
    if (!exit) return std::unexpected(exit.error());
    exit_ = std::move(*exit);
    auto timer = loop.after(deadline_, [this] { on_deadline(); });
    if (!timer) return std::unexpected(timer.error());
    timer_ = std::move(*timer);
    return {};
  }

  // Kills the process and drops the callback.
  void cancel() {
    for (EventSource* source : {&readable_, &exit_, &timer_}) source->reset();
    if (process_) owner_.bury(std::move(*process_));
    process_.reset();
    answer_.reset();
    done_ = nullptr;
  }

 private:
  // Returns false if no more data is available now.
  bool read_more() {
    std::array<char, kReadBytes> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    const ssize_t got = ::read(answer_->get(), chunk.data(), chunk.size());
    if (got <= 0) {
      at_end_ = got == 0 || (errno != EAGAIN && errno != EINTR);
      return false;
    }
    bytes_.append(chunk.data(), static_cast<std::size_t>(got));
    return bytes_.size() <= limit_;
  }

  void on_answer() {
    if (!read_more() && at_end_) readable_.reset();
    if (bytes_.size() > limit_) refuse_as_too_long();
  }

  void on_exit() {
    const auto end = process_->reap();
    if (!end.ended) return;
    while (read_more()) {
    }
    if (bytes_.size() > limit_) {
      refuse_as_too_long();
    } else if (end.signal_number != 0) {
      give(refuse(killed_by(end.signal_number)));
    } else if (end.exit_code != 0 || bytes_.empty()) {
      give(refuse(fmt::format("the process that read the file ended with exit code {} and no answer",
                              end.exit_code)));
    } else {
      give(decode(bytes_));
    }
  }

  void on_deadline() {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(deadline_).count();
    give(refuse(fmt::format("reading the file takes longer than {} s", seconds)));
  }

  void refuse_as_too_long() {
    give(refuse(fmt::format("what the file holds comes to more than {} MiB", limit_ >> 20U)));
  }

  static std::string killed_by(int number) {
    if (number == SIGBUS) return "the file became shorter while it was read, or its disk failed";
    if (number == SIGXCPU) return "reading the file takes too much CPU time";
    return fmt::format("the process that read the file was killed by {}", signal_text(number));
  }

  // Last use of this object: the owner may destroy it inside the call.
  void give(Result<ImportedFile> result) {
    const auto done = std::move(done_);
    cancel();
    done(std::move(result));
  }

  ChildImport& owner_;  // lives as long as process_ is there
  std::size_t limit_;
  std::chrono::milliseconds deadline_;
  std::optional<ReaderProcess> process_;
  std::optional<Fd> answer_;
  Done done_;
  std::string bytes_;
  bool at_end_ = false;
  EventSource readable_, exit_, timer_;
};

ChildImport::~ChildImport() {
  for (const auto& reading : readings_) {
    if (const auto alive = reading.lock()) alive->cancel();
  }
}

Confinement ChildImport::confinement() const {
  Confinement confinement;
  confinement.uid = settings_.uid;
  confinement.gid = settings_.gid;
  confinement.memory_bytes = settings_.memory_bytes;
  confinement.cpu_seconds =
      static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::seconds>(settings_.deadline).count());
  return confinement;
}

void ChildImport::bury(ReaderProcess process) {
  process.kill();
  if (process.reap().ended) return;
  const auto ending = endings_.insert(endings_.end(), {std::move(process), {}});
  auto exit = loop_.on_readable(ending->process.pidfd().get(), [this, ending] {
    if (ending->process.reap().ended) endings_.erase(ending);
  });
  if (exit) ending->exit = std::move(*exit);  // else make_room() looks after it
}

Status ChildImport::make_room() {
  std::erase_if(readings_, [](const auto& reading) { return reading.expired(); });
  std::erase_if(endings_, [](Ending& ending) { return ending.process.reap().ended; });
  if (readings_.size() + endings_.size() >= settings_.reads) {
    return fail(ErrorKind::busy, "other files are being read: try again when they are done");
  }
  if (closes_under_way() >= kMostCloses) {
    return fail(ErrorKind::busy,
                "files that were imported cannot be closed: their file system does not answer");
  }
  return {};
}

Result<std::shared_ptr<void>> ChildImport::read(Fd file, std::uint64_t size, Done done) {
  ForeignFd foreign(std::move(file));
  if (auto room = make_room(); !room) return std::unexpected(room.error());
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(pipe.error());
  if (auto set = set_nonblocking(pipe->read); !set) return std::unexpected(set.error());
  auto process = ReaderProcess::start(settings_.program, ReaderMode::record, confinement(), foreign.take(),
                                      size, std::move(pipe->write));
  if (!process) return std::unexpected(process.error());
  auto reading =
      std::make_shared<Reading>(*this, std::move(*process), std::move(pipe->read), std::move(done));
  if (auto watched = reading->watch(loop_); !watched) return std::unexpected(watched.error());
  readings_.push_back(reading);
  return reading;
}

Result<Fd> ChildImport::text(const Recording& recording, std::function<void()> ended) {
  if (writings_.size() >= settings_.texts) {
    return fail(ErrorKind::busy, "other recordings are being written as text: try again when they are done");
  }
  auto bytes = recording();
  if (!bytes) return std::unexpected(bytes.error());
  auto file = in_memory(*bytes);
  if (!file) return std::unexpected(file.error());
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(pipe.error());
  auto process = ReaderProcess::start(settings_.program, ReaderMode::text, confinement(), std::move(*file),
                                      bytes->size(), std::move(pipe->write));
  if (!process) return std::unexpected(process.error());
  const auto writing = writings_.insert(writings_.end(), {std::move(*process), {}, std::move(ended)});
  auto exit = loop_.on_readable(writing->process.pidfd().get(), [this, writing] {
    if (!writing->process.reap().ended) return;
    const auto told = std::move(writing->ended);
    writings_.erase(writing);  // free the slot before they are notified
    told();
  });
  if (!exit) {
    bury(std::move(writing->process));
    writings_.erase(writing);
    return std::unexpected(exit.error());
  }
  writing->exit = std::move(*exit);
  return std::move(pipe->read);
}

}  // namespace netperfd::import
