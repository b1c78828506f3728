#include "client/failures.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "dbus/names.hpp"

namespace netperfctl {
namespace {

std::string user_name() {
  std::array<char, 4096> text{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, text.data(), text.size(), &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return "USER";
}

// Names with which a bus says that nobody is there to answer, or that whoever was there left.
bool says_nobody_answers(std::string_view name) {
  constexpr std::string_view kStandard = "org.freedesktop.DBus.Error.";
  if (name.starts_with("org.freedesktop.systemd1.")) return true;  // activation: no such unit, masked, failed
  if (!name.starts_with(kStandard))
    return name == "System.Error.ENOTCONN" || name == "System.Error.ECONNRESET";
  name.remove_prefix(kStandard.size());
  constexpr std::array<std::string_view, 7> kNames{"ServiceUnknown", "NameHasNoOwner", "NoReply", "NoServer",
                                                   "Disconnected",   "TimedOut",       "Timeout"};
  if (name.starts_with("Spawn.")) return true;
  for (const std::string_view known : kNames) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

Failure unreachable(const std::string& reason) {
  return {Exit::unreachable, fmt::format("netperfd does not answer: {}\n"
                                         "Is it installed and running? See `systemctl status netperfd`.",
                                         reason)};
}

Failure with_membership_hint(Failure failure) {
  if (failure.exit != Exit::denied) return failure;
  failure.message += fmt::format(
      "\nStarting, stopping and deleting need root or the group `netperfd`; root can add you:\n"
      "  usermod -aG netperfd {}\n"
      "It holds from your next login.",
      user_name());
  return failure;
}

Failure failure_of(const sdbus::Error& error) {
  namespace names = netperfd::dbus::error;
  const std::string& name = error.getName();
  const std::string& message = error.getMessage();
  if (name == names::kAccessDenied || name == "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired") {
    return {Exit::denied, "not allowed: " + message};
  }
  if (name == names::kNotFound) return {Exit::not_found, message};
  if (name == names::kInvalidArgument) return {Exit::usage, message};
  if (says_nobody_answers(name)) return unreachable(message);
  if (name.starts_with("org.netperfd1.Error.")) return {Exit::other, message};
  return {Exit::other, fmt::format("{} ({})", message, name)};
}

}  // namespace netperfctl
