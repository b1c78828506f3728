// The end of what a command wrote, for the sentence that says how it failed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "daemon/base/fd.hpp"

namespace netperfd::command {

class OutputTail {
 public:
  static constexpr std::size_t kKeptBytes = 4096;

  void add(std::string_view bytes);
  // One line of printable text: each run of blanks and control characters is a space, and where the rest is
  // not UTF-8 its bytes beyond ASCII are question marks. Begins with "..." where something was left out.
  [[nodiscard]] std::string text() const;

 private:
  std::string bytes_;
  bool is_cut_ = false;
};

// Adds what can be read of the pipe just now, up to a limit for one turn of the loop. False once its other
// end is closed.
[[nodiscard]] bool read_into(OutputTail& tail, const Fd& pipe);

}  // namespace netperfd::command
