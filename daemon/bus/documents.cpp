// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/documents.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <tuple>
#include <utility>

namespace netperfd::bus {
namespace {

// A descriptor with an open file of its own behind it, unlike a duplicate.
Result<Fd> open_again(const Fd& file, int flags) {
  Fd again{::open(fmt::format("/proc/self/fd/{}", file.get()).c_str(), flags | O_CLOEXEC)};
  if (!again) return fail_errno("open a memory file", errno);
  return again;
}

Status write_all(const Fd& file, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put =
        ::pwrite(file.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail_errno("write to a memory file", errno);
    done += static_cast<std::size_t>(put);
  }
  return {};
}

// The daemon's own descriptor, which can still empty the file.
Result<Fd> sealed_file(const std::string& name, std::string_view bytes) {
  const Fd file{::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING)};
  if (!file) return fail_errno("memfd_create", errno);
  if (auto written = write_all(file, bytes); !written) return std::unexpected(std::move(written.error()));
  // Else a receiver could open its descriptor again, to write.
  if (::fchmod(file.get(), S_IRUSR | S_IWUSR) != 0) return fail_errno("fchmod of a memory file", errno);
  // Not against shrinking: that gives the memory back even if somebody keeps an O_PATH descriptor, which does
  // not count as open.
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return fail_errno("fcntl F_ADD_SEALS", errno);
  }
  // The kernel counts writers only of files that were opened by a path.
  return open_again(file, O_RDWR);
}

// Whether anybody but the daemon has it open or mapped.
bool is_in_use(const Fd& own) {
  if (::fcntl(own.get(), F_SETLEASE, F_WRLCK) != 0) return true;
  (void)::fcntl(own.get(), F_SETLEASE, F_UNLCK);
  return false;
}

}  // namespace

Result<Fd> Documents::open(uid_t user, RunId run, const std::string& name, const Read& read) {
  look();
  auto file =
      std::ranges::find_if(files_, [&](const File& known) { return known.run == run && known.name == name; });
  if (file == files_.end()) {
    // Before reading it: a caller beyond its limit costs nothing.
    if (auto room = expect_room(user, 1, true); !room) return std::unexpected(std::move(room.error()));
    const auto bytes = read();
    if (!bytes) return std::unexpected(bytes.error());
    if (auto room = expect_room(user, bytes->size(), true); !room) {
      return std::unexpected(std::move(room.error()));
    }
    auto own = sealed_file(fmt::format("netperfd-run-{}-{}", run, name), *bytes);
    if (!own) return std::unexpected(std::move(own.error()));
    file = files_.insert(files_.end(), File{run, name, bytes->size(), {}, std::move(*own)});
  } else if (!file->users.contains(user)) {
    if (auto room = expect_room(user, file->bytes, false); !room) {
      return std::unexpected(std::move(room.error()));
    }
  }
  auto given = open_again(file->own, O_RDONLY);
  if (given) file->users.insert(user);
  if (!timer_) {
    if (auto timer = loop_.after(limits_.look, [this] { look(); })) timer_ = std::move(*timer);
  }
  return given;
}

Status Documents::expect_room(uid_t user, std::size_t bytes, bool is_new) const {
  Held own;
  Held all;
  for (const File& file : files_) {
    ++all.files;
    all.bytes += file.bytes;
    if (!file.users.contains(user)) continue;
    ++own.files;
    own.bytes += file.bytes;
  }
  constexpr std::size_t kMebibyte = std::size_t{1} << 20U;
  if (own.files >= limits_.user_files || (own.files > 0 && own.bytes + bytes > limits_.user_bytes)) {
    return fail(ErrorKind::busy,
                fmt::format("uid {} has {} documents with {} MiB open, and this one would be too much: try "
                            "again after closing some",
                            user, own.files, own.bytes / kMebibyte));
  }
  if (is_new &&
      (all.files >= limits_.all_files || (all.files > 0 && all.bytes + bytes > limits_.all_bytes))) {
    return fail(ErrorKind::busy, fmt::format("all users have {} documents with {} MiB open: try again later",
                                             all.files, all.bytes / kMebibyte));
  }
  return {};
}

void Documents::look() {
  std::erase_if(files_, [](const File& file) {
    if (is_in_use(file.own)) return false;
    std::ignore = ::ftruncate(file.own.get(), 0);
    return true;
  });
  timer_.reset();
  if (files_.empty()) return;
  if (auto timer = loop_.after(limits_.look, [this] { look(); })) timer_ = std::move(*timer);
}

}  // namespace netperfd::bus
