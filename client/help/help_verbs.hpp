// SPDX-License-Identifier: GPL-2.0-or-later
// The verbs that explain the others.
#pragma once

#include "client/verbs/verbs.hpp"

namespace netperfctl {

// `app` is borrowed and outlives the verb.
[[nodiscard]] Verb add_help(CLI::App& app, const Settings& settings);

}  // namespace netperfctl
