// The port of the core to files that users bring along: what is parsed, is parsed in a child without
// privileges.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/base/fd.hpp"
#include "daemon/model/trace_record.hpp"

namespace netperfd::core {

class TraceImport {
 public:
  virtual ~TraceImport() = default;
  using Done = std::function<void(Result<TraceRecord>)>;
  // Reads a trace.dat to its end in a child and calls `done` once, from the loop: with the record, or
  // invalid_argument with what is wrong with the file. Destroying the result kills the child and cancels the
  // call, also from inside it.
  [[nodiscard]] virtual Result<std::shared_ptr<void>> read(Fd file, Done done) = 0;
  // The end of a pipe out of which a child writes the recording as function_graph text. The child ends by
  // itself, also when nobody reads.
  [[nodiscard]] virtual Result<Fd> text(const std::string& recording) = 0;
};

}  // namespace netperfd::core
