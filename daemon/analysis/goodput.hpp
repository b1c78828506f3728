// The bytes that the figures of a function profile are divided by.
#pragma once

#include <cstdint>
#include <optional>

#include "daemon/model/run_record.hpp"

namespace netperfd::analysis {

// Bytes that arrived in the whole run, over all directions, the omitted part included: a trace covers that
// too. Absent where the received bytes of some direction are not known. Of the omitted part of a direction in
// which the client sends, iperf3 tells only what was sent: of datagrams as many of them are taken to have
// arrived as in the counted part.
[[nodiscard]] std::optional<std::uint64_t> goodput_of(const Iperf3Report& report);

}  // namespace netperfd::analysis
