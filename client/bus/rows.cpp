// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/bus/rows.hpp"

namespace netperfctl {
namespace {

// libsystemd's calls return a negative errno.
int expect(int r, const char* what) {
  if (r < 0) throw sdbus::createError(-r, what);
  return r;
}

// Of libsystemd, so that the message says what sdbus-c++ says of a variant.
constexpr const char* kVariant = "Failed to enter a variant";
constexpr const char* kList = "Failed to enter a container";
constexpr const char* kEntry = "Failed to enter a dictionary entry";
constexpr const char* kBasic = "Failed to deserialize a value";

[[noreturn]] void fail_row(const char* what) {
  throw netperfd::dbus::make_error(netperfd::dbus::error::kInternal, what);
}

// Enters a container that must be there.
void enter(sd_bus_message* message, char type, const char* contents, const char* what) {
  if (expect(sd_bus_message_enter_container(message, type, contents), what) == 0) {
    fail_row("an answer of the daemon ends before its last row");
  }
}

}  // namespace

void RowSource::enter_list() {
  enter(message_, 'a', "a{sv}", kList);
}

bool RowSource::at_end_of_list() {
  if (expect(sd_bus_message_at_end(message_, 0), kList) > 0) return true;
  if (++rows_ > kMostRows) fail_row("an answer of the daemon has more rows than fit into a message");
  return false;
}

void RowSource::enter_row() {
  enter(message_, 'a', "{sv}", kList);
}

bool RowSource::next(std::string_view& key) {
  if (expect(sd_bus_message_enter_container(message_, 'e', "sv"), kEntry) == 0) return false;
  const char* text = nullptr;
  expect(sd_bus_message_read_basic(message_, 's', &text), kBasic);
  key = text;
  return true;
}

void RowSource::leave() {
  expect(sd_bus_message_exit_container(message_), kList);
}

void RowSource::enter_value(const char* type) {
  enter(message_, 'v', type, kVariant);
}

template <class Number>
void RowSource::read_number(const char* type, Number& number) {
  enter_value(type);
  expect(sd_bus_message_read_basic(message_, *type, &number), kBasic);
  leave();
}

void RowSource::read(bool& value) {
  int truth = 0;  // as libsystemd has it
  read_number("b", truth);
  value = truth != 0;
}
void RowSource::read(std::uint16_t& value) {
  read_number("q", value);
}
void RowSource::read(std::uint32_t& value) {
  read_number("u", value);
}
void RowSource::read(std::uint64_t& value) {
  read_number("t", value);
}
void RowSource::read(std::int32_t& value) {
  read_number("i", value);
}
void RowSource::read(std::int64_t& value) {
  read_number("x", value);
}
void RowSource::read(double& value) {
  read_number("d", value);
}

void RowSource::read(std::string& value) {
  const char* text = nullptr;
  read_number("s", text);
  value = text;
}

void RowSource::read(std::vector<bool>& values) {
  enter_value("ab");
  enter(message_, 'a', "b", kList);
  int truth = 0;
  while (expect(sd_bus_message_read_basic(message_, 'b', &truth), kBasic) > 0) values.push_back(truth != 0);
  leave();
  leave();
}

void RowSource::read(std::vector<std::string>& values) {
  enter_value("as");
  enter(message_, 'a', "s", kList);
  const char* text = nullptr;
  while (expect(sd_bus_message_read_basic(message_, 's', &text), kBasic) > 0) values.emplace_back(text);
  leave();
  leave();
}

template <class Number>
void RowSource::read_numbers(const char* type, std::vector<Number>& numbers) {
  enter_value(type);
  const void* first = nullptr;
  std::size_t bytes = 0;
  expect(sd_bus_message_read_array(message_, type[1], &first, &bytes), kBasic);
  const auto* const begin = static_cast<const Number*>(first);
  if (bytes > 0) numbers.assign(begin, begin + bytes / sizeof(Number));
  leave();
}

void RowSource::read(std::vector<std::uint32_t>& values) {
  read_numbers("au", values);
}
void RowSource::read(std::vector<std::uint64_t>& values) {
  read_numbers("at", values);
}

void RowSource::read(std::variant<std::int64_t, std::uint64_t, std::string>& value) {
  const char* type = nullptr;
  expect(sd_bus_message_peek_type(message_, nullptr, &type), kVariant);
  const std::string_view found = type != nullptr ? type : "";
  if (found == "x") {
    read(value.emplace<std::int64_t>());
  } else if (found == "t") {
    read(value.emplace<std::uint64_t>());
  } else {
    read(value.emplace<std::string>());
  }
}

void RowSource::enter_rows_of_value() {
  enter_value("aa{sv}");
}

void RowSource::leave_rows_of_value() {
  leave();
}

void RowSource::skip() {
  expect(sd_bus_message_skip(message_, "v"), kBasic);
}

}  // namespace netperfctl
