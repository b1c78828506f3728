// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/run_order.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace netperfctl {
namespace {

template <class Value, class Less>
void sort_by(std::vector<RunView>& runs, std::optional<Value> RunView::* member, Less less) {
  std::ranges::stable_sort(runs, [&](const RunView& a, const RunView& b) {
    if (!(a.*member) || !(b.*member)) return (a.*member).has_value() && !(b.*member).has_value();
    return less(*(a.*member), *(b.*member));
  });
}

template <class Value>
void sort_figures(std::vector<RunView>& runs, std::optional<Value> RunView::* member, bool reverse) {
  if (reverse) return sort_by(runs, member, std::less{});
  sort_by(runs, member, std::greater{});
}

void sort_words(std::vector<RunView>& runs, std::optional<std::string> RunView::* member, bool reverse) {
  if (reverse) return sort_by(runs, member, std::greater{});
  sort_by(runs, member, std::less{});
}

}  // namespace

std::vector<std::string> sort_keys() {
  return {"received", "sent", "retransmits", "lost", "started", "scenario", "label", "state"};
}

void sort_runs(std::vector<RunView>& runs, std::string_view key, bool reverse) {
  if (key.empty() && reverse) std::ranges::reverse(runs);
  if (key == "received") sort_figures(runs, &RunView::received_bits_per_second, reverse);
  if (key == "sent") sort_figures(runs, &RunView::sent_bits_per_second, reverse);
  if (key == "retransmits") sort_figures(runs, &RunView::retransmits, reverse);
  if (key == "lost") sort_figures(runs, &RunView::lost_percent, reverse);
  if (key == "started") sort_figures(runs, &RunView::started_us, reverse);
  if (key == "scenario") sort_words(runs, &RunView::scenario, reverse);
  if (key == "label") sort_words(runs, &RunView::label, reverse);
  if (key == "state") sort_words(runs, &RunView::state, reverse);
}

const RunView* run_with_results(const std::vector<RunView>& runs) {
  const auto found = std::ranges::find(runs.rbegin(), runs.rend(), "finished", &RunView::state);
  return found == runs.rend() ? nullptr : &*found;
}

}  // namespace netperfctl
