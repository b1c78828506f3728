// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/job_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace netperfd::system_test {
namespace {

void require(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::generic_category(), what);
}

// The job number of /org/netperfd1/job/NUMBER; 0 for other paths.
std::uint64_t job_of(const char* path) {
  std::string_view text = path != nullptr ? path : "";
  constexpr std::string_view kPrefix = dbus::kJobPathPrefix;
  if (!text.starts_with(kPrefix)) return 0;
  text.remove_prefix(kPrefix.size());
  std::uint64_t job = 0;
  std::from_chars(text.data(), text.data() + text.size(), job);
  return job;
}

bool holds(const std::vector<std::string>& all, const std::string& one) {
  return std::ranges::find(all, one) != all.end();
}

void note(std::vector<std::string>& states, const char* state) {
  if (states.empty() || states.back() != state) states.emplace_back(state);
}

constexpr const char* kChangedRule =
    "type='signal',sender='org.netperfd1',interface='org.freedesktop.DBus.Properties',member='"
    "PropertiesChanged',"
    "path_namespace='/org/netperfd1/job'";
constexpr const char* kAddedRule =
    "type='signal',sender='org.netperfd1',interface='org.freedesktop.DBus.ObjectManager',member='"
    "InterfacesAdded'";
constexpr const char* kRunEndedRule =
    "type='signal',sender='org.netperfd1',interface='org.netperfd1.Manager',member='RunEnded'";
constexpr const char* kIntervalRule =
    "type='signal',sender='org.netperfd1',interface='org.netperfd1.Job',member='Interval'";
constexpr const char* kTraceRule =
    "type='signal',sender='org.netperfd1',interface='org.netperfd1.Job',member='TraceProgress'";

}  // namespace

JobWatch::JobWatch(const std::string& bus_address) : client_(bus_address, User{}) {
  slots_.push_back(match(kChangedRule, [](sd_bus_message* message, void* self, sd_bus_error*) {
    static_cast<JobWatch*>(self)->on_changed(message);
    return 0;
  }));
  slots_.push_back(match(kAddedRule, [](sd_bus_message* message, void* self, sd_bus_error*) {
    static_cast<JobWatch*>(self)->on_added(message);
    return 0;
  }));
  slots_.push_back(match(kRunEndedRule, [](sd_bus_message* message, void* self, sd_bus_error*) {
    static_cast<JobWatch*>(self)->on_run_ended(message);
    return 0;
  }));
  slots_.push_back(match(kIntervalRule, [](sd_bus_message* message, void* self, sd_bus_error*) {
    static_cast<JobWatch*>(self)->on_interval(message);
    return 0;
  }));
  slots_.push_back(match(kTraceRule, [](sd_bus_message* message, void* self, sd_bus_error*) {
    static_cast<JobWatch*>(self)->on_trace(message);
    return 0;
  }));
}

JobWatch::Slot JobWatch::match(const char* rule, sd_bus_message_handler_t handler) {
  sd_bus_slot* slot = nullptr;
  require(sd_bus_add_match(client_.raw(), &slot, rule, handler, this), "sd_bus_add_match");
  return Slot{slot};
}

void JobWatch::wait_for_run_state(std::uint64_t job, const std::string& state) {
  wait_until([&] { return holds(jobs_[job].run_states, state); },
             fmt::format("job {}: no run is {}", job, state));
}

void JobWatch::wait_for_waiting(std::uint64_t job, const std::string& text) {
  const auto begins = [&](const std::string& words) { return words.starts_with(text); };
  wait_until([&] { return std::ranges::any_of(jobs_[job].waiting, begins); },
             fmt::format("job {}: it does not wait with \"{}\"", job, text));
}

std::string JobWatch::wait_for_end(std::uint64_t job) {
  const auto ended = [&] {
    const auto& states = jobs_[job].states;
    return !states.empty() && states.back() != "pending" && states.back() != "running";
  };
  wait_until(ended, fmt::format("job {} does not end", job));
  return jobs_[job].states.back();
}

std::vector<SeenRunEnd> JobWatch::wait_for_runs(std::uint64_t job, std::size_t count) {
  wait_until([&] { return jobs_[job].runs.size() >= count; },
             fmt::format("job {}: no {} runs have ended", job, count));
  return jobs_[job].runs;
}

bool JobWatch::saw_interval(std::uint64_t job) {
  process_all();
  return jobs_[job].intervals > 0;
}

