// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/system/harness/raw_document.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <cstddef>

namespace netperfd::system_test {

std::string open_document(const Lab& lab, const User& user, std::uint64_t run, const char* name) {
  const BusClient client = lab.connect(user);
  const Reply reply = client.manager("OpenDocument", "ts", run, name);
  EXPECT_EQ(reply.error_name, "") << reply.error_text;
  int fd = -1;
  if (reply.message != nullptr) {
    EXPECT_GE(sd_bus_message_read(reply.message.get(), "h", &fd), 0);
  }
  struct stat status{};
  if (fd < 0 || ::fstat(fd, &status) != 0) return {};
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  EXPECT_EQ(::pread(fd, bytes.data(), bytes.size(), 0), status.st_size);
  return bytes;
}

}  // namespace netperfd::system_test
