#include "daemon/bus/document.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace netperfd::bus {

Result<Fd> sealed_memory_file(const std::string& name, std::string_view bytes) {
  Fd file{::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (!file) return fail_errno("memfd_create", errno);
  std::size_t done = 0;
  while (done < bytes.size()) {
    // pwrite() does not move the file offset, which the caller shares through the descriptor.
    const ssize_t put =
        ::pwrite(file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (put < 0) {
      if (errno == EINTR) continue;
      return fail_errno("write to a memory file", errno);
    }
    done += static_cast<std::size_t>(put);
  }
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0) {
    return fail_errno("fcntl F_ADD_SEALS", errno);
  }
  return file;
}

}  // namespace netperfd::bus
