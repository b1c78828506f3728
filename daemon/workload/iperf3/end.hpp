// SPDX-License-Identifier: GPL-2.0-or-later
// The final sums of iperf3's document: which direction they are of, and which side counted them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"
#include "daemon/workload/iperf3/document.hpp"

namespace netperfd::workload {

struct EndGroup {
  Direction direction;
  const EndFigures* figures;  // of the document
};

// The sums by direction: one, or two for a bidirectional test.
[[nodiscard]] std::vector<EndGroup> end_groups(const Iperf3Document& document, const TestSpec& asked);

// Whether the side that wrote the document sent the data of a direction.
[[nodiscard]] bool writer_sends(const Iperf3Document& document, Direction direction);

// The far side's figures reach the writer only in the exchange of results after the test. If that never took
// place, or only after a server had printed its document, iperf3 prints zeros for them, which mean "unknown".
[[nodiscard]] bool far_side_answered(const Iperf3Document& document, const TestSpec& asked);

// Before 3.11 a UDP test has only `sum`: the sender's bytes together with the receiver's jitter and loss.
[[nodiscard]] bool is_sum_alone(const EndFigures& figures, Protocol protocol);

// The bytes that arrived of a sum alone. Absent if iperf3 does not report the loss.
[[nodiscard]] std::optional<std::uint64_t> bytes_less_lost(const Figures& sum,
                                                           std::optional<std::uint64_t> block_bytes);

// Null if there are no figures.
[[nodiscard]] const Figures* speaker_of(const StreamFigures& stream);
[[nodiscard]] const Figures* pointer(const std::optional<Figures>& figures);

}  // namespace netperfd::workload
