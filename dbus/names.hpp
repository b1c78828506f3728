// SPDX-License-Identifier: GPL-2.0-or-later
// The names of the API that daemon and client share; dbus/*.xml describes them.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace netperfd::dbus {

inline constexpr const char* kService = "org.netperfd1";
// Of connections that only ask the bus: its policy lets nobody send to them.
inline constexpr const char* kAskingService = "org.netperfd1.Asking";
inline constexpr const char* kManagerPath = "/org/netperfd1";
inline constexpr const char* kJobPathPrefix = "/org/netperfd1/job/";
inline constexpr const char* kManagerInterface = "org.netperfd1.Manager";
inline constexpr const char* kJobInterface = "org.netperfd1.Job";

namespace error {
inline constexpr const char* kBusy = "org.netperfd1.Error.Busy";
inline constexpr const char* kNotFound = "org.netperfd1.Error.NotFound";
inline constexpr const char* kNotRunning = "org.netperfd1.Error.NotRunning";
inline constexpr const char* kInvalidArgument = "org.netperfd1.Error.InvalidArgument";
inline constexpr const char* kNoSpace = "org.netperfd1.Error.NoSpace";
inline constexpr const char* kQuotaExceeded = "org.netperfd1.Error.QuotaExceeded";
// The job cannot end in an answer: change it as the text says, or call again with the option `force`.
inline constexpr const char* kInfeasible = "org.netperfd1.Error.Infeasible";
inline constexpr const char* kUnsupported = "org.netperfd1.Error.Unsupported";
inline constexpr const char* kIo = "org.netperfd1.Error.Io";
inline constexpr const char* kInternal = "org.netperfd1.Error.Internal";
inline constexpr const char* kAccessDenied = "org.freedesktop.DBus.Error.AccessDenied";
// An administrator may allow it: call again with the message flag ALLOW_INTERACTIVE_AUTHORIZATION.
inline constexpr const char* kNeedsPerson = "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired";
}  // namespace error

// The last line of OpenTraceText's text. A text without it was cut short.
inline constexpr std::string_view kTraceTextEnd = "# end of the trace\n";

inline std::string job_path(std::uint64_t job) {
  return kJobPathPrefix + std::to_string(job);
}

// 0 for another path.
inline std::uint64_t job_of_path(std::string_view path) {
  const std::string_view prefix = kJobPathPrefix;
  std::uint64_t job = 0;
  if (path.starts_with(prefix)) std::from_chars(path.data() + prefix.size(), path.data() + path.size(), job);
  return job;
}

}  // namespace netperfd::dbus
