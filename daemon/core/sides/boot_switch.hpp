// SPDX-License-Identifier: GPL-2.0-or-later
// Brings the machine to the sides of a design by reboots: each letter of a block has a boot of its own.
//
//   bring(A)     announces the reboot and waits; `switch` of A, which reboots; the daemon ends with the
//   machine bring(A)     of the daemon after it: `prepare`, `check` of A, and the time to settle restore()
//   the same with the original side, unless the machine is on it already
//
// The journal has what the next daemon must know. A boot that is not on its side is tried once more. A reboot
// is never asked before it is noted, and no more of them are asked than Reboots allows. The store has each
// boot for people and for later plans; what it refuses of that ends nothing.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/boot_journal.hpp"
#include "daemon/core/ports/clock.hpp"
#include "daemon/core/ports/command_runner.hpp"
#include "daemon/core/ports/run_store.hpp"
#include "daemon/core/sides/sides.hpp"

namespace netperfd::core {

class BootSwitch final : public Sides {
 public:
  // From the end of `switch` to the end of this daemon.
  static constexpr std::chrono::minutes kShutdownTimeout{10};
  // Boots of one letter that may fail, one after another; with the last of them the job ends.
  static constexpr std::uint32_t kMostFailures = 2;

  // All must outlive the object.
  struct Ports {
    CommandRunner& commands;
    BootJournal& journal;
    Clock& clock;
    RunStore& store;
  };

  // `design` has `reboots`. `most`: reboots that it may ask for. `changed` is called when waiting() says
  // something else.
  BootSwitch(Ports ports, JobId job, Design design, std::uint32_t most, std::function<void()> changed);
  BootSwitch(const BootSwitch&) = delete;
  BootSwitch& operator=(const BootSwitch&) = delete;

  void bring(const Slot& slot, Done done) override;
  void restore(Done done) override;
  void leave(Done done) override;
  // Does nothing: the next daemon goes on where this one is.
  void suspend(Done done) override;
  // Ends a wait or a check at once, and `switch` when it has ended: then the machine may reboot all the same.
  void give_up() override;
  [[nodiscard]] bool gave_up() const override { return given_up_; }
  [[nodiscard]] bool busy() const override { return static_cast<bool>(done_); }
  [[nodiscard]] std::string waiting() const override { return waiting_; }
  [[nodiscard]] std::optional<BootState> boot_state() const override;
  [[nodiscard]] Status hold(bool held) override;
  [[nodiscard]] bool is_booted_for(const Slot& slot) const override;

 private:
  using Next = std::function<void(const CommandEnd&)>;

  void start(Done done, std::function<void()> first);
  void go_on();
  void find_original(char next);
  void arrive();
  void verify();
  void missed(const std::string& why);
  void report_boot(const std::string& failure);
  void settle();
  void request();
  void announce();
  void reboot();
  void go_back();
  void run(const std::vector<std::string>& argv, const Next& next);
  void wait(std::chrono::milliseconds delay, std::string words, std::function<void()> next);
  void say(std::string words);
  void finish(const Status& status);
  [[nodiscard]] Status within_limits();
  // Brings note_->taken up to now.
  void count_time();
  [[nodiscard]] Status note();  // on disk, as of now
  [[nodiscard]] bool is_for_target() const;
  [[nodiscard]] const Variant& side_of(char variant) const {
    return variant == 'A' ? *design_.a : *design_.b;
  }

  Ports ports_;
  JobId job_;
  Design design_;
  std::uint32_t most_;
  std::function<void()> changed_;
  std::optional<BootNote> note_;
  Status unreadable_;  // why the journal could not be read
  Slot target_;        // letter 0: back to the original side
  bool held_ = false;
  bool announced_ = false;  // a reboot, which has not begun
  bool switching_ = false;
  bool given_up_ = false;
  bool settled_ = false;  // the store knows that this boot is ready
  char on_ = '\0';        // the side that the machine is on
  std::optional<WallTime> announced_since_;
  std::string waiting_;
  Done done_;
  Timer turn_;
  std::unique_ptr<ActiveCommand> command_;
};

}  // namespace netperfd::core
