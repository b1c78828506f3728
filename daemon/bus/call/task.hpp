// SPDX-License-Identifier: GPL-2.0-or-later
// Coroutines for methods that wait, for the bus, polkit or a process: their code reads from top to bottom.
//
// Everything runs on the thread of the loop. A task begins when it is awaited or started. While it waits, it
// belongs to the callback that it waits for: whoever drops the callback uncalled ends the task, with all its
// callers, and the destructors of their variables run. So does the end of the Tasks that it was started by.
//
// GCC 12 destroys an aggregate that is made within a co_await twice: such an argument is made before it.
#pragma once

#include <coroutine>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <utility>

namespace netperfd::bus {

template <class Value>
class Task;

namespace detail {

struct Promise {
  // At the end of a task, whoever awaits it goes on.
  struct AtEnd {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Ended>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Ended> task) const noexcept {
      return task.promise().waiting;
    }
    void await_resume() const noexcept {}
  };

  static std::suspend_always initial_suspend() noexcept { return {}; }
  static AtEnd final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }

  std::coroutine_handle<> waiting = std::noop_coroutine();
  std::weak_ptr<void> outermost;  // the started task, which owns all others
  std::exception_ptr error;
};

template <class Value>
struct PromiseOf : Promise {
  Task<Value> get_return_object();
  void return_value(Value given) { value.emplace(std::move(given)); }
  Value take() { return std::move(*value); }
  std::optional<Value> value;
};

template <>
struct PromiseOf<void> : Promise {
  Task<void> get_return_object();
  void return_void() {}
  void take() {}
};

}  // namespace detail

template <class Value = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::PromiseOf<Value>;
  using Frame = std::coroutine_handle<promise_type>;

  explicit Task(Frame frame) : frame_(frame) {}
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Task& operator=(Task&&) = delete;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (frame_) frame_.destroy();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Awaiting>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Awaiting> task) noexcept {
    frame_.promise().waiting = task;
    frame_.promise().outermost = task.promise().outermost;
    return frame_;
  }
  Value await_resume() {
    if (frame_.promise().error) std::rethrow_exception(frame_.promise().error);
    return frame_.promise().take();
  }

 private:
  friend class Tasks;
  Frame frame_;
};

namespace detail {

template <class Value>
Task<Value> PromiseOf<Value>::get_return_object() {
  return Task<Value>{std::coroutine_handle<PromiseOf>::from_promise(*this)};
}
inline Task<void> PromiseOf<void>::get_return_object() {
  return Task<void>{std::coroutine_handle<PromiseOf>::from_promise(*this)};
}

}  // namespace detail

// The tasks that one owner has started and that wait. They end with it: what they wait for may outlive what
// they use.
class Tasks {
 public:
  Tasks() = default;
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  ~Tasks() {
    while (!started_.empty()) {
      const auto first = started_.begin();
      const auto task = first->second.lock();
      started_.erase(first);
      if (task) task->end();
    }
  }

  // Runs the task until it first waits; then the callback owns it. It must not end by an exception.
  void start(Task<> task) {
    const auto outermost = std::make_shared<Started>(*this, std::move(task));
    started_[outermost.get()] = outermost;
    outermost->run(outermost);
  }

 private:
  class Started {
   public:
    Started(Tasks& of, Task<> task) : of_(&of), task_(std::move(task)) {}
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;
    ~Started() {
      if (of_ != nullptr) of_->started_.erase(this);
    }

    void run(const std::shared_ptr<Started>& self) {
      task_.frame_.promise().outermost = self;
      task_.frame_.resume();
    }
    void end() {
      of_ = nullptr;
      std::exchange(task_.frame_, {}).destroy();
    }

   private:
    Tasks* of_;  // null once they have ended
    Task<> task_;
  };

  std::map<const Started*, std::weak_ptr<Started>> started_;
};

// What a callback is called with. `co_await` calls `begin(done)` and waits until the function object `done`,
// which may be copied, is called with a Value: at once or later, once. An exception of `begin` is that of
// `co_await`.
template <class Value, class Begin>
class Later {
 public:
  explicit Later(Begin begin) : begin_(std::move(begin)) {}
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  ~Later() { shared_->waits = false; }  // with the task, which may end before it is called

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Awaiting>
  bool await_suspend(std::coroutine_handle<Awaiting> task) {
    begin_([shared = shared_, task, outermost = task.promise().outermost.lock()](const Value& value) {
      // Going on may destroy this function object.
      const auto state = shared;
      const auto kept = outermost;
      const auto waiting = task;
      state->value.emplace(value);
      if (state->waits) waiting.resume();
    });
    shared_->waits = !shared_->value;
    return shared_->waits;
  }
  Value await_resume() { return std::move(*shared_->value); }

 private:
  struct Shared {
    std::optional<Value> value;
    bool waits = false;
  };
  Begin begin_;
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

template <class Value, class Begin>
[[nodiscard]] Later<Value, Begin> later(Begin begin) {
  return Later<Value, Begin>{std::move(begin)};
}

}  // namespace netperfd::bus
