// The port of the core to files that users bring along: what is parsed, is parsed in a child without
// privileges.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/model/imported_file.hpp"

namespace netperfd::core {

class FileImport {
 public:
  virtual ~FileImport() = default;
  using Done = std::function<void(Result<ImportedFile>)>;
  // Reads a file to its end in a child, whatever it is, and calls `done` once, from the loop: with what it
  // holds, or invalid_argument with what is wrong with it. `size` is the file's as the caller checked it: one
  // that has another size by then is refused. Destroying the result kills the child and cancels the call,
  // also from inside it. Never waits for the file, nor does what it returns.
  [[nodiscard]] virtual Result<std::shared_ptr<void>> read(Fd file, std::uint64_t size, Done done) = 0;
  // Gives the bytes of a recording, which may be many.
  using Recording = std::function<Result<std::string>()>;
  // The end of a pipe out of which a child writes the recording as function_graph text. `recording` is asked
  // for inside the call, and only where there is room for another child. The child ends by itself, also when
  // nobody reads; then `ended` is called once, from the loop, unless the call failed or this object is gone.
  [[nodiscard]] virtual Result<Fd> text(const Recording& recording, std::function<void()> ended) = 0;
};

}  // namespace netperfd::core
