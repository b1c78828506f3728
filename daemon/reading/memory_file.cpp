// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace netperfd::reading {

Result<Fd> in_memory(const char* name, std::initializer_list<std::string_view> bytes) {
  Fd file{::memfd_create(name, MFD_CLOEXEC)};
  if (!file) return fail_errno("memfd_create", errno);
  for (std::string_view rest : bytes) {
    while (!rest.empty()) {
      const ssize_t wrote = ::write(file.get(), rest.data(), rest.size());
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) return fail_errno("write to memory", errno);
      rest.remove_prefix(static_cast<std::size_t>(wrote));
    }
  }
  return file;
}

}  // namespace netperfd::reading
