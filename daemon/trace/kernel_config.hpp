// What the running kernel was built with, where it tells.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace netperfd::trace {

class KernelConfig {
 public:
  // Usually /proc/config.gz and /boot/config-RELEASE; the first that can be read counts. Nothing is read
  // before it is asked for.
  KernelConfig(std::string gzipped, std::string plain);

  // "y", "m" or another value; "n" where the option is not set or does not exist. Absent where no file can be
  // read.
  [[nodiscard]] std::optional<std::string> value(std::string_view option);

 private:
  std::string gzipped_;
  std::string plain_;
  std::optional<std::string> text_;  // once read; empty where no file could be
};

}  // namespace netperfd::trace
