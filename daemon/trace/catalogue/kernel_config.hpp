// SPDX-License-Identifier: GPL-2.0-or-later
// The build configuration of the running kernel, if available.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace netperfd::trace {

class KernelConfig {
 public:
  // Usually /proc/config.gz and /boot/config-RELEASE; the first readable one is used. Nothing is read before
  // it is asked for.
  KernelConfig(std::string gzipped, std::string plain);

  // "y", "m" or another value; "n" if the option is not set or does not exist. Absent if no file can be read.
  [[nodiscard]] std::optional<std::string> value(std::string_view option);

 private:
  std::string gzipped_;
  std::string plain_;
  std::optional<std::string> text_;  // once read; empty if no file was readable
};

}  // namespace netperfd::trace
