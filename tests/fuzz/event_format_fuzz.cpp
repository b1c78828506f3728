// SPDX-License-Identifier: GPL-2.0-or-later
// Any text as a format and as the header of a sub-buffer, and any bytes as a record with this format. The
// input is the text, a NUL, and the record.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "daemon/model/text.hpp"
#include "daemon/trace/ring/event_fields.hpp"
#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/ring/subbuffer.hpp"

using netperfd::trace::AddressNames;
using netperfd::trace::EventFormat;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

class NoNames final : public AddressNames {
 public:
  [[nodiscard]] std::string code(std::uint64_t /*address*/) const override { return "token"; }
  [[nodiscard]] std::string token(std::uint64_t /*address*/) const override { return "token"; }
};

bool is_address(std::uint64_t value) {
  return value >= 0xFF00'0000'0000'0000 && value < 0xFFFF'FF00'0000'0000;
}

void check_fields(const EventFormat& format, std::span<const std::byte> record) {
  const auto fields = netperfd::trace::decode_fields(format, record, NoNames());
  require(fields.size() <= format.fields.size());
  for (const auto& field : fields) {
    if (const auto* text = std::get_if<std::string>(&field.value)) require(netperfd::is_printable(*text));
    if (const auto* value = std::get_if<std::uint64_t>(&field.value)) require(!is_address(*value));
    if (const auto* value = std::get_if<std::int64_t>(&field.value)) {
      require(!is_address(static_cast<std::uint64_t>(*value)));
    }
  }
}

#ifdef NETPERFD_PLANTED_BUG
// Reads one byte beyond a field: detected only if the field is at the end of the input.
void read_too_far(const EventFormat& format, std::span<const std::byte> record) {
  static volatile unsigned sum = 0;
  for (const auto& field : format.common) {
    const std::size_t end = std::size_t{field.offset} + field.size;
    if (end <= record.size()) sum = sum + std::to_integer<unsigned>(record.data()[end]);
  }
}
#endif

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const std::string_view whole(reinterpret_cast<const char*>(input), size);
  const std::string_view text = whole.substr(0, whole.find('\0'));
  const auto record = std::as_bytes(std::span(input, size)).subspan(std::min(text.size() + 1, size));
  if (const auto layout = netperfd::trace::parse_header_page(text)) require(layout->size() >= 12);
  if (const auto format = netperfd::trace::parse_event_format(text)) {
#ifdef NETPERFD_PLANTED_BUG
    read_too_far(*format, record);
#endif
    check_fields(*format, record);
  }
  return 0;
}
