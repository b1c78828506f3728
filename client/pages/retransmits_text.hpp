// SPDX-License-Identifier: GPL-2.0-or-later
// The part of a run's page about retransmissions (show_text.cpp assembles the page).
#pragma once

#include <string>

#include "client/rows/views.hpp"
#include "client/terminal/screen.hpp"

namespace netperfctl::show {

// The counts of retransmissions below one another, each with its unit and with what it covers: iperf3's,
// TcpRetransSegs of the run's network namespaces, and the event tcp:tcp_retransmit_skb if it was traced.
// Below them it says whether they are consistent. Empty if the run was not TCP, if fewer than two counts are
// known, or if all of them are 0.
[[nodiscard]] std::string retransmits_part(const Screen& screen, const ShowView& view);

}  // namespace netperfctl::show
