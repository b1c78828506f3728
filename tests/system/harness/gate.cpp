// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/gate.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "tests/system/harness/deadline.hpp"

namespace netperfd::system_test {
namespace {

constexpr std::string_view kScript = R"(#!/bin/sh
for word; do
  case $word in
    --server | --client)
      if [ -p "{hold}" ]; then
        echo "$word" >"{arrivals}"
        read -r pass <"{hold}"
      fi ;;
  esac
done
exec {iperf3} "$@"
)";

Fd make_fifo(const std::string& path) {
  // The program before the gate runs as another user, whatever the test's umask is.
  if (::mkfifo(path.c_str(), 0666) != 0 || ::chmod(path.c_str(), 0666) != 0) {
    throw std::system_error(errno, std::generic_category(), path);
  }
  Fd fifo{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK)};
  if (!fifo) throw std::system_error(errno, std::generic_category(), path);
  return fifo;
}

}  // namespace

Gate::Gate(const ScratchDir& directory)
    : hold_path_(directory.path("gate.hold")), arrivals_(make_fifo(directory.path("gate.arrivals"))) {
  program_ = directory.write("iperf3", fmt::format(kScript, fmt::arg("hold", hold_path_),
                                                   fmt::arg("arrivals", directory.path("gate.arrivals")),
                                                   fmt::arg("iperf3", NETPERFD_IPERF3)));
  if (::chmod(program_.c_str(), 0755) != 0) throw std::system_error(errno, std::generic_category(), program_);
}

void Gate::close() {
  hold_ = make_fifo(hold_path_);
}

void Gate::open() {
  ::unlink(hold_path_.c_str());
  hold_.reset();
}

std::string Gate::wait_for_arrival() {
  const Deadline deadline;
  std::string line;
  while (!line.ends_with('\n')) {
    char character = 0;
    const ssize_t got = ::read(arrivals_.get(), &character, 1);
    if (got == 1) line += character;
    if (got == 1 || errno == EINTR) continue;
    pollfd watched{arrivals_.get(), POLLIN, 0};
    if (::poll(&watched, 1, deadline.poll_timeout()) == 0)
      throw std::runtime_error("nobody came to the gate in time");
  }
  line.pop_back();
  return line;
}

void Gate::wait_for_run() {
  if (wait_for_arrival() != "--server") throw std::runtime_error("no server came to the gate first");
  let_one_pass();
  if (wait_for_arrival() != "--client") throw std::runtime_error("no client came to the gate");
}

void Gate::let_one_pass() {
  if (::write(hold_.get(), "\n", 1) != 1) throw std::system_error(errno, std::generic_category(), hold_path_);
}

}  // namespace netperfd::system_test
