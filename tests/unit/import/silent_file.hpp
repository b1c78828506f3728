// A file whose file system in user space does not answer.
#pragma once

#include <cstdint>
#include <memory>
#include <thread>
#include <utility>

#include "daemon/base/fd.hpp"

namespace netperfd::import::test {

// It can be opened and looked at; whoever reads or closes it waits, and no signal ends that. Until let_go(),
// destruction or half a minute, so that a test which waits for it fails and does not hang.
class SilentFile {
 public:
  static constexpr std::uint64_t kSize = 4096;

  // Null where no such file system can be mounted.
  [[nodiscard]] static std::unique_ptr<SilentFile> make();
  SilentFile(const SilentFile&) = delete;
  SilentFile& operator=(const SilentFile&) = delete;
  ~SilentFile();

  [[nodiscard]] Fd take() { return std::move(file_); }
  void let_go();

 private:
  SilentFile() = default;
  void serve();
  void answer();

  Fd device_, stop_, file_;
  std::thread server_;
};

}  // namespace netperfd::import::test
