// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/import/silent_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/support/patience.hpp"

namespace netperfd::import::test {
namespace {

void reply(const Fd& device, std::uint64_t unique, int error_number, const void* body, std::size_t size) {
  std::array<char, 512> bytes{};
  fuse_out_header head{};
  head.len = static_cast<std::uint32_t>(sizeof head + size);
  head.error = -error_number;
  head.unique = unique;
  std::memcpy(bytes.data(), &head, sizeof head);
  if (size > 0) std::memcpy(bytes.data() + sizeof head, body, size);
  (void)!::write(device.get(), bytes.data(), head.len);
}

void set(const Fd& event) {
  const std::uint64_t one = 1;
  (void)!::write(event.get(), &one, sizeof one);
}

}  // namespace

bool SilentFile::is_possible() {
  return ::geteuid() == 0 && ::access("/dev/fuse", F_OK) == 0;
}

// The root of this file system is the file itself, mounted over an ordinary one. The mount is removed as soon
// as the file is open: nothing is left of it if the test dies.
std::unique_ptr<SilentFile> SilentFile::make() {
  std::unique_ptr<SilentFile> made(new SilentFile);
  made->device_.reset(::open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK));
  made->stop_.reset(::eventfd(0, EFD_CLOEXEC));
  made->closing_.reset(::eventfd(0, EFD_CLOEXEC));
  std::string path = "/tmp/netperfd-silent-XXXXXX";
  const Fd place{::mkstemp(path.data())};
  if (!made->device_ || !made->stop_ || !made->closing_ || !place) return nullptr;
  const std::string options =
      fmt::format("fd={},rootmode=100000,user_id=0,group_id=0,allow_other", made->device_.get());
  const bool mounted = ::mount("silent", path.c_str(), "fuse", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
  if (mounted) {
    made->server_ = ::fork();
    if (made->server_ == 0) {
      made->serve();
      ::_exit(0);
    }
    made->device_.reset();
    made->file_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    (void)::umount2(path.c_str(), MNT_DETACH);
  }
  (void)::unlink(path.c_str());
  return made->file_ ? std::move(made) : nullptr;
}

SilentFile::~SilentFile() {
  let_go();
}

void SilentFile::let_go() {
  if (server_ < 0) return;
  set(stop_);
  ::waitpid(std::exchange(server_, -1), nullptr, 0);
}

bool SilentFile::wait_for_close() const {
  pollfd event{closing_.get(), POLLIN, 0};
  return ::poll(&event, 1, kTestPatienceMs) > 0;
}

// When its server ends, the file system is gone, and everyone waiting for it gets an error.
void SilentFile::serve() {
  std::array<pollfd, 2> events{{{device_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
  while (::poll(events.data(), events.size(), kTestPatienceMs) > 0 && events[1].revents == 0 &&
         (events[0].revents & POLLERR) == 0) {
    answer();
  }
}

void SilentFile::answer() {
  alignas(8) static std::array<char, 1U << 17U> request;
  if (::read(device_.get(), request.data(), request.size()) < static_cast<ssize_t>(sizeof(fuse_in_header))) {
    return;
  }
  fuse_in_header head{};
  std::memcpy(&head, request.data(), sizeof head);
  if (head.opcode == FUSE_INIT) {
    fuse_init_out out{};
    out.major = FUSE_KERNEL_VERSION;
    out.minor = FUSE_KERNEL_MINOR_VERSION;
    out.max_write = 4096;
    reply(device_, head.unique, 0, &out, sizeof out);
  } else if (head.opcode == FUSE_GETATTR) {
    fuse_attr_out out{};
    out.attr_valid = 3600;
    out.attr.ino = FUSE_ROOT_ID;
    out.attr.size = kSize;
    out.attr.mode = S_IFREG | 0644;
    out.attr.nlink = 1;
    reply(device_, head.unique, 0, &out, sizeof out);
  } else if (head.opcode == FUSE_OPEN) {
    const fuse_open_out out{};
    reply(device_, head.unique, 0, &out, sizeof out);
  } else if (head.opcode == FUSE_FLUSH) {
    set(closing_);
  } else if (head.opcode != FUSE_READ && head.opcode != FUSE_RELEASE && head.opcode != FUSE_INTERRUPT &&
             head.opcode != FUSE_FORGET && head.opcode != FUSE_BATCH_FORGET) {
    reply(device_, head.unique, ENOSYS, nullptr, 0);
  }
}

}  // namespace netperfd::import::test
