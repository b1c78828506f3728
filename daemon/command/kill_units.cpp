// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/command/kill_units.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "daemon/command/systemd_manager.hpp"

namespace netperfd::command {
namespace {

Result<std::vector<std::string>> units_like(sd_bus* bus, const std::string& pattern) {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  sd_bus_message* raw = nullptr;
  int r = sd_bus_call_method(bus, kService, kPath, kManager, "ListUnitsByPatterns", &error, &raw, "asas", 0,
                             1, pattern.c_str());
  const Message message{raw};
  std::vector<std::string> units;
  if (r >= 0) r = sd_bus_message_enter_container(raw, 'a', "(ssssssouso)");
  while (r > 0 && (r = sd_bus_message_enter_container(raw, 'r', "ssssssouso")) > 0) {
    const char* name = nullptr;
    r = sd_bus_message_read(raw, "s", &name);
    if (r >= 0) r = sd_bus_message_skip(raw, "sssssouso");
    if (r >= 0) r = sd_bus_message_exit_container(raw);
    if (r >= 0) units.emplace_back(name);
  }
  const std::string words = words_of(error);
  sd_bus_error_free(&error);
  if (r < 0) return fail_errno(fmt::format("{}: {}", pattern, words), -r);
  return units;
}

using EndedJobs = std::set<std::string>;  // their object paths

int remember_job(sd_bus_message* message, void* ended, sd_bus_error*) {
  std::uint32_t id = 0;
  const char* path = nullptr;
  if (sd_bus_message_read(message, "uo", &id, &path) >= 0) static_cast<EndedJobs*>(ended)->insert(path);
  return 0;
}

Status wait_for_end(sd_bus* bus, const std::string& unit, const EndedJobs& ended,
                    std::chrono::seconds patience) {
  sd_bus_message* raw = nullptr;
  const char* job = nullptr;
  // An error: systemd knows the unit no more.
  int r = sd_bus_call_method(bus, kService, kPath, kManager, "StopUnit", nullptr, &raw, "ss", unit.c_str(),
                             "replace");
  const Message message{raw};
  if (r < 0 || sd_bus_message_read(raw, "o", &job) < 0) return {};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!ended.contains(job)) {
    const auto left =
        std::chrono::ceil<std::chrono::microseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= left.zero()) return fail(ErrorKind::io, unit + ": has not ended, although it was killed");
    r = sd_bus_process(bus, nullptr);
    if (r == 0) r = sd_bus_wait(bus, static_cast<std::uint64_t>(left.count()));
    if (r < 0 && r != -EINTR) return fail_errno(unit, -r);
  }
  return {};
}

Status end_units(const std::string& pattern, std::chrono::seconds patience, bool kill) {
  ManagerBus bus;
  if (auto opened = bus.open(); !opened) return opened;
  const auto units = units_like(bus.get(), pattern);
  if (!units) return std::unexpected(units.error());
  EndedJobs ended;
  sd_bus_slot* slot = nullptr;
  if (const int r = sd_bus_match_signal(bus.get(), &slot, kService, kPath, kManager, "JobRemoved",
                                        remember_job, &ended);
      r < 0) {
    return fail_errno("the signals of systemd", -r);
  }
  const Slot match{slot};
  for (const std::string& unit : *units) {
    // An error is ignored: the unit may have ended in the meantime.
    if (kill) {
      (void)sd_bus_call_method(bus.get(), kService, kPath, kManager, "KillUnit", nullptr, nullptr, "ssi",
                               unit.c_str(), "all", SIGKILL);
    }
    if (auto gone = wait_for_end(bus.get(), unit, ended, patience); !gone) return gone;
  }
  return {};
}

}  // namespace

Status kill_units(const std::string& pattern, std::chrono::seconds patience) {
  return end_units(pattern, patience, true);
}

Status stop_units(const std::string& pattern, std::chrono::seconds patience) {
  return end_units(pattern, patience, false);
}

}  // namespace netperfd::command
