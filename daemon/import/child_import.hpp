// SPDX-License-Identifier: GPL-2.0-or-later
// Implements the core's FileImport: reads users' files in processes without privileges.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/confined/endings.hpp"
#include "daemon/confined/exchange.hpp"
#include "daemon/confined/process.hpp"
#include "daemon/core/ports/file_import.hpp"
#include "daemon/reading/reader.hpp"

namespace netperfd::import {

struct ImportSettings {
  reading::ReaderSettings reader;
  std::size_t answer_limit_bytes = std::size_t{64} << 20;  // half of it for the file as it is
  std::size_t reads = 4;                                   // at a time; more are refused with busy
  std::size_t killed = 8;  // of users other than root, killed and not ended: none of these is read then
  std::size_t texts = 4;   // of users other than root
  std::size_t texts_of_user = 2;  // the same
};

// Call both methods only from the loop. The destructor kills all processes that it started and does not wait
// for their end; remaining handles of read() are dead then.
class ChildImport final : public core::FileImport {
 public:
  ChildImport(EventLoop& loop, ImportSettings settings) : loop_(loop), settings_(std::move(settings)) {}
  ChildImport(const ChildImport&) = delete;
  ChildImport& operator=(const ChildImport&) = delete;
  ~ChildImport() override;

  [[nodiscard]] Result<std::shared_ptr<void>> read(uid_t owner, ForeignFd file, std::uint64_t size,
                                                   Done done) override;
  [[nodiscard]] bool has_room(uid_t owner) override;
  void on_room(std::function<void()> room) override { room_ = std::move(room); }
  [[nodiscard]] Result<Fd> text(uid_t owner, const Recording& recording, core::TextReader reader,
                                std::function<void()> ended) override;

 private:
  struct Writing {
    uid_t owner;
    confined::Process process;
    EventSource exit;
    std::function<void()> ended;
  };
  [[nodiscard]] Result<confined::Process> start(reading::ReaderMode mode, ForeignFd in,
                                                std::uint64_t in_bytes, Fd out) const;
  [[nodiscard]] bool has_place();
  [[nodiscard]] confined::Endings& endings_of(uid_t owner);
  [[nodiscard]] bool has_room_for_text(uid_t owner) const;

  EventLoop& loop_;
  ImportSettings settings_;
  std::function<void()> room_;
  std::map<uid_t, confined::Endings> endings_;  // of the files of each user
  std::vector<std::weak_ptr<confined::Exchange>> readings_;
  std::list<Writing> writings_;
};

}  // namespace netperfd::import
