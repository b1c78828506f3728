// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/unit_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/base/fd.hpp"
#include "daemon/command/command_end.hpp"
#include "daemon/command/kill_units.hpp"
#include "daemon/command/output_tail.hpp"
#include "daemon/command/systemd_manager.hpp"

namespace netperfd::command {
namespace {

// Time from SIGTERM to SIGKILL.
constexpr std::chrono::seconds kStopTimeout{5};
// How long to wait for systemd's report after it should have ended the command.
constexpr std::chrono::seconds kPatience{20};

// systemd.exec(5): the process could not execute the program.
constexpr int kExitExec = 203;

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::uint64_t microseconds(std::chrono::milliseconds time) {
  return static_cast<std::uint64_t>(std::chrono::microseconds{time}.count());
}

// Calls a method of the manager and ignores the answer.
void tell(sd_bus* bus, const char* method, const std::vector<std::string>& words) {
  sd_bus_message* raw = nullptr;
  if (sd_bus_message_new_method_call(bus, &raw, kService, kPath, kManager, method) < 0) return;
  const Message message{raw};
  for (const std::string& word : words) {
    if (sd_bus_message_append(raw, "s", word.c_str()) < 0) return;
  }
  (void)sd_bus_message_set_expect_reply(raw, 0);
  (void)sd_bus_send(bus, raw, nullptr);
}

// ExecStartEx, since ExecStart would replace words like $HOME from the manager's environment.
int append_exec(sd_bus_message* message, const std::vector<std::string>& argv) {
  int r = sd_bus_message_open_container(message, 'r', "sv");
  if (r >= 0) r = sd_bus_message_append(message, "s", "ExecStartEx");
  if (r >= 0) r = sd_bus_message_open_container(message, 'v', "a(sasas)");
  if (r >= 0) r = sd_bus_message_open_container(message, 'a', "(sasas)");
  if (r >= 0) r = sd_bus_message_open_container(message, 'r', "sasas");
  if (r >= 0) r = sd_bus_message_append(message, "s", argv.front().c_str());
  if (r >= 0) r = sd_bus_message_open_container(message, 'a', "s");
  for (const std::string& word : argv) {
    if (r >= 0) r = sd_bus_message_append(message, "s", word.c_str());
  }
  if (r >= 0) r = sd_bus_message_close_container(message);
  if (r >= 0) r = sd_bus_message_append(message, "as", 1, "no-env-expand");
  for (int depth = 0; depth < 4; ++depth) {
    if (r >= 0) r = sd_bus_message_close_container(message);
  }
  return r;
}

// DefaultDependencies is off because the way back must also work while the host shuts down.
int append_properties(sd_bus_message* message, const std::vector<std::string>& argv,
                      std::chrono::milliseconds timeout, const Fd& output) {
  const std::string description = fmt::format("Command of a netperfd design: {}", fmt::join(argv, " "));
  int r = sd_bus_message_open_container(message, 'a', "(sv)");
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "Description", "s", description.c_str());
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "Type", "s", "oneshot");
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "DefaultDependencies", "b", 0);
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "CollectMode", "s", "inactive-or-failed");
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "AddRef", "b", 1);
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "KillMode", "s", "control-group");
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "TimeoutStartUSec", "t", microseconds(timeout));
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "TimeoutStopUSec", "t", microseconds(kStopTimeout));
  if (r >= 0)
    r = sd_bus_message_append(message, "(sv)", "Environment", "as", 2, kPathVariable, kLocaleVariable);
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "StandardOutputFileDescriptor", "h", output.get());
  if (r >= 0) r = sd_bus_message_append(message, "(sv)", "StandardErrorFileDescriptor", "h", output.get());
  if (r >= 0) r = append_exec(message, argv);
  if (r >= 0) r = sd_bus_message_close_container(message);
  return r;
}

// systemd's report on an ended unit.
struct UnitEnd {
  std::string result;  // of the service: "success", "exit-code", "signal", "timeout"...
  int code = 0;        // as of siginfo_t: CLD_EXITED...
  int status = 0;      // an exit code or a signal
};

