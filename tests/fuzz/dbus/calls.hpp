// SPDX-License-Identifier: GPL-2.0-or-later
// Sends calls, several at a time, and judges the answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/dbus/introspection.hpp"
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

// Counts of the answers of a method.
struct Answers {
  std::uint64_t replies = 0;
  std::map<std::string, std::uint64_t> errors;  // by name
};

class Calls {
 public:
  Calls(Values& values, std::vector<std::string>& findings) : values_(values), findings_(findings) {}

  // Puts a call of the method together; it is sent by flush().
  void add(const Caller& caller, const Method& method);
  void add_property(const Caller& caller, const Property& property);
  // Sends what was added and waits for all answers. What is not as it must be becomes a finding.
  void flush();

  [[nodiscard]] const std::map<std::string, Answers>& answers() const { return answers_; }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  struct Call {
    const Caller* caller;
    Method method;
    system_test::Message message;
    bool answered = false;
    sd_bus_slot* slot = nullptr;
    Calls* calls = nullptr;
  };
  static int on_answer(sd_bus_message* answer, void* call, sd_bus_error* error);
  void judge(const Call& call, sd_bus_message* answer);
  void judge_error(const Call& call, const std::string& name, const std::string& text);
  void found(const Call& call, const std::string& what);
  void add_message(const Caller& caller, const Method& method, system_test::Message message);

  Values& values_;
  std::vector<std::string>& findings_;
  std::vector<std::unique_ptr<Call>> open_;
  std::map<std::string, Answers> answers_;  // by "interface.method"
  std::uint64_t count_ = 0;
};

}  // namespace netperfd::bus_fuzz
