// SPDX-License-Identifier: GPL-2.0-or-later
// One process that gives one answer: what it writes until it ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/confined/endings.hpp"
#include "daemon/confined/process.hpp"

namespace netperfd::confined {

class Exchange {
 public:
  enum class How {
    answered,    // it ended by itself, with exit code 0
    gave_up,     // it ended by itself, with `number` as its exit code
    was_killed,  // by the signal `number`
    was_late,    // it ran at the deadline
    said_much,   // its answer exceeds the limit
  };
  struct End {
    How how = How::answered;
    int number = 0;
    std::string answer;  // only if it answered; untrusted
  };
  using Done = std::function<void(End end)>;
  // Called before `done`, for what takes long of a long answer: then in a thread of its own, which outlives
  // the exchange if that is destroyed meanwhile. So it must use nothing that the loop uses.
  using Work = std::function<void(const End& end)>;

  struct Limits {
    std::size_t answer_bytes = 0;
    std::chrono::milliseconds deadline{};
  };

  // Reads `answer`, the end of a pipe that does not block. Calls `done` later, from the loop; the exchange
  // may be destroyed inside it. Destroying it earlier kills the process and drops `done`. `loop` and
  // `endings` must outlive it until then.
  [[nodiscard]] static Result<std::shared_ptr<Exchange>> begin(EventLoop& loop, Endings& endings,
                                                               Process process, Fd answer,
                                                               const Limits& limits, Done done,
                                                               Work work = {});
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  ~Exchange() { cancel(); }

  // Kills the process and drops `done`.
  void cancel();

 private:
  // What a thread works on.
  struct Working {
    End end;
    Work work;
    Fd done;  // an eventfd
  };

  Exchange(EventLoop& loop, Endings& endings, Process process, Fd answer, const Limits& limits, Done done,
           Work work);
  [[nodiscard]] Status watch();
  [[nodiscard]] bool read_more();
  [[nodiscard]] bool is_too_long() const { return bytes_.size() > limits_.answer_bytes; }
  void on_answer();
  void on_exit();
  void give(End end);
  [[nodiscard]] bool work_in_thread(End& end);

  EventLoop& loop_;
  Endings& endings_;
  Limits limits_;
  std::optional<Process> process_;
  Fd answer_;
  Done done_;
  Work work_;
  std::string bytes_;
  bool at_end_ = false;
  std::shared_ptr<Working> working_;
  EventSource readable_, exit_, timer_, worked_;
};

}  // namespace netperfd::confined
