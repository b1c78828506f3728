// SPDX-License-Identifier: GPL-2.0-or-later
// Recoverable failures travel only as values of this kind, never as exceptions.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace netperfd {

// The kinds of failure, by what a caller can do about them. The bus turns each into one D-Bus error name.
enum class ErrorKind {
  invalid_argument,  // the caller's input is wrong; the text says what is wrong and what was expected
  not_found,         // no such job, run, scenario, file
  busy,              // try again later (queue full, resource held)
  not_running,       // asked to stop something that has ended
  access_denied,     // the caller lacks the permission
  needs_person,  // the same, but an administrator may grant it: call again with the flag that permits asking
  no_space,      // the store's disk is too full to accept more
  quota_exceeded,  // the caller has as much as one user may have
  infeasible,      // the job cannot end in an answer; its caller may force it
  unsupported,     // this kernel, iperf3 or build does not support it
  io,              // the system refused; the text has path and errno
  internal,        // our own bug
};

struct Error {
  ErrorKind kind = ErrorKind::internal;
  // Whole sentences for a person, one line for each error.
  std::string message;
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

// return fail(ErrorKind::not_found, "run 7: no such run");
[[nodiscard]] inline std::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return std::unexpected(Error{kind, std::move(message)});
}

[[nodiscard]] inline std::unexpected<Error> invalid(std::string message) {
  return fail(ErrorKind::invalid_argument, std::move(message));
}

// An io error with the reason of `error_number`: "open /a/b: No such file or directory".
[[nodiscard]] std::unexpected<Error> fail_errno(std::string_view what, int error_number);
// Whether an error has this reason.
[[nodiscard]] bool is_errno(const Error& error, int error_number);
// As fail_errno(), for a file on a disk: no_space if the disk, or a quota, has no room.
[[nodiscard]] std::unexpected<Error> fail_on_disk(std::string_view what, int error_number);

}  // namespace netperfd
