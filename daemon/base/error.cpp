// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/base/error.hpp"

#include <fmt/format.h>

#include <system_error>

namespace netperfd {

std::unexpected<Error> fail_errno(std::string_view what, int error_number) {
  return fail(ErrorKind::io, fmt::format("{}: {}", what, std::generic_category().message(error_number)));
}

}  // namespace netperfd
