// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/call/task.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace netperfd::bus {
namespace {

using Done = std::function<void(const std::string&)>;

// What tasks wait for, and what they have done.
struct Promised {
  std::vector<Done> waiting;
  std::vector<std::string> log;

  void answer(const std::string& value) {
    const Done done = std::move(waiting.back());
    waiting.pop_back();
    done(value);
  }
};

struct Says {
  std::vector<std::string>& log;
  std::string word;
  ~Says() { log.push_back(word); }
};

Task<std::string> ask(Promised& asked, std::string question) {
  const Says end{asked.log, "end of " + question};
  auto answer = later<std::string>([&](const auto& done) { asked.waiting.emplace_back(done); });
  std::string given = co_await answer;
  if (given == "throw") throw std::runtime_error{question};
  co_return given + "!";
}

Task<> ask_twice(Promised& asked) {
  const Says end{asked.log, "end of all"};
  std::string first;
  try {
    first = co_await ask(asked, "first");
  } catch (const std::runtime_error& error) {
    first = std::string{"caught "} + error.what();
  }
  asked.log.push_back(first);
  asked.log.push_back(co_await ask(asked, "second"));
}

TEST(Task, goes_on_where_it_waited_when_the_answer_comes) {
  Promised asked;
  Tasks tasks;
  tasks.start(ask_twice(asked));
  EXPECT_TRUE(asked.log.empty());
  asked.answer("one");
  EXPECT_EQ(asked.log, (std::vector<std::string>{"end of first", "one!"}));
  asked.answer("two");
  EXPECT_EQ(asked.log,
            (std::vector<std::string>{"end of first", "one!", "end of second", "two!", "end of all"}));
}

TEST(Task, passes_an_exception_to_whoever_awaits_it) {
  Promised asked;
  Tasks tasks;
  tasks.start(ask_twice(asked));
  asked.answer("throw");
  EXPECT_EQ(asked.log, (std::vector<std::string>{"end of first", "caught first"}));
  asked.answer("two");
  EXPECT_EQ(asked.log.back(), "end of all");
}

TEST(Task, ends_with_all_its_callers_when_nobody_will_answer) {
  Promised asked;
  Tasks tasks;
  tasks.start(ask_twice(asked));
  asked.answer("one");
  asked.waiting.clear();
  EXPECT_EQ(asked.log, (std::vector<std::string>{"end of first", "one!", "end of second", "end of all"}));
}

TEST(Task, may_be_answered_at_once) {
  std::vector<std::string> log;
  const auto task = [](std::vector<std::string>& to) -> Task<> {
    auto answer = later<std::string>([](const auto& done) { done(std::string{"now"}); });
    to.push_back(co_await answer);
  };
  Tasks tasks;
  tasks.start(task(log));
  EXPECT_EQ(log, std::vector<std::string>{"now"});
}

TEST(Task, has_the_exception_of_a_question_that_cannot_be_asked) {
  std::vector<std::string> log;
  const auto task = [](std::vector<std::string>& to) -> Task<> {
    try {
      auto answer = later<std::string>([](const auto&) { throw std::runtime_error{"too many"}; });
      (void)co_await answer;
    } catch (const std::runtime_error& error) {
      to.emplace_back(error.what());
    }
  };
  Tasks tasks;
  tasks.start(task(log));
  EXPECT_EQ(log, std::vector<std::string>{"too many"});
}

// As the handle of a query that is let go of within its own answer.
TEST(Task, outlives_the_function_that_answers_it) {
  Promised asked;
  const auto task = [](Promised& of) -> Task<> {
    auto answer = later<std::string>([&](const auto& done) { of.waiting.emplace_back(done); });
    const std::string given = co_await answer;
    of.waiting.clear();
    of.log.push_back(given);
  };
  Tasks tasks;
  tasks.start(task(asked));
  asked.waiting.front()("here");
  EXPECT_EQ(asked.log, std::vector<std::string>{"here"});
}

TEST(Task, ends_with_those_that_started_it_though_its_callback_lives_on) {
  Promised asked;
  {
    Tasks tasks;
    tasks.start(ask_twice(asked));
    asked.answer("one");
    EXPECT_EQ(asked.log.back(), "one!");
  }
  const std::vector<std::string> ended{"end of first", "one!", "end of second", "end of all"};
  EXPECT_EQ(asked.log, ended);
  asked.answer("two");
  EXPECT_EQ(asked.log, ended) << "nobody hears it";
}

// As the handle of a process, which keeps the callback, is a variable of the task that waits for it.
TEST(Task, ends_once_if_it_owns_what_it_waits_for) {
  std::vector<std::string> log;
  const auto task = [](std::vector<std::string>& to) -> Task<> {
    const Says end{to, "end"};
    std::vector<Done> kept;
    auto answer = later<std::string>([&](const auto& done) { kept.emplace_back(done); });
    to.push_back(co_await answer);
  };
  {
    Tasks tasks;
    tasks.start(task(log));
    EXPECT_TRUE(log.empty());
  }
  EXPECT_EQ(log, std::vector<std::string>{"end"});
}

TEST(Task, that_nobody_starts_does_nothing) {
  Promised asked;
  {
    const auto task = ask_twice(asked);
  }
  EXPECT_TRUE(asked.log.empty());
  EXPECT_TRUE(asked.waiting.empty());
}

}  // namespace
}  // namespace netperfd::bus
