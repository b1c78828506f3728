// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/bus/failures.hpp"

#include <fmt/format.h>
#include <systemd/sd-bus-protocol.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>
#include <utility>

#include "client/base/users.hpp"
#include "dbus/names.hpp"

namespace netperfctl {
namespace {

// The step that failed if the bus reports this error name; Step::asked for any other error.
Step step_of(std::string_view name) {
  constexpr std::string_view kStandard = "org.freedesktop.DBus.Error.";
  // Activation: no such unit, masked, failed.
  if (name == "org.freedesktop.systemd1.NoSuchUnit") return Step::no_name;
  if (name.starts_with("org.freedesktop.systemd1.")) return Step::start;
  if (!name.starts_with(kStandard)) {
    return name == "System.Error.ENOTCONN" || name == "System.Error.ECONNRESET" ? Step::answer : Step::asked;
  }
  name.remove_prefix(kStandard.size());
  if (name.starts_with("Spawn.")) return Step::start;
  if (name == "AccessDenied") return Step::policy;
  constexpr std::array<std::pair<std::string_view, Step>, 7> kNames{{{"ServiceUnknown", Step::no_name},
                                                                     {"NameHasNoOwner", Step::no_name},
                                                                     {"NoReply", Step::answer},
                                                                     {"NoServer", Step::bus},
                                                                     {"Disconnected", Step::answer},
                                                                     {"TimedOut", Step::answer},
                                                                     {"Timeout", Step::answer}}};
  const auto* const known = std::ranges::find(kNames, name, [](const auto& pair) { return pair.first; });
  return known == kNames.end() ? Step::asked : known->second;
}

}  // namespace

Failure unreachable(Step step, const std::string& reason) {
  return {Exit::unreachable,
          fmt::format("netperfd does not answer: {}\n"
                      "Is it installed and running? `netperfctl doctor` says what is missing.",
                      reason),
          step, reason};
}

Failure with_membership_hint(Failure failure, const std::string& group) {
  if (group.empty() || !failure.message.contains("the group " + group)) return failure;
  failure.message += fmt::format(
      "\nRoot can add you to it:\n"
      "  usermod -aG {} {}\n"
      "It holds from your next login.",
      group, user_name(::geteuid()).value_or("USER"));
  return failure;
}

Failure failure_of(const sdbus::Error& error) {
  namespace names = netperfd::dbus::error;
  const std::string& name = error.getName();
  const std::string& message = error.getMessage();
  const Step step = step_of(name);
  const bool needs_person = name == names::kNeedsPerson;
  if (step == Step::policy || needs_person) {
    return {Exit::denied, "not allowed: " + message, Step::policy, message, needs_person};
  }
  if (step != Step::asked) return unreachable(step, message);
  if (name == names::kNotFound) return {Exit::not_found, with_owner_words(message), {}, {}};
  if (name == names::kQuotaExceeded) return {Exit::quota, message, {}, {}};
  if (name == names::kInvalidArgument) return {Exit::usage, message, {}, {}};
  if (name.starts_with("org.netperfd1.Error.")) return {Exit::other, message, {}, {}};
  return {Exit::other, fmt::format("{} ({})", message, name), {}, {}};
}

bool Retries::wait_after(const sdbus::Error& error) {
  using std::chrono_literals::operator""ms;
  constexpr std::chrono::milliseconds kInAll = 10'000ms;
  if (std::string_view{error.getName()} != SD_BUS_ERROR_LIMITS_EXCEEDED || waited_ >= kInAll) return false;
  const auto wait = std::clamp(waited_, 20ms, 1'000ms);
  std::this_thread::sleep_for(wait);
  waited_ += wait;
  return true;
}

Step step_of_connecting(const sdbus::Error& error) {
  const std::string& name = error.getName();
  const bool refused = name == "System.Error.ENOTCONN" || name == "System.Error.ECONNRESET" ||
                       name == "org.freedesktop.DBus.Error.AccessDenied" ||
                       name == "org.freedesktop.DBus.Error.AuthFailed";
  return refused ? Step::user : Step::bus;
}

Failure failure_of_job(const sdbus::Error& error) {
  Failure failure = failure_of(error);
  failure.may_be_forced = error.getName() == netperfd::dbus::error::kInfeasible;
  if (failure.may_be_forced || error.getName() == netperfd::dbus::error::kUnsupported)
    failure.exit = Exit::usage;
  return failure;
}

}  // namespace netperfctl
