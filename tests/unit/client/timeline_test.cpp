// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/pages/timeline.hpp"

#include <gtest/gtest.h>

#include "client/rows/interval_points.hpp"
#include "tests/unit/client/samples.hpp"

namespace netperfctl {
namespace {

ShowView with_omitted() {
  ShowView view;
  view.details.run.omit_s = 1;
  for (const double start : {0.0, 0.0, 1.0}) {
    IntervalView row;
    row.direction = Direction::send;
    row.sender = true;
    row.omitted = view.intervals.empty();
    row.start_s = start;
    row.end_s = start + 1;
    row.bits_per_second = 1e6 * static_cast<double>(view.intervals.size() + 1);
    view.intervals.push_back(row);
  }
  view.over_time = points_of(view.intervals);
  return view;
}

TEST(Timeline, counts_the_omitted_part_as_time_before_the_rest) {
  const ShowView view = with_omitted();
  const TimeAxis axis = time_axis(view, 40);
  EXPECT_DOUBLE_EQ(axis.end_s, 3);
  EXPECT_EQ(axis.cells, 3U);
  EXPECT_EQ(rate_cells(axis, view, Direction::send, true), (TimeCells{1e6, 2e6, 3e6}));
}

TEST(Timeline, knows_nothing_of_a_side_that_reported_nothing) {
  const ShowView view = with_omitted();
  EXPECT_EQ(rate_cells(time_axis(view, 40), view, Direction::send, false), TimeCells(3));
}

// Points of several intervals: the last one has fewer of them, and is no leftover for that.
TEST(Timeline, of_points_has_the_last_one_too_and_is_as_fine_as_the_intervals) {
  ShowView view;
  for (const double start : {0.0, 100.0, 200.0}) {
    IntervalPointView& point = view.over_time.points.emplace_back();
    point.start_s = start;
    point.end_s = start < 200 ? start + 100 : 225;
    point.longest_s = 1;
    point.intervals = static_cast<std::uint64_t>(point.end_s - start);
    point.bits_per_second = start + 1e6;
  }
  // A leftover is one of a single interval.
  IntervalPointView& leftover = view.over_time.points.emplace_back();
  leftover.start_s = 225;
  leftover.end_s = 225.001;
  leftover.longest_s = 0.001;
  leftover.intervals = 1;
  leftover.bits_per_second = 1e12;
  EXPECT_EQ(time_axis(view, 9).cells, 9U);
  EXPECT_EQ(time_axis(view, 1000).cells, 225U);
  EXPECT_EQ(rate_cells({.end_s = 225, .cells = 9}, view, Direction::send, true).back(), 200 + 1e6);
}

TEST(Timeline, is_never_finer_than_the_room) {
  EXPECT_EQ(time_axis(samples::traced(), 12).cells, 12U);
  EXPECT_EQ(time_axis(samples::traced(), 40).cells, 22U);
}

TEST(Timeline, of_slices_keeps_their_number_whatever_the_cells) {
  const TimeAxis axis{.end_s = 4, .cells = 2};
  EXPECT_EQ(event_cells(axis, std::vector<std::uint64_t>{1, 3, 0, 8}, {.slice_s = 1}), (TimeCells{2.0, 4.0}));
}

TEST(Timeline, takes_slices_that_were_left_out_at_the_end_for_none) {
  const TimeAxis axis{.end_s = 3, .cells = 3};
  EXPECT_EQ(event_cells(axis, std::vector<std::uint64_t>{5}, {.slice_s = 1}), (TimeCells{5.0, 0.0, 0.0}));
}

TEST(Timeline, of_a_trace_that_broke_knows_nothing_after_its_last_event) {
  TraceDetails details = *samples::trace_broken().trace;
  const SliceTime time = slice_time(details);
  EXPECT_DOUBLE_EQ(time.known_to_s, 10.5);
  EXPECT_EQ(
      event_cells({.end_s = 4, .cells = 4}, std::vector<std::uint64_t>{5}, {.slice_s = 1, .known_to_s = 2}),
      (TimeCells{5.0, 0.0, {}, {}}));
  details.trace.broken.reset();
  EXPECT_GT(slice_time(details).known_to_s, 1e9);
}

TEST(Timeline, where_records_were_lost_does_not_know_that_there_were_none) {
  TraceDetails details = *samples::traced().trace;
  EXPECT_FALSE(slice_time(details).gaps);
  details.cpus.front().damaged = 1;
  EXPECT_TRUE(slice_time(details).gaps);
  details.cpus.clear();
  details.trace.lost = 1;
  EXPECT_TRUE(slice_time(details).gaps);
  EXPECT_EQ(event_cells({.end_s = 3, .cells = 3}, std::vector<std::uint64_t>{5, 0, 2},
                        {.slice_s = 1, .gaps = true}),
            (TimeCells{5.0, {}, 2.0}));
}

TEST(Timeline, the_busiest_second_is_a_second_wherever_it_begins) {
  std::vector<std::uint64_t> slices{0, 9, 0, 7, 8, 1, 0, 0};
  EXPECT_DOUBLE_EQ(*busiest_second({.end_s = 4, .cells = 8}, slices, {.slice_s = 0.25}), 24);
  EXPECT_DOUBLE_EQ(*busiest_second({.end_s = 16, .cells = 8}, slices, {.slice_s = 2}), 4.5);
  EXPECT_DOUBLE_EQ(*busiest_second({.end_s = 0.5, .cells = 8}, slices, {.slice_s = 0.0625}), 50)
      << "of a shorter run its mean";
  slices = {12};
  EXPECT_DOUBLE_EQ(*busiest_second({.end_s = 4, .cells = 8}, slices, {.slice_s = 0.008}), 12)
      << "one burst is no rate that lasts";
  EXPECT_FALSE(busiest_second({.end_s = 4, .cells = 8}, slices, SliceTime{}));
}

TEST(Timeline, without_a_slice_width_is_unknown) {
  EXPECT_EQ(event_cells({.end_s = 3, .cells = 3}, std::vector<std::uint64_t>{5}, SliceTime{}), TimeCells(3));
}

TEST(Timeline, of_a_run_that_was_only_watched_is_as_long_as_it_was_watched) {
  ShowView view = samples::trace_only();
  view.details.run.ended_us = *view.details.run.started_us + 60'000'000;
  EXPECT_DOUBLE_EQ(time_axis(view, 40).end_s, 60);
}

TEST(Timeline, of_a_run_without_intervals_is_as_long_as_its_events_and_marks) {
  ShowView view = samples::trace_only();
  view.details.run.ended_us.reset();
  EXPECT_DOUBLE_EQ(time_axis(view, 40).end_s, 11) << "to the nearest whole slice";
  EXPECT_DOUBLE_EQ(time_axis(view, 10).end_s, 11.004) << "where cells are no slices";
  view.trace->marks.clear();
  EXPECT_DOUBLE_EQ(time_axis(view, 40).end_s, 10.5);
  view.trace->events.clear();
  EXPECT_EQ(time_axis(view, 40).cells, 0U);
}

TEST(Timeline, draws_none_unlike_few_and_unknown_unlike_both) {
  const Screen screen = samples::terminal(80);
  EXPECT_EQ(draw_cells(screen, {0.0, 0.1, {}, 100.0, {}}, Zero::dot), "·▁ █");
  EXPECT_EQ(draw_cells(screen, {0.0, 50.0, 100.0}, Zero::glyph), "▁▅█");
  EXPECT_EQ(draw_cells(screen, {90.0, 95.0, 100.0}, Zero::glyph), "███") << "the scale begins at zero";
  EXPECT_EQ(draw_cells(screen, {0.0, {}}, Zero::glyph), "▁");
  EXPECT_EQ(draw_cells(screen, {{}, {}}, Zero::glyph), "");
  EXPECT_EQ(highest_of({1.0, {}, 3.0}), 3.0);
  EXPECT_FALSE(highest_of({{}, {}}));
  Screen ascii = screen;
  ascii.glyphs = false;
  EXPECT_EQ(draw_cells(ascii, {1.0}, Zero::dot), "");
}

TEST(Timeline, marks_of_users_have_letters_and_win_over_netperfds_own) {
  const std::vector<MarkView> marks{
      {.time_s = -1, .text = "start", .user = false}, {.time_s = 0, .text = "release", .user = false},
      {.time_s = 0.1, .text = "one", .user = true},   {.time_s = 2.5, .text = "two", .user = true},
      {.time_s = 2.6, .text = "three", .user = true}, {.time_s = 4.001, .text = "end", .user = false}};
  EXPECT_EQ(draw_marks({.end_s = 4, .cells = 4}, marks), "a +|");
}

TEST(Timeline, letters_end_with_the_alphabet) {
  EXPECT_EQ(mark_letter(0), 'a');
  EXPECT_EQ(mark_letter(25), 'z');
  EXPECT_EQ(mark_letter(26), '*');
}

}  // namespace
}  // namespace netperfctl
