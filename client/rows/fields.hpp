// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptions of the rows that only the client makes, in the form of dbus/rows/field.hpp.
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "client/rows/comparison_views.hpp"
#include "client/rows/plan_views.hpp"
#include "client/rows/views.hpp"
#include "dbus/rows/field.hpp"

namespace netperfd::rows {

template <>
inline constexpr auto kFields<netperfctl::LiveJobView> =
    std::tuple{field("job", &netperfctl::LiveJobView::job),
               field("scenario", &netperfctl::LiveJobView::scenario),
               field("label", &netperfctl::LiveJobView::label),
               field("owner", &netperfctl::LiveJobView::owner),
               field("runs", &netperfctl::LiveJobView::runs),
               field("planned_s", &netperfctl::LiveJobView::planned_s),
               field("state", &netperfctl::LiveJobView::state),
               field("runs_ended", &netperfctl::LiveJobView::runs_ended),
               field("runs_finished", &netperfctl::LiveJobView::runs_finished),
               field("current_run", &netperfctl::LiveJobView::current_run),
               field("run_state", &netperfctl::LiveJobView::run_state),
               field("progress", &netperfctl::LiveJobView::progress),
               field("queue_position", &netperfctl::LiveJobView::queue_position),
               field("expected_end_us", &netperfctl::LiveJobView::expected_end_us),
               field("error", &netperfctl::LiveJobView::error),
               field("purpose", &netperfctl::LiveJobView::purpose),
               field("blocks", &netperfctl::LiveJobView::blocks),
               field("variant_a", &netperfctl::LiveJobView::variant_a),
               field("variant_b", &netperfctl::LiveJobView::variant_b),
               field("plain", &netperfctl::LiveJobView::plain),
               field("seed", &netperfctl::LiveJobView::seed),
               field("changed", &netperfctl::LiveJobView::changed),
               field("block", &netperfctl::LiveJobView::block),
               field("letter", &netperfctl::LiveJobView::letter),
               field("variant", &netperfctl::LiveJobView::variant),
               field("traced", &netperfctl::LiveJobView::traced),
               field("waiting", &netperfctl::LiveJobView::waiting),
               field("boots", &netperfctl::LiveJobView::boots),
               field("boots_planned", &netperfctl::LiveJobView::boots_planned),
               field("side", &netperfctl::LiveJobView::side),
               field("look", &netperfctl::LiveJobView::look),
               field("points", &netperfctl::LiveJobView::points)};
static_assert(kDescribed<netperfctl::LiveJobView>);

template <>
inline constexpr auto kFields<netperfctl::SliceView> = std::tuple{
    field("event", &netperfctl::SliceView::event), field("start_s", &netperfctl::SliceView::start_s),
    field("seconds", &netperfctl::SliceView::seconds), field("count", &netperfctl::SliceView::count)};
static_assert(kDescribed<netperfctl::SliceView>);

template <>
inline constexpr auto kFields<netperfctl::FunctionSliceView> =
    std::tuple{field("function", &netperfctl::FunctionSliceView::function),
               field("module", &netperfctl::FunctionSliceView::module),
               field("duplicate", &netperfctl::FunctionSliceView::duplicate),
               field("start_s", &netperfctl::FunctionSliceView::start_s),
               field("seconds", &netperfctl::FunctionSliceView::seconds),
               field("hits", &netperfctl::FunctionSliceView::hits),
               field("self_ns", &netperfctl::FunctionSliceView::self_ns)};
static_assert(kDescribed<netperfctl::FunctionSliceView>);

template <>
inline constexpr auto kFields<netperfctl::FunctionHitsView> =
    std::tuple{field("function", &netperfctl::FunctionHitsView::function),
               field("hits", &netperfctl::FunctionHitsView::hits)};
static_assert(kDescribed<netperfctl::FunctionHitsView>);

}  // namespace netperfd::rows

namespace netperfctl {

// Whether a member is a list of rows within a row.
template <class Member>
inline constexpr bool kHasRows = false;
template <netperfd::rows::Described Row>
inline constexpr bool kHasRows<std::optional<std::vector<Row>>> = true;

// visit(key, member, unit), the unit empty where the key says it.
template <netperfd::rows::Described Row, class Visit>
void each_field(Row&& row, Visit&& visit) {
  netperfd::rows::visit_fields(
      row, [&visit](const auto& field, auto& member) { visit(field.key, member, field.unit); });
}

}  // namespace netperfctl
