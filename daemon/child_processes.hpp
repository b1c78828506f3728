// SPDX-License-Identifier: GPL-2.0-or-later
// The processes that netperfd starts of its own program (docs/development.md, "Processes").
#pragma once

namespace netperfd {

// main() calls it before anything else. Returns only if this is no such process.
void run_as_child(int argc, char** argv);

}  // namespace netperfd
