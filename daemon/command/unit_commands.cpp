// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/unit_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/command/command_end.hpp"
#include "daemon/command/kill_units.hpp"
#include "daemon/command/output_tail.hpp"
#include "daemon/command/systemd_manager.hpp"
#include "daemon/command/unit_calls.hpp"
#include "daemon/command/unit_names.hpp"
#include "daemon/command/unit_properties.hpp"

namespace netperfd::command {
namespace {

constexpr const char* kKindOfCommands = "command";

// Time from SIGTERM to SIGKILL.
constexpr std::chrono::seconds kStopTimeout{5};
// How long to wait for systemd's report after it should have ended the command.
constexpr std::chrono::seconds kPatience{20};

// systemd.exec(5): the process could not execute the program.
constexpr int kExitExec = 203;

std::uint64_t microseconds(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(std::chrono::microseconds{time}.count());
}

// DefaultDependencies is off because the way back must also work while the host shuts down.
std::vector<UnitProperty> properties_of_command(const std::vector<std::string>& argv,
                                                std::chrono::milliseconds timeout, const Fd& output) {
  return {
      {"Description", fmt::format("Command of a netperfd design: {}", fmt::join(argv, " "))},
      {"Type", std::string("oneshot")},
      {"DefaultDependencies", false},
      {"CollectMode", std::string("inactive-or-failed")},
      {"AddRef", true},
      {"KillMode", std::string("control-group")},
      {"TimeoutStartUSec", microseconds(timeout)},
      {"TimeoutStopUSec", microseconds(kStopTimeout)},
      {"Environment", std::vector<std::string>{kPathVariable, kLocaleVariable}},
      {"StandardOutputFileDescriptor", UnitDescriptor{output.get()}},
      {"StandardErrorFileDescriptor", UnitDescriptor{output.get()}},
      {"ExecStartEx", UnitExec{argv}},
  };
}

}  // namespace

class UnitCommands::Unit final : public core::ActiveCommand {
 public:
  using Done = std::function<void(const core::CommandEnd&)>;

  Unit(UnitCommands& owner, std::string name, std::chrono::milliseconds timeout, Done done)
      : owner_(owner), name_(std::move(name)), timeout_(timeout), done_(std::move(done)) {}
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  ~Unit() override {
    if (!asked_) return;
    if (!ended_) tell(bus(), "StopUnit", {name_, "replace"});
    tell(bus(), "UnrefUnit", {name_});
  }

  [[nodiscard]] Status start(const std::vector<std::string>& argv);

 private:
  [[nodiscard]] sd_bus* bus() { return owner_.connection_.get(); }
  [[nodiscard]] Status watch(const Fd& output);
  [[nodiscard]] Status ask(const std::vector<std::string>& argv, const Fd& output);
  void ask_for_end();
  void give(const core::CommandEnd& end);
  [[nodiscard]] core::CommandEnd end_of(const UnitReport& end) const;

  static int on_started(sd_bus_message* reply, void* unit, sd_bus_error*);
  static int on_job_removed(sd_bus_message* signal, void* unit, sd_bus_error*);
  static int on_end(sd_bus_message* reply, void* unit, sd_bus_error*);

