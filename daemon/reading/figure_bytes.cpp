// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/reading/figure_bytes.hpp"

#include <cmath>
#include <cstdint>
#include <utility>

#include "daemon/model/named_figure_check.hpp"
#include "daemon/reading/archive_values.hpp"

namespace netperfd::reading {
namespace {

constexpr const char* kDamagedOrder =
    "the order to the reading process is damaged, which is a fault of netperfd: please report it";
constexpr const char* kDamagedValues =
    "the answer of the reading process is damaged, which is a fault of netperfd: please report it";
// Of all figures, without the texts.
constexpr std::size_t kMostFigureOrderBytes = std::size_t{1} << 20;
// stdout and stderr of client and server, and a file for each figure.
constexpr std::size_t kMostTexts = 4 + kMostNamedFigures;

template <class Archive>
void put_declared(Archive& archive, DeclaredFigure& figure) {
  put(archive, figure.name);
  put(archive, figure.unit);
  put_word(archive, figure.better, Better::lower);
  put_word(archive, figure.form, FigureForm::tool);
  put(archive, figure.place);
  put_word(archive, figure.take, FigureTake::first);
  put(archive, figure.document);
  put(archive, figure.scale);
}

}  // namespace

std::string to_bytes(const std::vector<DeclaredFigure>& figures, const std::vector<core::FigureText>& texts) {
  ByteWriter writer;
  writer.number(figures.size());
  for (DeclaredFigure figure : figures) put_declared(writer, figure);
  writer.number(texts.size());
  for (const core::FigureText& text : texts) {
    writer.text(text.name);
    writer.number(text.bytes.size());
  }
  return writer.take();
}

Result<FigureOrder> figure_order_from_bytes(std::string_view bytes) {
  ByteReader reader(bytes, kMostFigureOrderBytes);
  FigureOrder order;
  std::uint64_t count = 0;
  reader.number(count);
  if (count > kMostNamedFigures) reader.fail();
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i)
    put_declared(reader, order.figures.emplace_back());
  reader.number(count);
  if (count > kMostTexts) reader.fail();
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
    reader.text(order.texts.emplace_back().name);
    reader.number(sizes.emplace_back());
  }
  if (reader.failed()) return fail(ErrorKind::invalid_argument, kDamagedOrder);
  std::string_view rest = bytes.substr(bytes.size() - reader.bytes_left());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > rest.size()) return fail(ErrorKind::invalid_argument, kDamagedOrder);
    order.texts[i].bytes = rest.substr(0, static_cast<std::size_t>(sizes[i]));
    rest.remove_prefix(order.texts[i].bytes.size());
  }
  return order;
}

std::string to_bytes(const std::vector<double>& values) {
  ByteWriter writer;
  for (double value : values) put(writer, value);
  return writer.take();
}

Result<std::vector<double>> values_from_bytes(std::string_view bytes, std::size_t count) {
  ByteReader reader(bytes, kMostValueBytes);
  std::vector<double> values;
  for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
    put(reader, values.emplace_back());
    if (!std::isfinite(values.back())) reader.fail();
  }
  if (reader.failed() || !reader.at_end()) return fail(ErrorKind::invalid_argument, kDamagedValues);
  return values;
}

}  // namespace netperfd::reading
