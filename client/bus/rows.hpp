// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the rows of a message into views, without a map and a variant for each value. The member of an absent
// key stays empty, and a key that the view does not know is ignored, with a value of any type. Of a key that
// comes twice, the first one counts. A key with another type than in the XML, a row without a key that is
// always there, or a word that is none throws sdbus::Error.
//
// The message is not trusted: it may say that it has any number of rows, but only so many are read.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "client/rows/fields.hpp"
#include "client/rows/views.hpp"
#include "dbus/compat.hpp"
#include "dbus/names.hpp"

namespace netperfctl {

// The rows that follow in a message, entry by entry. All throw sdbus::Error.
class RowSource {
 public:
  // A row takes 8 bytes of a message at least, and its view up to some KiB. netperfd sends no more rows than
  // this, since its messages are below 1 MiB.
  static constexpr std::size_t kMostRows = 65'536;

  explicit RowSource(const sdbus::Message& message) : message_(netperfd::dbus::RawMessage::of(message)) {}

  void enter_list();
  [[nodiscard]] bool at_end_of_list();
  void enter_row();
  // Goes to the next entry of a row; false at its end.
  [[nodiscard]] bool next(std::string_view& key);
  void leave();  // what was entered last: a list, a row, or an entry whose value was read

  // Of the value of an entry. They throw if it has another type.
  void read(bool& value);
  void read(std::uint16_t& value);
  void read(std::uint32_t& value);
  void read(std::uint64_t& value);
  void read(std::int32_t& value);
  void read(std::int64_t& value);
  void read(double& value);
  void read(std::string& value);
  void read(std::vector<bool>& values);
  void read(std::vector<std::string>& values);
  void read(std::vector<std::uint32_t>& values);
  void read(std::vector<std::uint64_t>& values);
  // A value of any type that the kernel uses.
  void read(std::variant<std::int64_t, std::uint64_t, std::string>& value);
  void enter_rows_of_value();
  void leave_rows_of_value();
  void skip();

 private:
  void enter_value(const char* type);
  template <class Number>
  void read_number(const char* type, Number& number);
  template <class Number>
  void read_numbers(const char* type, std::vector<Number>& numbers);

  sd_bus_message* message_;
  std::size_t rows_ = 0;
};

template <netperfd::rows::Described View>
void read_row(RowSource& source, View& view);
template <class View>
void read_list(RowSource& source, std::vector<View>& views);

template <class Value>
void read_value(RowSource& source, Value& to) {
  if constexpr (std::is_enum_v<Value>) {
    std::string text;
    source.read(text);
    if (parse_word(text, to)) return;
    throw netperfd::dbus::make_error(netperfd::dbus::error::kInternal,
                                     fmt::format("a row of the daemon holds the unknown word `{}`", text));
  } else if constexpr (kHasRows<std::optional<Value>>) {
    source.enter_rows_of_value();
    read_list(source, to);
    source.leave_rows_of_value();
  } else {
    source.read(to);
  }
}

template <netperfd::rows::Described View>
void read_row(RowSource& source, View& view) {
  std::array<bool, netperfd::rows::kFieldCount<View>> seen{};
  source.enter_row();
  for (std::string_view name; source.next(name); source.leave()) {
    std::size_t place = 0;
    bool taken = false;
    each_field(view, [&](std::string_view key, auto& member, std::string_view /*unit*/) {
      const std::size_t here = place++;
      if (key != name || seen[here]) return;
      seen[here] = taken = true;
      if constexpr (requires { member.has_value(); }) {
        read_value(source, member.emplace());
      } else {
        read_value(source, member);
      }
    });
    if (!taken) source.skip();
  }
  source.leave();
  std::size_t place = 0;
  each_field(view, [&](std::string_view key, auto& member, std::string_view /*unit*/) {
    const bool is_there = seen[place++];
    if constexpr (!requires { member.has_value(); }) {
      if (is_there) return;
      throw netperfd::dbus::make_error(netperfd::dbus::error::kInternal,
                                       fmt::format("a row of the daemon has no `{}`", key));
    }
  });
}

template <class View>
void read_list(RowSource& source, std::vector<View>& views) {
  source.enter_list();
  while (!source.at_end_of_list()) read_row(source, views.emplace_back());
  source.leave();
}

// Results of a method, and arguments of a signal, that are a row or a list of rows.
template <class View>
struct RowOf {
  View view;
};
template <class View>
struct RowsOf {
  std::vector<View> views;
};

template <class View>
sdbus::Message& operator>>(sdbus::Message& message, RowOf<View>& row) {
  RowSource source{message};
  read_row(source, row.view);
  return message;
}
template <class View>
sdbus::Message& operator>>(sdbus::Message& message, RowsOf<View>& rows) {
  RowSource source{message};
  read_list(source, rows.views);
  return message;
}

}  // namespace netperfctl

template <class View>
struct sdbus::signature_of<netperfctl::RowOf<View>> : sdbus::signature_of<netperfd::dbus::Row> {};
template <class View>
struct sdbus::signature_of<netperfctl::RowsOf<View>> : sdbus::signature_of<netperfd::dbus::Rows> {};

namespace netperfctl {

// The keys of the property Design, all absent if the job has none.
inline void apply_design(LiveJobView& job, const netperfd::rows::Design& given) {
  job.blocks = given.blocks;
  job.variant_a = given.variant_a;
  job.variant_b = given.variant_b;
  job.plain = given.plain;
  job.seed = given.seed;
  job.changed = given.changed;
  job.block = given.block;
  job.letter = given.letter;
  job.variant = given.variant;
  job.traced = given.traced;
  job.points = given.points;
}

// Brings `job` up to date with properties of a Job object, all of them or those that changed. What the
// properties have to say with an empty or zero value, since D-Bus knows no absent property, is absent in the
// view. `Properties` maps names, which are strings in one sdbus-c++ and a type of their own in the other, to
// variants.
template <class Properties>
void apply_properties(LiveJobView& job, const Properties& properties) {
  const auto take = [&properties]<class Value>(const char* name, std::optional<Value>& member,
                                               bool zero_is_absent) {
    const auto property = properties.find(typename Properties::key_type{name});
    if (property == properties.end()) return;
    const auto value = property->second.template get<Value>();
    member = zero_is_absent && value == Value{} ? std::nullopt : std::optional<Value>{value};
  };
  std::optional<std::uint64_t> id;
  take("Id", id, false);
  job.job = id.value_or(job.job);
  take("Scenario", job.scenario, false);
  take("Label", job.label, true);
  take("Owner", job.owner, false);
  take("Runs", job.runs, false);
  take("PlannedSeconds", job.planned_s, true);
  take("State", job.state, false);
  take("RunsEnded", job.runs_ended, false);
  take("RunsFinished", job.runs_finished, false);
  take("CurrentRun", job.current_run, true);
  take("RunState", job.run_state, false);
  take("Progress", job.progress, false);
  take("Error", job.error, true);
  take("Purpose", job.purpose, true);
  take("QueuePosition", job.queue_position, false);
  take("ExpectedEnd", job.expected_end_us, true);
  take("Waiting", job.waiting, true);
  take("Look", job.look, true);
  take("Boots", job.boots, true);
  take("BootsPlanned", job.boots_planned, true);
  take("Side", job.side, true);
  const auto design = properties.find(typename Properties::key_type{"Design"});
  if (design != properties.end()) {
    apply_design(job, design->second.template get<RowOf<netperfd::rows::Design>>().view);
  }
}

}  // namespace netperfctl
