// SPDX-License-Identifier: GPL-2.0-or-later
// The result of the client's work: the exit code and, if it is an error, the message for the user.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace netperfctl {

// client/base/exit_codes.cpp says what each means to users.
enum class Exit : int {
  ok = 0,
  other = 1,        // what has no code of its own
  usage = 2,        // the command line or the job is wrong; nothing was changed
  unreachable = 3,  // no daemon on the bus, or it went away
  denied = 4,
  not_found = 5,
  inconclusive = 6,  // a comparison gave no answer: inconclusive, too few or refused
  run_failed = 7,
  regression = 8,     // a comparison found one
  quota = 9,          // this user has as much as one user may have
  canceled = 10,      // somebody canceled the job
  difference = 11,    // a self-test found one between two equal sides
  damaged = 12,       // the store is
  interrupted = 130,  // Ctrl-C, as a shell has it
};

// The step at which a call to the daemon failed, for `doctor`.
enum class Step {
  asked,    // the daemon answered, or was not needed
  bus,      // there is no system bus
  user,     // the bus does not let this user in
  policy,   // the bus, or the daemon, refuses the call
  no_name,  // nobody is on the bus under its name, and nothing is there to start it
  start,    // it could not be started
  answer,   // it did not answer, or left
};

struct Failure {
  Exit exit = Exit::other;
  std::string message;  // for a person; may hold control characters of whoever wrote it
  Step step = Step::asked;
  std::string cause;           // `message` without advice, where `step` is not asked
  bool needs_person = false;   // it was denied, but an administrator's password would help
  bool may_be_forced = false;  // it was refused because it cannot end in an answer
};

template <class T>
using Outcome = std::expected<T, Failure>;

[[nodiscard]] inline std::unexpected<Failure> fail(Exit exit, std::string message) {
  return std::unexpected(Failure{exit, std::move(message), Step::asked, {}});
}

}  // namespace netperfctl
