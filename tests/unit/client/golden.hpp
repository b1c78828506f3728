// SPDX-License-Identifier: GPL-2.0-or-later
// Golden files in tests/data/client. NETPERFD_UPDATE_GOLDEN=1 rewrites them; check the difference before you
// commit it.
#pragma once

#include <string>

namespace netperfctl {

// Fails unless `text` equals the contents of the file `name`, byte for byte.
void expect_golden(const std::string& name, const std::string& text);

[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace netperfctl
