// SPDX-License-Identifier: GPL-2.0-or-later
// The words for a job on the command line: its number, job:NUMBER, or last.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/bus/daemon.hpp"

namespace CLI {
class App;
}

namespace netperfctl {

// The argument JOB; `more` follows what it is.
void add_job(CLI::App& command, std::string& word, const std::string& more = {});

// Which of the caller's jobs is `last`: the newest that has not ended, that or else the newest that has, or
// the newest that has.
enum class LastJob { live, any, ended };
// The number of a job that does not exist is returned as it is.
[[nodiscard]] Outcome<std::uint64_t> job_of_word(Daemon& daemon, const std::string& word,
                                                 LastJob last = LastJob::live);

// Behind the message that there is no job, or no run, of the plain number `word`: what else has the number.
[[nodiscard]] Failure with_other_meaning(Daemon& daemon, Failure failure, const std::string& word,
                                         std::string_view verb);

}  // namespace netperfctl
