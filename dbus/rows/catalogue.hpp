// SPDX-License-Identifier: GPL-2.0-or-later
// The capabilities of this machine, and what it can trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dbus/rows/field.hpp"

namespace netperfd::rows {

struct Capability {
  std::string name, ability;  // yes, no or limited
  std::optional<std::string> detail, advice;
};
template <>
inline constexpr auto kFields<Capability> =
    std::tuple{field("name", &Capability::name), field("ability", &Capability::ability),
               field("detail", &Capability::detail), field("advice", &Capability::advice)};
static_assert(kDescribed<Capability>);

struct Module {
  std::string name;
  std::optional<bool> loaded, built_in;
  std::optional<std::uint64_t> functions;  // traceable ones
  std::optional<std::string> hint;
};
template <>
inline constexpr auto kFields<Module> = std::tuple{
    field("name", &Module::name), field("loaded", &Module::loaded), field("built_in", &Module::built_in),
    field("functions", &Module::functions), field("hint", &Module::hint)};
static_assert(kDescribed<Module>);

struct Function {
  std::string name;
  std::optional<std::string> module;  // absent: the kernel itself
};
template <>
inline constexpr auto kFields<Function> =
    std::tuple{field("name", &Function::name), field("module", &Function::module)};
static_assert(kDescribed<Function>);

struct Event {
  std::string name;                 // "skb:kfree_skb"
  std::optional<std::uint32_t> id;  // this and the next only if asked for by name
  std::optional<std::string> print;
  std::optional<bool> allowed;  // whether the configuration lets members trace it in their own jobs
};
template <>
inline constexpr auto kFields<Event> =
    std::tuple{field("name", &Event::name), field("id", &Event::id), long_text("print", &Event::print),
               field("allowed", &Event::allowed)};
static_assert(kDescribed<Event>);

struct EventField {
  std::string name;
  std::optional<std::string> type;
  std::optional<std::uint32_t> offset, size;  // bytes; a size of 0 is dynamic
  std::optional<bool> is_signed;
  std::optional<std::vector<std::string>> values;  // "2=NOT_SPECIFIED"
};
template <>
inline constexpr auto kFields<EventField> = std::tuple{field("name", &EventField::name),
                                                       field("type", &EventField::type),
                                                       field("offset", &EventField::offset, "bytes"),
                                                       field("size", &EventField::size, "bytes"),
                                                       field("signed", &EventField::is_signed),
                                                       field("values", &EventField::values)};
static_assert(kDescribed<EventField>);

struct Tracer {
  std::string name;
  std::optional<bool> current;  // in the top instance
};
template <>
inline constexpr auto kFields<Tracer> =
    std::tuple{field("name", &Tracer::name), field("current", &Tracer::current)};
static_assert(kDescribed<Tracer>);

}  // namespace netperfd::rows
