// SPDX-License-Identifier: GPL-2.0-or-later
// What the client makes of answers that netperfd does not send: whoever owns the daemon's name may send them.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "client/bus/rows.hpp"
#include "daemon/bus/rows/row_maker.hpp"
#include "dbus/rows/iperf3.hpp"
#include "dbus/rows/run.hpp"
#include "dbus/rows/trace.hpp"
#include "tests/unit/bus/message_fixture.hpp"
#include "tests/unit/bus/row_values.hpp"

namespace netperfd::bus {
namespace {

using netperfctl::RowOf;
using netperfctl::RowsOf;
using testing::HasSubstr;

// A value of each type and of each kind of container.
std::vector<sdbus::Variant> values_of_every_type() {
  std::vector<sdbus::Variant> values{
      sdbus::Variant{true},
      sdbus::Variant{std::uint8_t{1}},
      sdbus::Variant{std::int16_t{-1}},
      sdbus::Variant{std::uint16_t{2}},
      sdbus::Variant{std::int32_t{-2}},
      sdbus::Variant{std::uint32_t{3}},
      sdbus::Variant{std::int64_t{-3}},
      sdbus::Variant{std::uint64_t{4}},
      sdbus::Variant{4.5},
      sdbus::Variant{std::string{"text"}},
      sdbus::Variant{sdbus::ObjectPath{"/a/path"}},
      sdbus::Variant{sdbus::Signature{"a{sv}"}},
      sdbus::Variant{sdbus::UnixFd{0}},
      sdbus::Variant{std::vector<std::string>{"a", "b"}},
      sdbus::Variant{std::vector<std::uint64_t>{}},
      sdbus::Variant{std::vector<bool>{true}},
      sdbus::Variant{sdbus::Struct<std::string, std::uint32_t>{"a", 1U}},
      sdbus::Variant{std::map<std::uint32_t, std::vector<std::string>>{{1, {"a"}}, {2, {}}}},
      sdbus::Variant{dbus::Rows{{{"within", sdbus::Variant{dbus::Rows{{}, {}}}}}, {}}},
      sdbus::Variant{std::vector<sdbus::Struct<std::uint64_t, sdbus::Variant>>{
          {1U, sdbus::Variant{dbus::Row{{"deep", sdbus::Variant{1.5}}}}}}}};
  sdbus::Variant deep{std::uint32_t{1}};
  for (int i = 0; i < 30; ++i) deep = sdbus::Variant{deep};
  values.push_back(deep);
  return values;
}

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const sdbus::Error& error) {
    return error.getMessage();
  }
  return "no error";
}

// A row whose entries are written one by one, as a map cannot have them.
class RawRow {
 public:
  explicit RawRow(sdbus::MethodCall message) : message_(std::move(message)) {
    sd_bus_message_open_container(raw(), 'a', "{sv}");
  }
  RawRow& add(const char* key, std::uint64_t value) {
    sd_bus_message_append(raw(), "{sv}", key, "t", value);
    return *this;
  }
  RawRow& add(const char* key, const char* value) {
    sd_bus_message_append(raw(), "{sv}", key, "s", value);
    return *this;
  }
  template <class View>
  View read() {
    sd_bus_message_close_container(raw());
    sd_bus_message_seal(raw(), 1, 0);
    RowOf<View> row;
    message_ >> row;
    return row.view;
  }

 private:
  sd_bus_message* raw() { return dbus::RawMessage::of(message_); }
  sdbus::MethodCall message_;
};

class ReadRows : public MessageTest {
 protected:
  template <class... Values>
  static void read(sdbus::MethodCall message, Values&... values) {
    (static_cast<void>(message >> values), ...);
  }
};

dbus::Row a_flag() {
  return {{"code", sdbus::Variant{std::string{"too-short"}}},
          {"message", sdbus::Variant{std::string{"it was short"}}}};
}

TEST_F(ReadRows, give_the_view_and_what_follows) {
  auto message = message_of(a_flag(), dbus::Rows{a_flag(), a_flag()}, dbus::Rows{}, std::string{"next"});
  RowOf<rows::Flag> one;
  RowsOf<rows::Flag> two, none;
  std::string next;
  message >> one >> two >> none >> next;
  EXPECT_EQ(one.view.code, "too-short");
  EXPECT_EQ(one.view.message, "it was short");
  ASSERT_EQ(two.views.size(), 2U);
  EXPECT_EQ(two.views[1].message, "it was short");
  EXPECT_TRUE(none.views.empty());
  EXPECT_EQ(next, "next");
}

TEST_F(ReadRows, ignore_unknown_keys_with_a_value_of_any_type) {
  for (const sdbus::Variant& value : values_of_every_type()) {
    dbus::Row row = a_flag();
    row["a first key"] = row["d in the middle"] = row["zzz at last"] = value;
    auto message = message_of(dbus::Rows{row, row}, std::string{"next"});
    RowsOf<rows::Flag> read;
    std::string next;
    ASSERT_NO_THROW(message >> read >> next) << std::string{value.peekValueType()};
    ASSERT_EQ(read.views.size(), 2U);
    EXPECT_EQ(read.views[1].code, "too-short");
    EXPECT_EQ(read.views[1].message, "it was short");
    EXPECT_EQ(next, "next");
  }
}

// Reads a row whose value of `key` has each type; `own` is its own.
template <class View>
void expect_only(const dbus::Row& good, const char* key, const std::vector<std::string>& own) {
  std::size_t refused = 0;
  for (const sdbus::Variant& value : values_of_every_type()) {
    const std::string type{value.peekValueType()};
    if (std::ranges::find(own, type) != own.end()) continue;
    dbus::Row row = good;
    row[key] = value;
    // What sdbus-c++ says of a variant that has another type.
    EXPECT_EQ(error_of([&] { (void)from_row<View>(row); }),
              error_of([&] { (void)sdbus::Variant{1U}.get<std::string>(); }))
        << key << " of type " << type;
    ++refused;
  }
  EXPECT_GE(refused, 17U);
}

