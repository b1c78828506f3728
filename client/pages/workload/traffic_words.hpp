// SPDX-License-Identifier: GPL-2.0-or-later
// Words for runs that moved bytes, whatever tool did it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "client/rows/views.hpp"

namespace netperfctl {

// "79.6 Mbit/s received, 0.2 % lost"; `unknown` without any sum of bytes.
[[nodiscard]] std::string received_words(const ShowView& view, std::string_view unknown);
// "transactions 13220.2 transactions/s, round_trip.p99 1.643e+06 ns": those of the names that the run has;
// without any, its first figure.
[[nodiscard]] std::string figures_in_words(const ShowView& view,
                                           std::initializer_list<std::string_view> names);
// "iperf3 3.12, TCP (cubic), 1 stream, 10 s"; `more` follows the length.
[[nodiscard]] std::string traffic_words(const RunView& run, std::string tool, std::string_view more = "");

// "iperf3 3.12"
[[nodiscard]] std::string iperf3_words(const RunView& run);

}  // namespace netperfctl
