// SPDX-License-Identifier: GPL-2.0-or-later
// Sends calls, several at a time, and judges the answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/fuzz/dbus/introspection.hpp"
#include "tests/fuzz/dbus/large.hpp"
#include "tests/fuzz/dbus/random.hpp"
#include "tests/fuzz/dbus/values.hpp"
#include "tests/system/harness/bus_client.hpp"

namespace netperfd::bus_fuzz {

// Whether it changes something: whatever is not named like a question. A method that is added later counts as
// one that changes until its name says otherwise.
[[nodiscard]] bool changes_something(const Method& method);

struct Caller {
  std::string name;  // "outsider"
  std::unique_ptr<system_test::BusClient> client;
  bool may_change = false;
};

[[nodiscard]] system_test::Message new_call(const system_test::BusClient& client, const Method& method);

// A connection that somebody else has to serve while answers are awaited.
class Beside {
 public:
  virtual ~Beside() = default;
  [[nodiscard]] virtual sd_bus* bus() const = 0;
  // Handles a message that has come; returns whether there was one.
  [[nodiscard]] virtual bool serve() = 0;
};

// Counts of the answers of a method.
struct Answers {
  std::uint64_t replies = 0;
  std::map<std::string, std::uint64_t> errors;  // by name
};

class Calls {
 public:
  Calls(Random& random, Values& values, std::vector<std::string>& findings)
      : random_(random), values_(values), large_(random, values), findings_(findings) {}

  // From now on, while answers are awaited. Null: nobody.
  void serve(Beside* beside) { beside_ = beside; }

  // Each puts a call together, which is sent by send().
  void add(const Caller& caller, const Method& method);
  void add_property(const Caller& caller, const Property& property);
  void add_large(const Caller& caller, const Method& method);
  // Of a method whose first argument are options: so many, all with names of their own.
  void add_options(const Caller& caller, const Method& method, std::size_t options);
  // `what`: for a finding.
  void add_message(const Caller& caller, const Method& method, system_test::Message message,
                   Appended appended = {}, const std::string& what = {});

  void send();
  // Waits for all answers to what was sent. What is not as it must be becomes a finding.
  void wait();

  [[nodiscard]] const std::map<std::string, Answers>& answers() const { return answers_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::uint64_t large() const { return large_count_; }
  [[nodiscard]] std::uint64_t descriptors() const { return descriptors_; }
  // What was sent last, each a line.
  [[nodiscard]] std::string last() const;
  // Something had no answer: further calls would only wait, too.
  [[nodiscard]] bool is_stuck() const { return stuck_; }
  // Of the last message of the daemon's that a caller has received.
  [[nodiscard]] std::uint64_t last_number() const { return last_number_; }

 private:
  struct Call {
    const Caller* caller;
    Method method;
    std::string what;
    system_test::Message message;
    std::vector<Fd> other_ends;  // of pipes, closed when only this is left to be answered
    std::size_t most_bytes = 0;  // that are read of a descriptor in the answer
    std::uint64_t number = 0;
    bool answered = false;
    sd_bus_slot* slot = nullptr;
    Calls* calls = nullptr;
  };
  static int on_answer(sd_bus_message* answer, void* call, sd_bus_error* error);
  [[nodiscard]] Call* next_open(bool with_other_ends);
  void wait_for(bool with_other_ends);
  void judge(const Call& call, sd_bus_message* answer);
  void judge_error(const Call& call, const std::string& name, const std::string& text);
  void read_descriptor(const Call& call, sd_bus_message* answer);
  void found(const Call& call, const std::string& what);
  [[nodiscard]] static std::string text_of(const Call& call);

  Random& random_;
  Values& values_;
  Large large_;
  std::vector<std::string>& findings_;
  Beside* beside_ = nullptr;
  std::vector<std::unique_ptr<Call>> open_;
  std::map<std::string, Answers> answers_;  // by "interface.method"
  std::uint64_t count_ = 0, large_count_ = 0, descriptors_ = 0, last_number_ = 0;
  bool stuck_ = false, were_answered_ = false;
};

// All of what can be read of the descriptor, at most so much; false if nothing more comes and it does not
// end.
[[nodiscard]] bool read_all(int descriptor, std::size_t most_bytes, std::string& bytes);

}  // namespace netperfd::bus_fuzz
