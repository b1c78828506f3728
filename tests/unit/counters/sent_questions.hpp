// SPDX-License-Identifier: GPL-2.0-or-later
// Counts this program's queries to the kernel about TCP connections: the cost of sampling, independent of how
// busy the machine is.
#pragma once

namespace netperfd::counters::test {

struct SentQuestions {
  int for_all = 0;  // dumps of all connections
  int for_one = 0;
};

// Counted by this program's own send(); the tests reset it.
extern SentQuestions sent_questions;

}  // namespace netperfd::counters::test
