// SPDX-License-Identifier: GPL-2.0-or-later
// Signatures of bundles, by ssh-keygen of OpenSSH.
#pragma once

#include <string>

#include "client/base/outcome.hpp"

namespace netperfctl {

// Writes FILE.sig. ssh-keygen may ask for the key's passphrase.
[[nodiscard]] Outcome<void> sign_file(const std::string& key, const std::string& file);

// Checks the open file `fd` against FILE.sig. Returns who signed it, as `allowed_signers` names the key.
[[nodiscard]] Outcome<std::string> verify_file(const std::string& allowed_signers, const std::string& file,
                                               int fd);

}  // namespace netperfctl
