// The keys of what was counted: a part of client/fields.hpp, which says what each_field() is.
#pragma once

#include "client/counter_views.hpp"
#include "client/row_of.hpp"

namespace netperfctl {

template <RowOf<CounterView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("source", row.source);
  visit("netns", row.netns);
  visit("name", row.name);
  visit("delta", row.delta);
  visit("unit", row.unit);
}

template <RowOf<TcpSampleView> Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  visit("time_s", row.time_s);
  visit("local_port", row.local_port);
  visit("remote_port", row.remote_port);
  visit("snd_cwnd", row.snd_cwnd, "_segments");
  visit("rtt", row.rtt, "_us");
  visit("rttvar", row.rttvar, "_us");
  visit("retransmits", row.retransmits);
  visit("delivery_bits_per_second", row.delivery_bits_per_second);
  visit("pacing_bits_per_second", row.pacing_bits_per_second);
}

}  // namespace netperfctl
