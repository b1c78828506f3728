// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/stores.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <systemd/sd-bus.h>

#include <stdexcept>

#include "daemon/store/compression.hpp"
#include "dbus/names.hpp"
#include "tests/system/harness/database.hpp"
#include "tests/system/harness/deadline.hpp"

namespace netperfd::bus_fuzz {
namespace {

using system_test::Message;
using system_test::Reply;

const Method& restoring() {
  static const Method method{dbus::kManagerPath, dbus::kManagerInterface, "RestoreStore", "h"};
  return method;
}

Message restore_call(const system_test::BusClient& client, const Fd& file) {
  Message call = new_call(client, restoring());
  if (sd_bus_message_append(call.get(), "h", file.get()) < 0) throw std::runtime_error("append a file");
  return call;
}

std::string in_hex(std::string_view bytes) {
  std::string text;
  for (const char each : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(each));
  return text;
}

}  // namespace

Stores::Stores(const system_test::Lab& lab, const Caller& root, Random& random, Descriptors& descriptors)
    : lab_(lab), root_(root), random_(random), descriptors_(descriptors) {}

std::string Stores::read_backup() const {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
  const Reply reply = root_.client->manager("OpenBackup", "");
  int pipe = -1;
  std::string bytes;
  if (!reply.error_name.empty() || sd_bus_message_read(reply.message.get(), "h", &pipe) <= 0 ||
      !read_all(pipe, kMostBytes, bytes))
    throw std::runtime_error("OpenBackup: " + reply.error_text);
  return bytes;
}

void Stores::begin(std::uint64_t recorded) {
  const std::string recording = system_test::read_text(NETPERFD_TEST_DATA "/trace-dat/v7-zstd.dat");
  const auto frame = store::compress(recording, 1);
  if (!frame) throw std::runtime_error(frame.error().message);
  const std::string path = lab_.directory().write("backup.db", read_backup());
  system_test::alter_database(
      path,
      fmt::format("INSERT INTO documents (run, name, size, content) VALUES ({}, 'trace.dat', {}, X'{}')",
                  recorded, recording.size(), in_hex(*frame)));
  backup_ = system_test::read_text(path);
  if (const std::string error = put_back(); !error.empty()) throw std::runtime_error(error);
  content_ = content();
}

std::string Stores::put_back() const {
  const system_test::Deadline deadline;
  for (;;) {
    const Reply reply =
        root_.client->send(restore_call(*root_.client, Descriptors::whole("backup", backup_).fd));
    if (reply.error_name.empty()) return {};
    // A query of somebody who has left may still read the store.
    if (reply.error_name != dbus::error::kBusy || deadline.has_passed())
      return fmt::format("the backup cannot be restored: {}: {}", reply.error_name, reply.error_text);
  }
}

std::string Stores::content() const {
  std::string text;
  for (const char* sql : {"SELECT * FROM jobs ORDER BY id", "SELECT * FROM runs ORDER BY id",
                          "SELECT id, run, name, size, hex(content) FROM documents ORDER BY id"}) {
    for (const auto& row : lab_.database().rows(sql)) text += fmt::format("{}\n", fmt::join(row, "|"));
  }
  return text;
}

// The file would be waited for.
void Stores::leave_while_it_waits() {
  const system_test::BusClient client = lab_.connect(system_test::User{});
  Descriptor pipe = descriptors_.waiting();
  const Message call = restore_call(client, pipe.fd);
  other_ends_.push_back(std::move(pipe.other_end));
  if (sd_bus_send(client.raw(), call.get(), nullptr) < 0) throw std::runtime_error("send a call");
  // The daemon answers in the order of the calls, so it has received the file.
  (void)client.call(dbus::kManagerPath, "org.freedesktop.DBus.Peer", "Ping", "");
}

void Stores::fuzz(Calls& calls, std::uint64_t times, std::vector<std::string>& findings) {
  for (std::uint64_t done = 0; done < times && !calls.is_stuck(); ++done) {
    if (done % 4 == 0) leave_while_it_waits();
    Descriptor file = random_.happens(3) ? descriptors_.any() : descriptors_.file_of("a backup", backup_);
    Appended appended;
    appended.descriptors.push_back(std::move(file.what));
    if (file.other_end) appended.other_ends.push_back(std::move(file.other_end));
    calls.add_message(root_, restoring(), restore_call(*root_.client, file.fd), std::move(appended));
    calls.send();
    calls.wait();
  }
  if (const std::string error = put_back(); !error.empty()) return findings.push_back(error);
  if (content() != content_) findings.emplace_back("a backup that was restored has other rows than before");
}

}  // namespace netperfd::bus_fuzz
