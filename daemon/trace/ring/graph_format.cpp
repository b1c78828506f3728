// SPDX-License-Identifier: GPL-2.0-or-later
// function_graph's records differ between kernels. 6.1 has the times at fixed offsets in the exit record.
// 6.12 puts a return value between them on machines that support it. 7.2 has a depth of 8 bytes, followed by
// the arguments. The format files describe all of this, so nothing here checks a version: fields are found by
// their names, and fields that are not needed (retval, retaddr, args) may be anywhere.
//
// libtraceevent could find the fields too, but handles only nine million records per second; with offsets
// computed once, a record takes a few loads.
#include "daemon/trace/ring/graph_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace netperfd::trace {
namespace {

using analysis::GraphEventKind;

struct Known {
  std::string_view name;
  GraphEventKind kind;
};
constexpr std::array<Known, 5> kKnown{{{"ftrace:funcgraph_entry", GraphEventKind::entry},
                                       {"ftrace:fgraph_retaddr_entry", GraphEventKind::entry},
                                       {"ftrace:funcgraph_exit", GraphEventKind::exit},
                                       {"ftrace:function", GraphEventKind::hit},
                                       {"sched:sched_switch", GraphEventKind::task_switch}}};

const Known* known_as(std::string_view name) {
  const auto* const found = std::ranges::find(kKnown, name, &Known::name);
  return found == kKnown.end() ? nullptr : found;
}

// Reads field positions from one event's format, and remembers the first error and the end of the last field.
class Places {
 public:
  explicit Places(const KnownEvent& event) : event_(event) {}

  // An integer of `size` bytes.
  std::uint32_t number(std::string_view name, std::uint32_t size) {
    const auto* field = wanted(name);
    return field == nullptr ? 0 : place(*field, size);
  }
  std::uint32_t number_if_any(std::string_view name, std::uint32_t size) {
    const auto* field = event_.format.field(name);
    return field == nullptr ? 0 : place(*field, size);
  }
  // The lower 4 bytes of a number that some kernels store in 8.
  std::uint32_t low_half(std::string_view name) {
    const auto* field = wanted(name);
    return field == nullptr ? 0 : low_half_of(*field);
  }
  std::uint32_t low_half_if_any(std::string_view name) {
    const auto* field = event_.format.field(name);
    return field == nullptr ? 0 : low_half_of(*field);
  }
  // A pointer, which has 4 bytes on a machine of 32 bits.
  std::uint32_t address(std::string_view name, std::uint32_t& size) {
    const auto* field = wanted(name);
    if (field == nullptr) return 0;
    const bool pointer = field->type == "unsigned long" || field->type.ends_with('*');
    size = field->size == 4 && pointer ? 4 : 8;
    return place(*field, size);
  }
  // One of the fields at the start of every record.
  void common(std::string_view name, std::uint32_t offset, std::uint32_t size) {
    if (number(name, size) != offset) wrong(name, fmt::format("is not at offset {}", offset));
  }

  [[nodiscard]] std::size_t end() const { return end_; }
  [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }

 private:
  const FieldFormat* wanted(std::string_view name) {
    const auto* field = event_.format.field(name);
    if (field == nullptr) wrong(name, "is missing");
    return field;
  }
  std::uint32_t low_half_of(const FieldFormat& field) {
    const bool upper_first = field.size == 8 && std::endian::native == std::endian::big;
    return place(field, field.size == 8 ? 8 : 4) + (upper_first ? 4 : 0);
  }
  std::uint32_t place(const FieldFormat& field, std::uint32_t size) {
    constexpr std::uint32_t kLongestRecord = std::uint32_t{1} << 20;
    if (field.kind != FieldKind::number || field.size != size) {
      wrong(field.name, fmt::format("is {} of {} bytes, not a number of {}", field.type, field.size, size));
      return 0;
    }
    if (field.offset > kLongestRecord) wrong(field.name, fmt::format("lies at offset {}", field.offset));
    end_ = std::max(end_, std::size_t{field.offset} + field.size);
    return field.offset;
  }
  void wrong(std::string_view field, std::string_view what) {
    if (!problem_) problem_ = fmt::format("format of {}: the field {} {}", event_.name, field, what);
  }

  const KnownEvent& event_;
  std::size_t end_ = 0;
  std::optional<std::string> problem_;
};

}  // namespace

Result<GraphFormat::Shape> GraphFormat::shape_of_event(const KnownEvent& event) {
  Shape shape;
  shape.kind = known_as(event.name)->kind;
  Places places(event);
  places.common("common_type", offsetof(Common, type), sizeof(Common::type));
  places.common("common_flags", offsetof(Common, flags), sizeof(Common::flags));
  places.common("common_pid", offsetof(Common, pid), sizeof(Common::pid));
  switch (shape.kind) {
    case GraphEventKind::exit:
      shape.overrun = places.low_half_if_any("overrun");
      shape.start = places.number_if_any("calltime", 8);
      shape.end = places.number_if_any("rettime", 8);
      if (shape.start == 0 || shape.end == 0) shape.start = shape.end = 0;
      [[fallthrough]];
    case GraphEventKind::entry:
      shape.function = places.address("func", shape.function_size);
      shape.depth = places.low_half("depth");
      break;
    case GraphEventKind::hit:
      shape.function = places.address("ip", shape.function_size);
      break;
    default:
      shape.previous_pid = places.number("prev_pid", 4);
      shape.next_pid = places.number("next_pid", 4);
      break;
  }
  shape.needed = places.end();
  if (places.problem()) return fail(ErrorKind::invalid_argument, *places.problem());
  return shape;
}

Result<GraphFormat> GraphFormat::make(const std::vector<KnownEvent>& events) {
  GraphFormat format;
  bool has_entry = false;
  bool has_exit = false;
  for (const auto& event : events) {
    if (known_as(event.name) == nullptr) continue;
    if (event.format.id > std::numeric_limits<std::uint16_t>::max()) {
      return fail(ErrorKind::invalid_argument,
                  fmt::format("format of {}: the ID {} has more than 16 bits", event.name, event.format.id));
    }
    auto shape = shape_of_event(event);
    if (!shape) return std::unexpected(shape.error());
    has_entry = has_entry || event.name == "ftrace:funcgraph_entry";
    has_exit = has_exit || shape->kind == GraphEventKind::exit;
    if (event.format.id >= format.shape_of_type_.size()) format.shape_of_type_.resize(event.format.id + 1);
    format.shape_of_type_[event.format.id] = static_cast<std::uint8_t>(format.shapes_.size());
    format.shapes_.push_back(*shape);
    // A list of events may name one repeatedly, but not without limit: shapes are numbered in 8 bits.
    if (format.shapes_.size() > std::numeric_limits<std::uint8_t>::max()) {
      return fail(ErrorKind::invalid_argument, "more formats of function records than a kernel has");
    }
  }
  if (has_entry != has_exit) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("there is a format of ftrace:funcgraph_{} but none of ftrace:funcgraph_{}",
                            has_entry ? "entry" : "exit", has_entry ? "exit" : "entry"));
  }
  return format;
}

}  // namespace netperfd::trace
