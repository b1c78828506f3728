// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/queries/query_bytes.hpp"

#include <utility>

#include "daemon/bus/rows/row_values.hpp"
#include "daemon/bus/rows/wire_text.hpp"

namespace netperfd::bus {

void put_value(ByteWriter& writer, const std::string& text) {
  writer.text(text);
}

void put_value(ByteWriter& writer, std::uint64_t number) {
  writer.number(number);
}

void put_value(ByteWriter& writer, const Row& row) {
  write_row(writer, row);
}

void put_value(ByteWriter& writer, const Rows& rows) {
  write_rows(writer, rows);
}

void put_value(ByteWriter& writer, const dbus::Row& options) {
  write_row(writer, to_row(options));
}

QueryReader::QueryReader(std::string_view bytes) : reader_(bytes, 0) {}

void QueryReader::take(std::string& text) {
  text = wire_text(reader_.view(), kAnswerTextBytes);
  message_bytes_ += text_bytes(text.size());
}

void QueryReader::take(std::uint64_t& number) {
  reader_.number(number);
  message_bytes_ += sizeof number;
}

void QueryReader::take(Row& row) {
  row = read_row(reader_, message_bytes_);
}

void QueryReader::take(Rows& rows) {
  rows = read_rows(reader_, message_bytes_);
}

void QueryReader::take(dbus::Row& options) {
  options = to_map(read_row(reader_, message_bytes_));
}

Status QueryReader::finish() const {
  if (reader_.failed() || !reader_.at_end()) {
    return fail(ErrorKind::internal, "the answer to the query is damaged");
  }
  if (message_bytes_ > kMessageBytes) {
    return fail(ErrorKind::internal, "the answer to the query does not fit into a message");
  }
  return {};
}

}  // namespace netperfd::bus
