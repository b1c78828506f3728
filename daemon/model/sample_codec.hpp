// SPDX-License-Identifier: GPL-2.0-or-later
// The lists of a sample profile as bytes, as the database keeps them. docs/database.md has the format.
#pragma once

#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/model/sample_profile.hpp"

namespace netperfd {

// Only frames, nodes and builds. invalid_argument: a node names a frame or a parent that is not there.
[[nodiscard]] Result<std::string> encode_stacks(const SampleProfile& profile);

// Fills frames, nodes and builds. io: the bytes are damaged.
[[nodiscard]] Status decode_stacks(std::string_view bytes, SampleProfile& profile);

}  // namespace netperfd
