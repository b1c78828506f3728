// SPDX-License-Identifier: GPL-2.0-or-later
// Describes a job's design and the place of a run in it.
#pragma once

#include <cstddef>
#include <string>

#include "client/rows/views.hpp"

namespace netperfctl {

// "6 blocks of A list and B hash, ABBA or BAAB, each plain and traced"; empty if the job has no design.
[[nodiscard]] std::string design_words(const LiveJobView& job);

// Whether its job has a design. The sides of an imported table may have no blocks.
[[nodiscard]] bool has_slot(const RunView& run);
// "block 2, streams=4, length=512, B hash, traced"; empty if the run has no design.
[[nodiscard]] std::string slot_words(const RunView& run);
// The same for the job's run at this index.
[[nodiscard]] std::string slot_words(const LiveJobView& job, std::size_t place);
// "2B traced hash streams=4, length=512", "A before"
[[nodiscard]] std::string short_slot_words(const RunView& run);

// "list" becomes "A list", and "A" stays.
[[nodiscard]] std::string side_words(char side, const std::string& name);

// The same words, padded with trailing spaces to the length of the job's longest, so that columns align.
[[nodiscard]] std::string padded_slot_words(const LiveJobView& job, std::size_t place);

// "is held before the reboot into side hash (boot 2 of 4)": what the job waits for, if it does, and in which
// of its boots it is, if it has rebooted the machine. A job whose boots did not all succeed, or that is on
// its way back, has more than it planned: "boot 5, 4 planned".
[[nodiscard]] std::string waiting_words(const LiveJobView& job);

}  // namespace netperfctl
