// SPDX-License-Identifier: GPL-2.0-or-later
// Implements the core's FileImport: reads users' files in processes without privileges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
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
  std::size_t reads = 2;  // at a time, including killed ones; more are refused with busy
  std::size_t texts = 4;  // the same
};

// Call both methods only from the loop. The destructor kills all processes that it started and does not wait
// for their end; remaining handles of read() are dead then.
class ChildImport final : public core::FileImport {
 public:
  ChildImport(EventLoop& loop, ImportSettings settings)
      : loop_(loop), settings_(std::move(settings)), endings_(loop, [this] {
          if (room_) room_();
        }) {}
  ChildImport(const ChildImport&) = delete;
  ChildImport& operator=(const ChildImport&) = delete;
  ~ChildImport() override;

  [[nodiscard]] Result<std::shared_ptr<void>> read(ForeignFd file, std::uint64_t size, Done done) override;
  [[nodiscard]] bool has_room() override;
  void on_room(std::function<void()> room) override { room_ = std::move(room); }
  [[nodiscard]] Result<Fd> text(const Recording& recording, core::TextReader reader,
                                std::function<void()> ended) override;

 private:
  struct Writing {
    confined::Process process;
    EventSource exit;
    std::function<void()> ended;
  };
  [[nodiscard]] Result<confined::Process> start(reading::ReaderMode mode, ForeignFd in,
                                                std::uint64_t in_bytes, Fd out) const;
  [[nodiscard]] Status make_room();

  EventLoop& loop_;
  ImportSettings settings_;
  std::function<void()> room_;
  confined::Endings endings_;
  std::vector<std::weak_ptr<confined::Exchange>> readings_;
  std::list<Writing> writings_;
};

}  // namespace netperfd::import
