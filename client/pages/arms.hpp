// SPDX-License-Identifier: GPL-2.0-or-later
// Describes a job's design and the place of a run in it.
#pragma once

#include <cstddef>
#include <string>

#include "client/rows/views.hpp"

namespace netperfctl {

// "6 blocks of A list and B hash, ABBA or BAAB, each plain and traced"; empty if the job has no design.
[[nodiscard]] std::string design_words(const LiveJobView& job);

// "block 2, B hash, traced"; empty if the run has no design.
[[nodiscard]] std::string arm_words(const RunView& run);
// The same for the job's run at this index.
[[nodiscard]] std::string arm_words(const LiveJobView& job, std::size_t place);
// "2B traced hash"
[[nodiscard]] std::string short_arm_words(const RunView& run);

// "list" becomes "A list", and "A" stays.
[[nodiscard]] std::string side_words(char side, const std::string& name);

// The same words, padded with trailing spaces to the length of the job's longest, so that columns align.
[[nodiscard]] std::string padded_arm_words(const LiveJobView& job, std::size_t place);

}  // namespace netperfctl
