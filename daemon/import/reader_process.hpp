// One process of reader.hpp, from its start to its reaped end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/import/reader.hpp"

namespace netperfd::import {

// The destructor kills the process, and reaps it only if it has ended by then: even SIGKILL does not end a
// process that waits for a file system in user space. Create it on the main thread: the kernel sends the
// death signal when the thread that spawned the process ends.
class ReaderProcess {
 public:
  // `program` hands kReaderFlag to run_reader(); both descriptors are the process's alone afterwards. Never
  // waits for the file `in`, whose size was found to be `in_bytes`.
  [[nodiscard]] static Result<ReaderProcess> start(const std::string& program, ReaderMode mode,
                                                   Confinement confinement, Fd in, std::uint64_t in_bytes,
                                                   Fd out);
  ReaderProcess(ReaderProcess&& other) noexcept;
  ReaderProcess& operator=(ReaderProcess&&) = delete;
  ReaderProcess(const ReaderProcess&) = delete;
  ReaderProcess& operator=(const ReaderProcess&) = delete;
  ~ReaderProcess();

  // Readable once it has ended.
  [[nodiscard]] const Fd& pidfd() const { return pidfd_; }
  void kill();

  struct End {
    bool ended = false;  // false: it still runs
    int exit_code = 0;
    int signal_number = 0;  // 0: it ended by itself
  };
  [[nodiscard]] End reap();  // of one that was reaped already: ended

 private:
  explicit ReaderProcess(pid_t pid) : pid_(pid) {}
  pid_t pid_ = -1;  // -1: reaped
  Fd pidfd_;
};

}  // namespace netperfd::import
