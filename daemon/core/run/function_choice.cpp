// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/run/function_choice.hpp"

#include <algorithm>
#include <utility>

#include "daemon/analysis/compare/function_match.hpp"

namespace netperfd::core {
namespace {

std::vector<analysis::FunctionKey> keys_of(const std::vector<std::string>& functions) {
  std::vector<analysis::FunctionKey> keys;
  for (const std::string& function : functions) keys.push_back({function, {}});
  return keys;
}

}  // namespace

std::vector<std::string> functions_of_one_side(const std::vector<std::string>& a,
                                               const std::vector<std::string>& b) {
  std::vector<std::string> lonely;
  const analysis::FunctionLists list_a{keys_of(a)}, list_b{keys_of(b)};
  for (auto& function : analysis::match_functions(list_a, list_b).functions) {
    const bool is_lonely = function.match == FunctionMatch::only_a || function.match == FunctionMatch::only_b;
    if (is_lonely) lonely.push_back(std::move(function.name));
  }
  std::ranges::sort(lonely);
  return lonely;
}

void set_budget(const JobBudget& chosen, TraceSpec& trace) {
  trace.function_graph->over_budget = over_budget(chosen);
  trace.function_graph->not_counted = chosen.budget.failure.value_or("");
}

void FunctionChoice::make(const Slot& last, Sides::Done done) {
  done_ = std::move(done);
  if (sides_ == nullptr) return look([this] { choose(); });
  Slot other = last;
  other.variant = last.variant == 'A' ? 'B' : 'A';
  other.letter = 0;
  sides_->bring(other, [this, last](const Status& there) {
    if (!there || sides_->gave_up()) return finish(there);
    look([this, last] {
      sides_->bring(last, [this](const Status& back) {
        if (!back || sides_->gave_up()) return finish(back);
        look([this] { choose(); });
      });
    });
  });
}

void FunctionChoice::look(std::function<void()> next) {
  if (sides_ != nullptr) {
    functions_.push_back(ports_.tracer.functions(*job_.trace).value_or(std::vector<std::string>{}));
  }
  if (!counts_ || !failure_.empty()) return next();
  counter_ = std::make_unique<CallCounter>(ports_, job_);
  counter_->count([this, next = std::move(next)](Result<analysis::CallCount> count) {
    missed_server_ = missed_server_ || counter_->missed_server();
    counter_.reset();  // what comes next may claim tracefs again
    if (given_up_) return finish({});
    if (count) {
      calls_.push_back(std::move(*count));
    } else {
      failure_ = count.error().message;
    }
    next();
  });
}

void FunctionChoice::leave_out_lonely() {
  const bool known = std::ranges::none_of(functions_, &std::vector<std::string>::empty);
  if (functions_.size() != 2 || !known) return;
  auto& left_out = job_.trace->function_graph->left_out;
  left_out = functions_of_one_side(functions_.front(), functions_.back());
  for (analysis::CallCount& side : calls_) {
    for (const std::string& name : left_out) {
      if (side.calls.erase(name) == 0 && side.uncalled > 0) --side.uncalled;
    }
  }
}

void FunctionChoice::choose() {
  leave_out_lonely();
  if (!counts_) return finish({});
  apply_budget();
  if (job_.trace->function_graph->over_budget.empty()) return finish({});
  counter_ = std::make_unique<CallCounter>(ports_, job_);
  counter_->count([this](const Result<analysis::CallCount>& count) {
    counter_.reset();
    if (count && !given_up_) {
      analysis::correct(calls_, *count);
      apply_budget();
    }
    finish({});
  });
}

void FunctionChoice::apply_budget() {
  JobBudget& chosen = budget_.emplace();
  chosen.budget.asked = *job_.trace->budget;
  if (!failure_.empty()) {
    chosen.budget.failure = failure_;
  } else {
    auto choice = analysis::choose_functions(calls_, chosen.budget.asked);
    chosen.budget.predicted = choice.predicted;
    for (const analysis::CallCount& side : calls_) {
      chosen.budget.window_s = std::max(chosen.budget.window_s.value_or(0), side.window_s);
    }
    chosen.functions = std::move(choice.functions);
  }
  set_budget(chosen, *job_.trace);
}

void FunctionChoice::give_up() {
  given_up_ = true;
  if (counter_) {
    counter_->cancel();
  } else if (sides_ != nullptr) {
    sides_->give_up();
  }
}

void FunctionChoice::finish(const Status& status) {
  std::exchange(done_, nullptr)(status);
}

}  // namespace netperfd::core
