// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/error.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace netperfd {

std::unexpected<Error> fail_errno(std::string_view what, int error_number) {
  return fail(ErrorKind::io, fmt::format("{}: {}", what, std::generic_category().message(error_number)));
}

bool is_errno(const Error& error, int error_number) {
  return error.message.ends_with(": " + std::generic_category().message(error_number));
}

std::unexpected<Error> fail_on_disk(std::string_view what, int error_number) {
  auto failed = fail_errno(what, error_number);
  if (error_number == ENOSPC || error_number == EDQUOT) failed.error().kind = ErrorKind::no_space;
  return failed;
}

}  // namespace netperfd
