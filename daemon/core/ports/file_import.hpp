// SPDX-License-Identifier: GPL-2.0-or-later
// The core's port to files that users import. All parsing happens in a child without privileges.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/base/foreign_fd.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::core {

// Who reads a recording as text. From the owner, tasks of other users are hidden.
enum class TextReader { root, owner };

class FileImport {
 public:
  virtual ~FileImport() = default;
  using Done = std::function<void(Result<ImportedFile>)>;
  // Reads a file to its end in a child, whatever its content, and calls `done` once, from the loop: with the
  // contents, or with invalid_argument and what is wrong with the file. `size` is the size that the caller
  // checked; a file whose size has changed since is refused. Destroying the result kills the child and
  // cancels the call, even from inside it. Neither this call nor destroying the result ever waits for the
  // file. `owner` is the user whose file it is.
  [[nodiscard]] virtual Result<std::shared_ptr<void>> read(uid_t owner, ForeignFd file, std::uint64_t size,
                                                           Done done) = 0;
  // Whether another import of this user should begin now. A killed child, which may wait for a file of its
  // user for ever, takes a place of that user alone until it has ended.
  [[nodiscard]] virtual bool has_room(uid_t owner) = 0;
  // From now on, `room` is called from the loop each time such a child has ended.
  virtual void on_room(std::function<void()> room) = 0;
  // Returns the bytes of a recording, which may be large.
  using Recording = std::function<Result<std::string>()>;
  // Returns the read end of a pipe to which a child writes the recording as function_graph text. `recording`
  // is called inside this call, and only if there is room for another child of the user `owner`. The child
  // ends by itself, even if nobody reads. Then `ended` is called once, from the loop, unless the call failed
  // or this object is gone.
  [[nodiscard]] virtual Result<Fd> text(uid_t owner, const Recording& recording, TextReader reader,
                                        std::function<void()> ended) = 0;
};

}  // namespace netperfd::core
