// SPDX-License-Identifier: GPL-2.0-or-later
// A job that measures until its comparison is decided: when it is looked at, and what that says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/analysis/compare/looks.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/queue/live_job.hpp"
#include "daemon/model/comparison.hpp"

namespace netperfd::core {

[[nodiscard]] analysis::Looks looks_of(const JobSpec& spec);

// The number of blocks, if a look is due before the job's next run: that begins a block, and so many have
// ended. It depends on nothing that a restart loses.
[[nodiscard]] std::optional<std::uint32_t> due_look(const LiveJob& job);

// Whether no figure needs more blocks: each is better, worse or equivalent.
[[nodiscard]] bool is_decided(const Comparison& comparison);

// "received +1.2 % (-0.3 to +2.9 %), undecided at 12 of at most 40 blocks; next look at 18", or why the sides
// were not compared.
[[nodiscard]] std::string words_of_look(const Result<Comparison>& comparison, const analysis::Looks& looks,
                                        std::uint32_t blocks);

}  // namespace netperfd::core
