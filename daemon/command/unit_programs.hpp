// SPDX-License-Identifier: GPL-2.0-or-later
// Runs programs as transient units of systemd:
//
//   StartTransientUnit netperfd-run-OWNER-PID-N.service   the program has the caller's socket as its input
//   its input is closed                                   the unit has ended; AddRef has kept it until now
//   GetAll of the unit                                    how it ended, and its cleanup
//   UnrefUnit                                             systemd forgets it (CollectMode)
//
// OWNER as in unit_names.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "daemon/base/event_loop.hpp"
#include "daemon/command/systemd_manager.hpp"
#include "daemon/command/unit_calls.hpp"
#include "daemon/core/ports/program_units.hpp"

namespace netperfd::command {

// Why a unit did not end as it should, from systemd's report. `has_cleanup`: it had one.
[[nodiscard]] core::UnitEnd end_of_program(const UnitReport& report, bool has_cleanup);

class UnitPrograms final : public core::ProgramUnits {
 public:
  // `owner`: SideJournalFile::owner(). The loop must outlive this object, and this object its units.
  UnitPrograms(EventLoop& loop, std::string owner)
      : loop_(loop), connection_(loop), owner_(std::move(owner)) {}
  UnitPrograms(const UnitPrograms&) = delete;
  UnitPrograms& operator=(const UnitPrograms&) = delete;

  [[nodiscard]] Status check() const override;
  [[nodiscard]] Result<std::unique_ptr<core::ActiveUnit>> start(const core::UnitOrder& order,
                                                                const Fd& standard_input) override;
  // Ends those that a dead daemon of this owner left, and waits for their cleanups, for each at most 20 s.
  // Nothing is done where check() fails.
  [[nodiscard]] Status end_those_of_others();

 private:
  class Unit;

  EventLoop& loop_;
  ManagerConnection connection_;
  std::string owner_;
  std::uint64_t last_number_ = 0;
};

}  // namespace netperfd::command
