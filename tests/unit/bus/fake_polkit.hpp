// SPDX-License-Identifier: GPL-2.0-or-later
// polkit as a test wants it: owns its name on the bus of DBUS_SYSTEM_BUS_ADDRESS and answers from a loop.
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace netperfd::bus {

class FakePolkit {
 public:
  enum class Mood { allow, deny, challenge, hang, nonsense, fail };

  struct Asked {
    std::string caller;
    std::string action;
    std::map<std::string, std::string> details;
    bool interactive = false;
    std::string cancellation;
  };

  // Throws std::system_error.
  explicit FakePolkit(sd_event* loop);
  FakePolkit(const FakePolkit&) = delete;
  FakePolkit& operator=(const FakePolkit&) = delete;
  ~FakePolkit();

  // Answers all questions that hang.
  void release(bool allowed);
  [[nodiscard]] std::vector<std::string> actions() const;  // as they were asked for, without their prefix

  Mood mood = Mood::allow;
  std::map<std::string, Mood> moods;  // of an action, without its prefix
  std::vector<Asked> asked;
  std::vector<std::string> canceled;

 private:
  int on_message(sd_bus_message* message);
  int on_check(sd_bus_message* message);

  sd_bus* bus_ = nullptr;
  std::vector<sd_bus_message*> hanging_;
};

}  // namespace netperfd::bus