std::uint64_t JobWatch::traced_events(std::uint64_t job, const std::string& event) {
  process_all();
  return jobs_[job].traced[event];
}

void JobWatch::process_all() {
  for (;;) {
    const int more = sd_bus_process(client_.raw(), nullptr);
    require(more, "sd_bus_process");
    if (more == 0) return;
  }
}

void JobWatch::wait_until(const std::function<bool()>& done, const std::string& what) {
  const Deadline deadline;
  for (;;) {
    process_all();
    if (done()) return;
    if (deadline.has_passed()) {
      std::string story = fmt::format("{} in time", what);
      for (const auto& [id, job] : jobs_) {
        story += fmt::format("\njob {}: states {}; run states {}", id, fmt::join(job.states, ", "),
                             fmt::join(job.run_states, ", "));
      }
      throw std::runtime_error(story);
    }
    pollfd watched{sd_bus_get_fd(client_.raw()), static_cast<short>(sd_bus_get_events(client_.raw())), 0};
    if (::poll(&watched, 1, deadline.poll_timeout()) < 0 && errno != EINTR) require(-errno, "poll");
  }
}

// `message` is positioned at the a{sv} of org.netperfd1.Job's properties.
void JobWatch::read_properties(std::uint64_t job, sd_bus_message* message) {
  require(sd_bus_message_enter_container(message, 'a', "{sv}"), "properties");
  while (sd_bus_message_enter_container(message, 'e', "sv") > 0) {
    const char* name = nullptr;
    require(sd_bus_message_read(message, "s", &name), "property");
    const std::string_view key = name;
    if (key == "State" || key == "RunState" || key == "Waiting") {
      const char* value = nullptr;
      require(sd_bus_message_read(message, "v", "s", &value), name);
      Job& seen = jobs_[job];
      note(key == "State" ? seen.states : key == "RunState" ? seen.run_states : seen.waiting, value);
    } else {
      require(sd_bus_message_skip(message, "v"), name);
    }
    require(sd_bus_message_exit_container(message), "property");
  }
  require(sd_bus_message_exit_container(message), "properties");
}

void JobWatch::on_changed(sd_bus_message* message) {
  const char* interface = nullptr;
  require(sd_bus_message_read(message, "s", &interface), "PropertiesChanged");
  if (std::string_view{interface} != dbus::kJobInterface) return;
  read_properties(job_of(sd_bus_message_get_path(message)), message);
}

void JobWatch::on_added(sd_bus_message* message) {
  const char* path = nullptr;
  require(sd_bus_message_read(message, "o", &path), "InterfacesAdded");
  require(sd_bus_message_enter_container(message, 'a', "{sa{sv}}"), "InterfacesAdded");
  while (sd_bus_message_enter_container(message, 'e', "sa{sv}") > 0) {
    const char* interface = nullptr;
    require(sd_bus_message_read(message, "s", &interface), "InterfacesAdded");
    if (std::string_view{interface} == dbus::kJobInterface) {
      read_properties(job_of(path), message);
    } else {
      require(sd_bus_message_skip(message, "a{sv}"), "InterfacesAdded");
    }
    require(sd_bus_message_exit_container(message), "InterfacesAdded");
  }
}

void JobWatch::on_run_ended(sd_bus_message* message) {
  SeenRunEnd end;
  const char* state = nullptr;
  const char* error = nullptr;
  require(sd_bus_message_read(message, "ttss", &end.run, &end.job, &state, &error), "RunEnded");
  end.state = state;
  end.error = error;
  jobs_[end.job].runs.push_back(std::move(end));
}

void JobWatch::on_interval(sd_bus_message* message) {
  ++jobs_[job_of(sd_bus_message_get_path(message))].intervals;
}

void JobWatch::on_trace(sd_bus_message* message) {
  Job& job = jobs_[job_of(sd_bus_message_get_path(message))];
  require(sd_bus_message_skip(message, "td"), "TraceProgress");
  require(sd_bus_message_enter_container(message, 'a', "{st}"), "TraceProgress");
  const char* event = nullptr;
  std::uint64_t count = 0;
  while (sd_bus_message_read(message, "{st}", &event, &count) > 0) job.traced[event] += count;
  require(sd_bus_message_exit_container(message), "TraceProgress");
}

}  // namespace netperfd::system_test
