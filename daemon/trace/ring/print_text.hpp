// Formats an event's fields as one line, following its print format.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "daemon/trace/ring/event_fields.hpp"
#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/ring/print_expression.hpp"

namespace netperfd::trace {

class PrintText {
 public:
  // `format` is kept by reference.
  explicit PrintText(const EventFormat& format);

  // "prev_comm=iperf3 prev_pid=88 ...": one line of printable characters without kernel addresses, using the
  // fields from decode_fields. If the print format cannot be followed, the line lists the fields: "len=42
  // name=veth0".
  [[nodiscard]] std::string text(std::span<const std::byte> record, const AddressNames& names) const;

 private:
  // The text before a conversion, and the conversion; the last piece has no letter.
  struct Piece {
    std::string before;
    char letter = 0;
    bool left = false;       // flag '-'
    bool zeros = false;      // flag '0'
    bool with_base = false;  // flag '#'
    std::size_t width = 0;
    std::size_t most = std::string::npos;  // precision of a string
    std::size_t bytes = 4;                 // size of an integer, from h, l, ll
    Expression argument;
  };

  [[nodiscard]] bool parse();
  [[nodiscard]] static std::optional<std::string> converted(const Piece& piece,
                                                            const std::vector<EventField>& fields);

  const EventFormat& format_;
  std::optional<std::vector<Piece>> pieces_;  // absent: the format cannot be followed
};

}  // namespace netperfd::trace