int read_end(sd_bus_message* message, UnitEnd& end) {
  int r = sd_bus_message_enter_container(message, 'a', "{sv}");
  while (r >= 0 && (r = sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
    const char* name = nullptr;
    r = sd_bus_message_read(message, "s", &name);
    if (r < 0) return r;
    const std::string_view key{name};
    if (key == "Result") {
      const char* result = nullptr;
      r = sd_bus_message_read(message, "v", "s", &result);
      if (r >= 0) end.result = result;
    } else if (key == "ExecMainCode") {
      r = sd_bus_message_read(message, "v", "i", &end.code);
    } else if (key == "ExecMainStatus") {
      r = sd_bus_message_read(message, "v", "i", &end.status);
    } else {
      r = sd_bus_message_skip(message, "v");
    }
    if (r >= 0) r = sd_bus_message_exit_container(message);
  }
  return r;
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
  [[nodiscard]] sd_bus* bus() const { return owner_.bus_->get(); }
  [[nodiscard]] Status watch(const Fd& output);
  [[nodiscard]] Status ask(const std::vector<std::string>& argv, const Fd& output);
  void ask_for_end();
  void give(const core::CommandEnd& end);
  [[nodiscard]] core::CommandEnd end_of(const UnitEnd& end) const;

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
  sd_bus_message* raw = nullptr;
  int r = sd_bus_message_new_method_call(bus(), &raw, kService, kPath, kManager, "StartTransientUnit");
  const Message message{raw};
  if (r >= 0) r = sd_bus_message_append(raw, "ss", name_.c_str(), "replace");
  if (r >= 0) r = append_properties(raw, argv, timeout_, output);
  if (r >= 0) r = sd_bus_message_append(raw, "a(sa(sv))", 0);
  sd_bus_slot* slot = nullptr;
  if (r >= 0) r = sd_bus_call_async(bus(), &slot, raw, on_started, this, 0);
  if (r < 0) return fail_errno("StartTransientUnit", -r);
  started_.reset(slot);
  asked_ = true;
  return {};
}

int UnitCommands::Unit::on_started(sd_bus_message* reply, void* unit, sd_bus_error*) {
  auto* self = static_cast<Unit*>(unit);
  // The unit must still be stopped: a late answer is an error too.
  if (sd_bus_message_is_method_error(reply, nullptr) == 0) return 0;
  self->give(failed(fmt::format("systemd did not start it: {}", words_of(*sd_bus_message_get_error(reply))),
                    self->tail_));
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
  char* path = nullptr;
  int r = sd_bus_path_encode("/org/freedesktop/systemd1/unit", name_.c_str(), &path);
  const std::unique_ptr<char, Free> owned{path};
  sd_bus_slot* slot = nullptr;
  if (r >= 0) {
    r = sd_bus_call_method_async(bus(), &slot, kService, path, "org.freedesktop.DBus.Properties", "GetAll",
                                 on_end, this, "s", "org.freedesktop.systemd1.Service");
  }
  if (r < 0) return give(failed(fail_errno("its end is not known", -r).error().message, tail_));
  end_.reset(slot);
}

int UnitCommands::Unit::on_end(sd_bus_message* reply, void* unit, sd_bus_error*) {
  auto* self = static_cast<Unit*>(unit);
  // All of its output is in the pipe by now, but the loop may not have read it yet.
  (void)read_into(self->tail_, self->output_);
  UnitEnd end;
  if (sd_bus_message_is_method_error(reply, nullptr) != 0) {
    self->give(failed(fmt::format("its end is not known: {}", words_of(*sd_bus_message_get_error(reply))),
                      self->tail_));
  } else if (const int r = read_end(reply, end); r < 0) {
    self->give(failed(fail_errno("its end is not known", -r).error().message, self->tail_));
  } else {
    self->give(self->end_of(end));
  }
  return 0;
}

core::CommandEnd UnitCommands::Unit::end_of(const UnitEnd& end) const {
  if (end.result == "timeout") return failed(timeout_words(timeout_), tail_);
  if (end.code == CLD_KILLED || end.code == CLD_DUMPED) return failed(signal_words(end.status), tail_);
  if (end.code == CLD_EXITED && end.status == kExitExec) {
    return failed(exit_words(end.status) + " (it could not be run)", tail_);
  }
  if (end.code == CLD_EXITED && end.status != 0) return failed(exit_words(end.status), tail_);
  if (end.code == CLD_EXITED && end.result == "success" && job_end_ == "done") return {};
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

Status UnitCommands::connect() {
  if (bus_ && sd_bus_is_open(bus_->get()) > 0) return {};
  auto made = std::make_unique<ManagerBus>();
  if (auto opened = made->open(); !opened) return opened;
  if (const int r = sd_bus_attach_event(made->get(), loop_.raw(), SD_EVENT_PRIORITY_NORMAL); r < 0) {
    return fail_errno("sd_bus_attach_event", -r);
  }
  bus_ = std::move(made);
  return {};
}

Result<std::unique_ptr<core::ActiveCommand>> UnitCommands::start(
    const std::vector<std::string>& argv, std::chrono::milliseconds timeout,
    std::function<void(const core::CommandEnd&)> done) {
  if (auto connected = connect(); !connected) return std::unexpected(std::move(connected.error()));
  auto unit =
      std::make_unique<Unit>(*this, unit_name(owner_, ::getpid(), ++last_number_), timeout, std::move(done));
  if (auto started = unit->start(argv); !started) return std::unexpected(std::move(started.error()));
  return unit;
}

std::string unit_name(const std::string& owner, pid_t pid, std::uint64_t number) {
  return fmt::format("netperfd-command-{}-{}-{}.service", owner, pid, number);
}

std::string units_of(const std::string& owner) {
  return fmt::format("netperfd-command-{}-*.service", owner);
}

Status UnitCommands::end_those_of_others() {
  return kill_units(units_of(owner_), kPatience);
}

}  // namespace netperfd::command