TEST_F(ReadRows, refuse_a_known_key_of_another_type) {
  expect_only<rows::Flag>(a_flag(), "code", {"s"});
  expect_only<rows::Run>({{"run", sdbus::Variant{std::uint64_t{1}}}}, "bytes", {"t"});
  expect_only<rows::Run>({{"run", sdbus::Variant{std::uint64_t{1}}}}, "streams", {"u"});
  expect_only<rows::Run>({{"run", sdbus::Variant{std::uint64_t{1}}}}, "client_port", {"q"});
  expect_only<rows::Run>({{"run", sdbus::Variant{std::uint64_t{1}}}}, "traced", {"b"});
  expect_only<rows::Run>({{"run", sdbus::Variant{std::uint64_t{1}}}}, "duration_s", {"d"});
  expect_only<rows::Run>({{"run", sdbus::Variant{std::uint64_t{1}}}}, "documents", {"as"});
  expect_only<rows::Design>({}, "traced", {"ab"});
  expect_only<rows::Design>({}, "block", {"au"});
  expect_only<rows::Job>({{"job", sdbus::Variant{std::uint64_t{1}}}}, "runs", {"at"});
  expect_only<rows::Sample>({{"event", sdbus::Variant{std::string{"a:b"}}}}, "pid", {"i"});
  expect_only<rows::Sample>({{"event", sdbus::Variant{std::string{"a:b"}}}}, "fields", {"aa{sv}"});
  expect_only<rows::Interval>(to_map(to_wire(rows::Interval{})), "lost_packets", {"x"});
  expect_only<rows::Interval>(to_map(to_wire(rows::Interval{})), "direction", {"s"});
  expect_only<rows::SampleField>({{"name", sdbus::Variant{std::string{"n"}}}}, "value", {"x", "t", "s"});
}

TEST_F(ReadRows, take_the_first_value_of_a_key_that_comes_twice) {
  const auto run = RawRow{empty_message()}
                       .add("bytes", 7)
                       .add("run", 1)
                       .add("bytes", 8)
                       .add("scenario", "first")
                       .add("run", "of another type")
                       .add("scenario", "second")
                       .add("unknown", 1)
                       .add("unknown", "again")
                       .read<rows::Run>();
  EXPECT_EQ(run.bytes, 7U);
  EXPECT_EQ(run.run, 1U);
  EXPECT_EQ(run.scenario, "first");
}

TEST_F(ReadRows, say_which_key_is_missing_and_which_word_is_none) {
  EXPECT_EQ(error_of([] { (void)from_row<rows::Flag>(dbus::Row{}); }), "a row of the daemon has no `code`");
  dbus::Row row = a_flag();
  row.erase("message");
  EXPECT_EQ(error_of([&] { (void)from_row<rows::Flag>(row); }), "a row of the daemon has no `message`");
  row = to_map(to_wire(rows::Interval{}));
  row["direction"] = sdbus::Variant{std::string{"sideways"}};
  EXPECT_EQ(error_of([&] { (void)from_row<rows::Interval>(row); }),
            "a row of the daemon holds the unknown word `sideways`");
}

TEST_F(ReadRows, that_are_none_or_are_not_there_are_errors) {
  RowOf<rows::Flag> row;
  RowsOf<rows::Flag> rows;
  EXPECT_NE(error_of([&] { read(message_of(std::string{"text"}), row); }), "no error");
  EXPECT_NE(error_of([&] { read(message_of(std::string{"text"}), rows); }), "no error");
  EXPECT_NE(error_of([&] { read(message_of(std::vector<std::string>{}), rows); }), "no error");
  EXPECT_NE(error_of([&] { read(message_of(std::map<std::string, std::string>{}), row); }), "no error");
  EXPECT_NE(error_of([&] { read(message_of(), rows); }), "no error");
  EXPECT_NE(error_of([&] { read(message_of(a_flag()), row, row); }), "no error");
}

// A view takes a hundred times the bytes of an empty row.
TEST_F(ReadRows, that_are_more_than_a_message_of_netperfd_holds_are_refused_before_they_take_memory) {
  const auto error_of_rows = [](std::size_t count) {
    auto message = empty_message();
    auto* const raw = dbus::RawMessage::of(message);
    sd_bus_message_open_container(raw, 'a', "a{sv}");
    for (std::size_t i = 0; i < count; ++i) sd_bus_message_append(raw, "a{sv}", 0);
    sd_bus_message_close_container(raw);
    seal(message);
    RowsOf<rows::Design> rows;
    std::string error = error_of([&] { message >> rows; });
    EXPECT_LE(rows.views.size(), netperfctl::RowSource::kMostRows);
    return error;
  };
  EXPECT_EQ(error_of_rows(netperfctl::RowSource::kMostRows), "no error");
  EXPECT_THAT(error_of_rows(netperfctl::RowSource::kMostRows + 1),
              HasSubstr("more rows than fit into a message"));
  // Rows within rows count too.
  const dbus::Rows fields(netperfctl::RowSource::kMostRows / 2, to_map(to_wire(rows::SampleField{})));
  const dbus::Row sample{{"event", sdbus::Variant{std::string{"a:b"}}}, {"fields", sdbus::Variant{fields}}};
  RowsOf<rows::Sample> samples;
  EXPECT_THAT(error_of([&] { read(message_of(dbus::Rows{sample, sample, sample}), samples); }),
              HasSubstr("more rows than fit into a message"));
}

}  // namespace
}  // namespace netperfd::bus
