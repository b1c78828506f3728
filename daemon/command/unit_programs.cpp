// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/unit_programs.hpp"

#include <fmt/format.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <utility>

#include "daemon/command/command_end.hpp"
#include "daemon/command/kill_units.hpp"
#include "daemon/command/unit_names.hpp"
#include "daemon/command/unit_properties.hpp"

namespace netperfd::command {
namespace {

constexpr const char* kKindOfPrograms = "run";
constexpr std::chrono::seconds kPatienceForUnit{20};

std::string words_of_exit(const ProcessExit& exit) {
  return exit.code == CLD_EXITED ? exit_words(exit.status) : signal_words(exit.status);
}

}  // namespace

class UnitPrograms::Unit final : public core::ActiveUnit {
 public:
  Unit(UnitPrograms& owner, std::string name) : owner_(owner), name_(std::move(name)) {}
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  ~Unit() override {
    if (!asked_) return;
    kill();
    tell(bus(), "UnrefUnit", {name_});
  }

  [[nodiscard]] Status start(const core::UnitOrder& order, const Fd& standard_input);
  // KillSignal= is SIGKILL. KillUnit would end the cleanup too.
  void kill() override { tell(bus(), "StopUnit", {name_, "replace"}); }
  void ask_end(std::function<void(const core::UnitEnd&)> told) override;

 private:
  [[nodiscard]] sd_bus* bus() { return owner_.connection_.get(); }
  void give(const core::UnitEnd& end);

  static int on_started(sd_bus_message* reply, void* unit, sd_bus_error*);
  static int on_end(sd_bus_message* reply, void* unit, sd_bus_error*);

  UnitPrograms& owner_;
  std::string name_;
  bool asked_ = false;       // systemd was asked to start it
  unsigned connection_ = 0;  // by which it was asked
  bool has_cleanup_ = false;
  std::string refusal_;  // systemd did not start it
  std::function<void(const core::UnitEnd&)> told_;
  EventSource turn_;
  Slot started_, end_;
};

Status UnitPrograms::Unit::start(const core::UnitOrder& order, const Fd& standard_input) {
  has_cleanup_ = !order.cleanup.empty();
  const auto properties = properties_of_program(order, standard_input.get());
  if (auto asked = start_unit(bus(), started_, name_, properties, on_started, this); !asked) return asked;
  asked_ = true;
  connection_ = owner_.connection_.number();
  return {};
}

int UnitPrograms::Unit::on_started(sd_bus_message* reply, void* unit, sd_bus_error*) {
  auto* self = static_cast<Unit*>(unit);
  if (sd_bus_message_is_method_error(reply, nullptr) != 0) {
    self->refusal_ =
        fmt::format("systemd did not start its unit: {}", words_of(*sd_bus_message_get_error(reply)));
  }
  return 0;
}

void UnitPrograms::Unit::ask_end(std::function<void(const core::UnitEnd&)> told) {
  told_ = std::move(told);
  // Of a unit that has ended, systemd tells only the connection that had a reference to it.
  if (ask_service(bus(), end_, name_, on_end, this) >= 0 && owner_.connection_.number() == connection_)
    return;
  end_.reset();
  auto turn = owner_.loop_.after(std::chrono::milliseconds{0}, [this] {
    constexpr const char* kLost = "the connection to systemd was lost";
    give({.failure = kLost, .cleanup_failure = has_cleanup_ ? kLost : ""});
  });
  if (turn) turn_ = *std::move(turn);
}

int UnitPrograms::Unit::on_end(sd_bus_message* reply, void* unit, sd_bus_error*) {
  auto* self = static_cast<Unit*>(unit);
  UnitReport report;
  if (!self->refusal_.empty()) {
    self->give({.failure = self->refusal_, .cleanup_failure = {}});
  } else if (sd_bus_message_is_method_error(reply, nullptr) != 0) {
    self->give({.failure = fmt::format("the end of its unit is not known: {}",
                                       words_of(*sd_bus_message_get_error(reply))),
                .cleanup_failure = {}});
  } else if (const int r = read_report(reply, report); r < 0) {
    self->give({.failure = fail_errno("the end of its unit is not known", -r).error().message,
                .cleanup_failure = {}});
  } else {
    self->give(end_of_program(report, self->has_cleanup_));
  }
  return 0;
}

void UnitPrograms::Unit::give(const core::UnitEnd& end) {
  // The owner may destroy this object inside the call.
  const auto told = std::move(told_);
  told(end);
}

// systemd gives up a program that it cannot run with one of its own exit codes (systemd.exec(5)).
core::UnitEnd end_of_program(const UnitReport& report, bool has_cleanup) {
  core::UnitEnd end;
  const bool main_ended = report.main.code == CLD_EXITED && report.main.status == 0;
  if (!main_ended) {
    end.failure = report.main.code == 0 ? fmt::format("systemd says {} of its unit", report.result)
                                        : fmt::format("systemd says {} of its unit: {}", report.result,
                                                      words_of_exit(report.main));
  }
  const bool cleaned = report.stop_post.code == CLD_EXITED && report.stop_post.status == 0;
  if (has_cleanup && !cleaned) {
    end.cleanup_failure = report.stop_post.code == 0 ? "it was not run" : words_of_exit(report.stop_post);
  }
  return end;
}

Status UnitPrograms::check() const {
  if (sd_booted() > 0) return {};
  return fail(ErrorKind::unsupported,
              "a program with capabilities runs as a unit of systemd, which is not PID 1 on this host");
}

Result<std::unique_ptr<core::ActiveUnit>> UnitPrograms::start(const core::UnitOrder& order,
                                                              const Fd& standard_input) {
  if (auto connected = connection_.open(); !connected) return std::unexpected(std::move(connected.error()));
  auto unit = std::make_unique<Unit>(*this, unit_name(kKindOfPrograms, owner_, ::getpid(), ++last_number_));
  if (auto started = unit->start(order, standard_input); !started)
    return std::unexpected(std::move(started.error()));
  return unit;
}

Status UnitPrograms::end_those_of_others() {
  if (!check()) return {};
  return stop_units(units_of(kKindOfPrograms, owner_), kPatienceForUnit);
}

}  // namespace netperfd::command
