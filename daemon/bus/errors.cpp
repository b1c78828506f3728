// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/errors.hpp"

#include "daemon/bus/rows/wire_text.hpp"
#include "dbus/names.hpp"

namespace netperfd::bus {

const char* error_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return dbus::error::kInvalidArgument;
    case ErrorKind::not_found:
      return dbus::error::kNotFound;
    case ErrorKind::busy:
      return dbus::error::kBusy;
    case ErrorKind::not_running:
      return dbus::error::kNotRunning;
    case ErrorKind::access_denied:
      return dbus::error::kAccessDenied;
    case ErrorKind::needs_person:
      return dbus::error::kNeedsPerson;
    case ErrorKind::no_space:
      return dbus::error::kNoSpace;
    case ErrorKind::quota_exceeded:
      return dbus::error::kQuotaExceeded;
    case ErrorKind::infeasible:
      return dbus::error::kInfeasible;
    case ErrorKind::unsupported:
      return dbus::error::kUnsupported;
    case ErrorKind::io:
      return dbus::error::kIo;
    case ErrorKind::internal:
      return dbus::error::kInternal;
  }
  return dbus::error::kInternal;
}

sdbus::Error to_dbus(const Error& error) {
  return dbus::make_error(error_name(error.kind), wire_text(error.message, kLongTextBytes));
}

Error from_dbus(const sdbus::Error& error) {
  using enum ErrorKind;
  for (const ErrorKind kind : {invalid_argument, not_found, busy, not_running, access_denied, needs_person,
                               no_space, infeasible, unsupported, io, internal}) {
    if (error.getName() == error_name(kind)) return {kind, error.getMessage()};
  }
  return {internal, error.getMessage()};
}

}  // namespace netperfd::bus
