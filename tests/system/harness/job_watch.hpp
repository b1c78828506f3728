// SPDX-License-Identifier: GPL-2.0-or-later
// Observes every change of every job from its creation on, through the daemon's own signals.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/system/harness/bus_client.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {

struct SeenRunEnd {
  std::uint64_t run = 0;
  std::uint64_t job = 0;
  std::string state;
  std::string error;
};

class JobWatch {
 public:
  // Create it before the jobs it is asked about.
  explicit JobWatch(const std::string& bus_address);
  JobWatch(const JobWatch&) = delete;
  JobWatch& operator=(const JobWatch&) = delete;

  // Waits until a run of the job has been in this state; this and the functions below throw if the deadline
  // passes first.
  void wait_for_run_state(std::uint64_t job, const std::string& state);
  // Waits until the job's property Waiting has begun with `text`.
  void wait_for_waiting(std::uint64_t job, const std::string& text);
  // Waits until the job has ended; returns its state.
  std::string wait_for_end(std::uint64_t job);
  // Waits until `count` runs of the job have ended; returns them in order.
  std::vector<SeenRunEnd> wait_for_runs(std::uint64_t job, std::size_t count);
  // Whether a live interval of the job has arrived.
  [[nodiscard]] bool saw_interval(std::uint64_t job);
  // How often TraceProgress has reported this event.
  [[nodiscard]] std::uint64_t traced_events(std::uint64_t job, const std::string& event);
  // States of the job's current run, in the order of their signals.
  [[nodiscard]] const std::vector<std::string>& run_states(std::uint64_t job) {
    return jobs_[job].run_states;
  }

 private:
  struct Job {
    std::vector<std::string> states;  // without repetitions, like `run_states`
    std::vector<std::string> run_states;
    std::vector<std::string> waiting;
    std::vector<SeenRunEnd> runs;
    std::size_t intervals = 0;
    std::map<std::string, std::uint64_t> traced;
  };
  struct Unref {
    void operator()(sd_bus_slot* slot) const { sd_bus_slot_unref(slot); }
  };
  using Slot = std::unique_ptr<sd_bus_slot, Unref>;

  [[nodiscard]] Slot match(const char* rule, sd_bus_message_handler_t handler);
  void process_all();
  void wait_until(const std::function<bool()>& done, const std::string& what);
  void read_properties(std::uint64_t job, sd_bus_message* message);
  void on_changed(sd_bus_message* message);
  void on_added(sd_bus_message* message);
  void on_run_ended(sd_bus_message* message);
  void on_interval(sd_bus_message* message);
  void on_trace(sd_bus_message* message);

  BusClient client_;
  std::map<std::uint64_t, Job> jobs_;
  std::vector<Slot> slots_;
};

}  // namespace netperfd::system_test
