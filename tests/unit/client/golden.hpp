// Golden files in tests/data/client. NETPERFD_UPDATE_GOLDEN=1 writes them anew; read the difference before
// you keep it.
#pragma once

#include <string>

namespace netperfctl {

// Fails where `text` is not, byte for byte, what the file `name` holds.
void expect_golden(const std::string& name, const std::string& text);

[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace netperfctl
