// How a job's design, and the place of one of its runs in it, are said.
#pragma once

#include <cstddef>
#include <string>

#include "client/views.hpp"

namespace netperfctl {

// "6 blocks of A list and B hash, ABBA or BAAB, each plain and traced"; empty of a job without a design.
[[nodiscard]] std::string design_words(const LiveJobView& job);

// "block 2, B hash, traced"; empty of a run without a design.
[[nodiscard]] std::string arm_words(const RunView& run);
// Of the job's run at this place of its list.
[[nodiscard]] std::string arm_words(const LiveJobView& job, std::size_t place);
// "2B traced hash"
[[nodiscard]] std::string short_arm_words(const RunView& run);

// "list" becomes "A list", and "A" stays.
[[nodiscard]] std::string side_words(char side, const std::string& name);

// The same words behind as many spaces as the job's longest have more, so that what follows stands in a
// column.
[[nodiscard]] std::string padded_arm_words(const LiveJobView& job, std::size_t place);

}  // namespace netperfctl
