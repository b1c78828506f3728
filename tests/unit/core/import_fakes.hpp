// SPDX-License-Identifier: GPL-2.0-or-later
// A FileImport that parses nothing: the test decides what a file contains.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/core/ports/file_import.hpp"

namespace netperfd::core {

class FakeFileImport final : public FileImport {
 public:
  struct Reading {
    std::optional<ForeignFd> file;  // while it is read
    std::uint64_t size = 0;
    Done done;
    bool alive = true;

    // The caller may destroy the result of read() inside this call.
    void end(Result<ImportedFile> parsed) {
      const Done copy = std::move(done);
      copy(std::move(parsed));
    }
  };

  Result<std::shared_ptr<void>> read(uid_t /*owner*/, ForeignFd file, std::uint64_t size,
                                     Done done) override {
    if (refusal) return std::unexpected(*refusal);
    auto reading = std::make_shared<Reading>(Reading{std::move(file), size, std::move(done)});
    readings.push_back(reading);
    if (began) began();
    return std::shared_ptr<void>{reading.get(), [reading](void*) {
                                   reading->alive = false;
                                   reading->done = nullptr;
                                   reading->file.reset();
                                 }};
  }

  bool has_room(uid_t owner) override { return room && owner != without_room; }
  void on_room(std::function<void()> callback) override { on_room_ = std::move(callback); }
  // Says that killed children have ended.
  void make_room() {
    room = true;
    without_room.reset();
    if (on_room_) on_room_();
  }

  Result<Fd> text(uid_t owner, const Recording& recording, TextReader reader,
                  std::function<void()> ended) override {
    last_owner = owner;
    last_reader = reader;
    if (refusal) return std::unexpected(*refusal);
    const auto bytes = recording();
    if (!bytes) return std::unexpected(bytes.error());
    auto pipe = make_pipe();
    if (!pipe) return std::unexpected(pipe.error());
    const std::string written = "text of " + *bytes;
    (void)!::write(pipe->write.get(), written.data(), written.size());
    texts.push_back(std::move(ended));
    return std::move(pipe->read);
  }

  Reading& last() { return *readings.back(); }
  [[nodiscard]] long alive() const {
    return std::ranges::count_if(readings, [](const auto& reading) { return reading->alive; });
  }

  bool room = true;
  std::optional<uid_t> without_room;  // the user whose child was killed
  std::optional<Error> refusal;
  std::function<void()> began;  // called when reading begins; must not end it at once, since reading takes
                                // time
  std::vector<std::shared_ptr<Reading>> readings;
  std::optional<TextReader> last_reader;     // of a text
  std::optional<uid_t> last_owner;           // the same
  std::vector<std::function<void()>> texts;  // call one to end its child

 private:
  std::function<void()> on_room_;
};

}  // namespace netperfd::core
