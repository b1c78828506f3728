// SPDX-License-Identifier: GPL-2.0-or-later
// Documents of runs in memory files, whose descriptors callers get.
//
// Such a file is the daemon's memory for as long as anybody has it open, and a caller may keep its descriptor
// for ever. So each document has one file, however often it is asked for, and what a user has open is
// limited. The kernel tells when the last descriptor is closed: only then does it grant a lease to write.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <set>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::bus {

struct DocumentLimits {
  std::size_t user_bytes = std::size_t{64} << 20U;  // open at a time; one longer document alone is allowed
  std::size_t user_files = 64;
  std::size_t all_bytes = std::size_t{256} << 20U;
  std::size_t all_files = 256;
  std::chrono::milliseconds look = std::chrono::seconds{10};  // how often it looks for closed ones
};

class Documents {
 public:
  using Read = std::function<Result<std::string>()>;

  explicit Documents(EventLoop& loop, const DocumentLimits& limits = {}) : loop_(loop), limits_(limits) {}
  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;

  // A descriptor of its own of the document's file, only to read, at offset 0. The content is sealed against
  // writing and growing. `read` gives the bytes if the file does not exist yet. busy if the user, or all
  // together, have too much open.
  [[nodiscard]] Result<Fd> open(uid_t user, RunId run, const std::string& name, const Read& read);
  // From now on no document is one of these: another store has come.
  void forget() {
    for (File& file : files_) file.run = 0;
  }
  // Number of files; those that nobody has open any more count until they are looked at.
  [[nodiscard]] std::size_t files() const { return files_.size(); }

 private:
  struct File {
    RunId run = 0;
    std::string name;
    std::size_t bytes = 0;
    std::set<uid_t> users;  // who asked for it
    Fd own;
  };
  struct Held {
    std::size_t files = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] Status expect_room(uid_t user, std::size_t bytes, bool is_new) const;
  // Gives back the memory of files that nobody else has open.
  void look();

  EventLoop& loop_;
  DocumentLimits limits_;
  std::list<File> files_;
  EventSource timer_;
};

}  // namespace netperfd::bus
