// What this program asks kernels about their TCP connections: the cost of sampling that does not depend on
// how busy the machine is.
#pragma once

namespace netperfd::counters::test {

struct SentQuestions {
  int for_all = 0;  // dumps of all connections
  int for_one = 0;
};

// Counted by this program's own send(); the tests set it back.
extern SentQuestions sent_questions;

}  // namespace netperfd::counters::test
