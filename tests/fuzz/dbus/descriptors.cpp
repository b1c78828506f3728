// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/descriptors.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tests/system/harness/scratch_dir.hpp"

namespace netperfd::bus_fuzz {
namespace {

// The first one can be imported.
constexpr std::array<const char*, 7> kFiles{
    "iperf3/3.12/tcp-send.out", "iperf3/3.18/udp-send.out", "trace-dat/small.dat",
    "trace-dat/v7-zstd.dat",    "trace-dat/v6.dat",         "trace-functions/6.12/module/trace.txt",
    "client/runs.json"};

int must(int result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

Fd memory_file(const std::string& bytes) {
  Fd made{must(::memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create")};
  for (std::size_t at = 0; at < bytes.size();) {
    at += static_cast<std::size_t>(must(
        static_cast<int>(::pwrite(made.get(), bytes.data() + at, bytes.size() - at, static_cast<off_t>(at))),
        "write a memory file"));
  }
  return made;
}

Fd opened(const char* path, int flags) {
  return Fd{must(::open(path, flags | O_CLOEXEC), path)};
}

}  // namespace

Descriptors::Descriptors(Random& random) : random_(random) {
  for (const char* name : kFiles) {
    add(name, system_test::read_text(std::string{NETPERFD_TEST_DATA "/"} + name));
  }
}

Descriptor Descriptors::whole(const std::string& name, const std::string& bytes) {
  return {memory_file(bytes), name};
}

Descriptor Descriptors::waiting() {
  std::array<int, 2> ends{-1, -1};
  must(::pipe2(ends.data(), O_CLOEXEC), "pipe2");
  return {Fd{ends[0]}, "a pipe with a writer", Fd{ends[1]}};
}

Descriptor Descriptors::file_of(const std::string& name, const std::string& bytes) {
  switch (random_.below(5)) {
    case 0: {
      const std::size_t left = random_.below(bytes.size());
      return {memory_file(bytes.substr(0, left)), fmt::format("the first {} bytes of {}", left, name)};
    }
    case 1: {
      std::string changed = bytes;
      const std::size_t times = random_.size(64);
      for (std::size_t i = 0; i < times; ++i) {
        // Most decisions are made on the first bytes.
        const std::size_t among =
            random_.happens(2) ? std::min<std::size_t>(changed.size(), 128) : changed.size();
        changed[random_.below(among)] = static_cast<char>(random_.number());
      }
      return {memory_file(changed), fmt::format("{} with {} changed bytes", name, times)};
    }
    case 2: {
      Descriptor sealed = whole("sealed " + name, bytes);
      must(::fcntl(sealed.fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL),
           "seal a memory file");
      return sealed;
    }
    case 3: {
      Descriptor moved = whole(name + ", read already", bytes);
      const auto at = static_cast<off_t>(random_.below(bytes.size() + 1));
      must(::lseek(moved.fd.get(), at, SEEK_SET) < 0 ? -1 : 0, "seek in a memory file");
      return moved;
    }
    default:
      return whole(name, bytes);
  }
}

Descriptor Descriptors::file() {
  if (random_.happens(4)) {
    const std::size_t size = random_.size(5'000);
    return {memory_file(random_.bytes(size)), fmt::format("{} random bytes", size)};
  }
  const Content& content = random_.one_of(std::span<const Content>(contents_));
  return file_of(content.name, content.bytes);
}

Descriptor Descriptors::no_file() {
  std::array<int, 2> ends{-1, -1};
  switch (random_.below(11)) {
    case 0:
      return {opened("/dev/null", O_RDWR), "/dev/null"};
    case 1:
      return {opened("/dev/zero", O_RDONLY), "/dev/zero"};
    case 2:
      return {opened("/", O_RDONLY | O_DIRECTORY), "a directory"};
    case 3:
      return {opened("/", O_PATH), "a directory by O_PATH"};
    case 4:
      return {opened(NETPERFD_TEST_DATA "/trace-dat/small.dat", O_PATH), "a file by O_PATH"};
    case 5:
      return {Fd{must(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")}, "an eventfd"};
    case 6: {
      constexpr off_t kTooLarge = off_t{5} << 30U;
      Fd sparse = memory_file("");
      must(::ftruncate(sparse.get(), kTooLarge), "grow a memory file");
      return {std::move(sparse), "a file of 5 GiB"};
    }
    case 7: {
      const Fd readable = memory_file("{}");
      const std::string path = fmt::format("/proc/self/fd/{}", readable.get());
      return {opened(path.c_str(), O_WRONLY), "a file that is open for writing"};
    }
    case 8: {
      must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), "socketpair");
      return {Fd{ends[0]}, "a socket", Fd{ends[1]}};
    }
    default: {
      const Content& content = random_.one_of(std::span<const Content>(contents_));
      Descriptor pipe = waiting();
      must(::fcntl(pipe.other_end.get(), F_SETFL, O_NONBLOCK), "a writer that does not block");
      must(static_cast<int>(::write(pipe.other_end.get(), content.bytes.data(), content.bytes.size())),
           "fill a pipe");
      if (random_.happens(2)) {
        pipe.other_end.reset();
        pipe.what = "a pipe without a writer";
      }
      pipe.what += ", with " + content.name;
      return pipe;
    }
  }
}

Descriptor Descriptors::any() {
  return random_.happens(3) ? no_file() : file();
}

}  // namespace netperfd::bus_fuzz