  UnitCommands& owner_;
  std::string name_;
  std::chrono::milliseconds timeout_;
  Done done_;
  bool asked_ = false;   // systemd was asked to start it
  bool ended_ = false;   // there is nothing to stop
  std::string job_end_;  // "done", "failed", "canceled"...
  Fd output_;
  OutputTail tail_;
  EventSource output_source_, timer_;
  Slot started_, job_removed_, end_;
};

Status UnitCommands::Unit::start(const std::vector<std::string>& argv) {
  auto pipe = make_pipe();
  if (!pipe) return std::unexpected(std::move(pipe.error()));
  if (auto set = set_nonblocking(pipe->read); !set) return set;
  if (auto watched = watch(pipe->read); !watched) return watched;
  output_ = std::move(pipe->read);
  return ask(argv, pipe->write);
}

Status UnitCommands::Unit::watch(const Fd& output) {
  auto readable = owner_.loop_.on_readable(output.get(), [this] {
    if (!read_into(tail_, output_)) output_source_.reset();
  });
  if (!readable) return std::unexpected(std::move(readable.error()));
  output_source_ = std::move(*readable);
  auto timer = owner_.loop_.after(timeout_ + kStopTimeout + kPatience,
                                  [this] { give(failed("systemd does not say how it ended", tail_)); });
  if (!timer) return std::unexpected(std::move(timer.error()));
  timer_ = std::move(*timer);
  sd_bus_slot* slot = nullptr;
  if (const int r = sd_bus_match_signal_async(bus(), &slot, kService, kPath, kManager, "JobRemoved",
                                              on_job_removed, nullptr, this);
      r < 0) {
    return fail_errno("sd_bus_match_signal_async JobRemoved", -r);
  }
  job_removed_.reset(slot);
  // systemd sends JobRemoved only if there is a subscriber.
  tell(bus(), "Subscribe", {});
  return {};
}

Status UnitCommands::Unit::ask(const std::vector<std::string>& argv, const Fd& output) {
  const auto properties = properties_of_command(argv, timeout_, output);
  if (auto asked = start_unit(bus(), started_, name_, properties, on_started, this); !asked) return asked;
  asked_ = true;
  return {};
}

int UnitCommands::Unit::on_started(sd_bus_message* reply, void* unit, sd_bus_error*) {
  auto* self = static_cast<Unit*>(unit);
  // The unit must still be stopped: a late answer is an error too.
  if (sd_bus_message_is_method_error(reply, nullptr) == 0) return 0;
  const sd_bus_error& error = *sd_bus_message_get_error(reply);
  core::CommandEnd end = failed(fmt::format("systemd did not start it: {}", words_of(error)), self->tail_);
  // An answer of systemd itself, not of a connection that may have lost one.
  end.ran = error.name == nullptr || !std::string_view(error.name).starts_with("org.freedesktop.systemd1.");
  self->give(end);
  return 0;
}

int UnitCommands::Unit::on_job_removed(sd_bus_message* signal, void* unit, sd_bus_error*) {
  auto* self = static_cast<Unit*>(unit);
  std::uint32_t number = 0;
  const char* job = nullptr;
  const char* name = nullptr;
  const char* result = nullptr;
  if (sd_bus_message_read(signal, "uoss", &number, &job, &name, &result) < 0) return 0;
  if (self->ended_ || self->name_ != name) return 0;
  self->ended_ = true;
  self->job_end_ = result;
  self->ask_for_end();
  return 0;
}

void UnitCommands::Unit::ask_for_end() {
  if (const int r = ask_service(bus(), end_, name_, on_end, this); r < 0)
    give(failed(fail_errno("its end is not known", -r).error().message, tail_));
}

int UnitCommands::Unit::on_end(sd_bus_message* reply, void* unit, sd_bus_error*) {
  auto* self = static_cast<Unit*>(unit);
  // All of its output is in the pipe by now, but the loop may not have read it yet.
  (void)read_into(self->tail_, self->output_);
  UnitReport end;
  if (sd_bus_message_is_method_error(reply, nullptr) != 0) {
    self->give(failed(fmt::format("its end is not known: {}", words_of(*sd_bus_message_get_error(reply))),
                      self->tail_));
  } else if (const int r = read_report(reply, end); r < 0) {
    self->give(failed(fail_errno("its end is not known", -r).error().message, self->tail_));
  } else {
    self->give(self->end_of(end));
  }
  return 0;
}

core::CommandEnd UnitCommands::Unit::end_of(const UnitReport& end) const {
  if (end.result == "timeout") return failed(timeout_words(timeout_), tail_);
  if (end.main.code == CLD_KILLED || end.main.code == CLD_DUMPED)
    return failed(signal_words(end.main.status), tail_);
  if (end.main.code == CLD_EXITED && end.main.status == kExitExec) {
    core::CommandEnd ended = failed(exit_words(end.main.status) + " (it could not be run)", tail_);
    ended.ran = !tail_.last_line().empty();  // who says something, ran, and ended so of its own
    return ended;
  }
  if (end.main.code == CLD_EXITED && end.main.status != 0) return failed(exit_words(end.main.status), tail_);
  if (end.main.code == CLD_EXITED && end.result == "success" && job_end_ == "done") return {};
  return failed(fmt::format("systemd says {}, and {} of its start", end.result, job_end_), tail_);
}

void UnitCommands::Unit::give(const core::CommandEnd& end) {
  timer_.reset();
  output_source_.reset();
  if (!done_) return;
  // The owner may destroy this object inside the call.
  const auto done = std::move(done_);
  done(end);
}

Result<std::unique_ptr<core::ActiveCommand>> UnitCommands::start(
    const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
    std::function<void(const core::CommandEnd&)> done) {
  if (auto connected = connection_.open(); !connected) return std::unexpected(std::move(connected.error()));
  auto unit = std::make_unique<Unit>(*this, unit_name(kKindOfCommands, owner_, ::getpid(), ++last_number_),
                                     timeout, std::move(done));
  if (auto started = unit->start(argv); !started) return std::unexpected(std::move(started.error()));
  return unit;
}

Status UnitCommands::end_those_of_others() {
  return kill_units(units_of(kKindOfCommands, owner_), kPatience);
}

}  // namespace netperfd::command
