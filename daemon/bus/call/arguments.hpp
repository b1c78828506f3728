// SPDX-License-Identifier: GPL-2.0-or-later
// What the arguments of methods mean: how each type of a method's work comes from what was sent.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>

#include "daemon/base/error.hpp"
#include "daemon/bus/options/options.hpp"
#include "daemon/core/interval_points.hpp"
#include "daemon/model/run_record.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

using Options = dbus::Row;

// As it came.
template <class Value>
struct Argument {
  using Came = Value;
  static Result<Value> read(Came came) { return came; }
};

struct Job {
  JobId id;
};
struct Run {
  RunId id;
};
// Of a picture.
struct Points {
  std::uint32_t most;
};
// One line of printable text; errors call it kWhat.
template <const char* kWhat, std::size_t kMostBytes>
struct Line {
  std::string text;
};
inline constexpr char kScenario[] = "scenario", kOrigin[] = "origin", kLabel[] = "label", kNote[] = "note",
                      kName[] = "name", kEvent[] = "event", kPattern[] = "pattern";
using ScenarioName = Line<kScenario, kNameLimit>;
using Origin = Line<kOrigin, kOriginLimit>;
using Label = Line<kLabel, kLabelLimit>;
using Note = Line<kNote, kNoteLimit>;
using Name = Line<kName, kNameLimit>;
using EventName = Line<kEvent, kNameLimit>;
using Pattern = Line<kPattern, kPatternLimit>;
struct MarkText {
  std::string text;
};
struct JobText {
  std::string text;
};

template <>
struct Argument<Job> {
  using Came = std::uint64_t;
  static Result<Job> read(Came came) {
    const auto id = parse_id(came, "job");
    if (!id) return std::unexpected(id.error());
    return Job{*id};
  }
};
template <>
struct Argument<Run> {
  using Came = std::uint64_t;
  static Result<Run> read(Came came) {
    const auto id = parse_id(came, "run");
    if (!id) return std::unexpected(id.error());
    return Run{*id};
  }
};

template <>
struct Argument<Points> {
  using Came = std::uint32_t;
  static Result<Points> read(Came came) {
    if (came >= core::kFewestPoints && came <= core::kMostPoints) return Points{came};
    return fail(ErrorKind::invalid_argument, fmt::format("most: {} is not from {} to {} points", came,
                                                         core::kFewestPoints, core::kMostPoints));
  }
};

// Options that mean something by themselves.
template <class Parsed, Result<Parsed> (*kParse)(const Options&)>
struct OfOptions {
  using Came = Options;
  static Result<Parsed> read(const Came& came) { return kParse(came); }
};
template <>
struct Argument<StartOptions> : OfOptions<StartOptions, parse_start_options> {};
template <>
struct Argument<core::ImportRequest> : OfOptions<core::ImportRequest, parse_import_options> {};
template <>
struct Argument<BundleRequest> : OfOptions<BundleRequest, parse_bundle_options> {};
template <>
struct Argument<core::AuditFilter> : OfOptions<core::AuditFilter, parse_audit_filter> {};
template <>
struct Argument<core::FunctionFilter> : OfOptions<core::FunctionFilter, parse_function_filter> {};

template <const char* kWhat, std::size_t kMostBytes>
struct Argument<Line<kWhat, kMostBytes>> {
  using Came = std::string;
  static Result<Line<kWhat, kMostBytes>> read(Came came) {
    auto checked = kWhat == kLabel ? check_label(came) : check_line(kWhat, came, kMostBytes);
    if (!checked) return std::unexpected(checked.error());
    return Line<kWhat, kMostBytes>{std::move(came)};
  }
};
template <>
struct Argument<MarkText> {
  using Came = std::string;
  static Result<MarkText> read(Came came) {
    if (came.empty()) return fail(ErrorKind::invalid_argument, "text: an empty mark says nothing");
    if (auto checked = check_line("text", came, kMarkLimit); !checked)
      return std::unexpected(checked.error());
    return MarkText{std::move(came)};
  }
};
template <>
struct Argument<JobText> {
  using Came = std::string;
  static Result<JobText> read(Came came) {
    if (auto checked = check_size("text", came, kJobTextLimit); !checked)
      return std::unexpected(checked.error());
    return JobText{std::move(came)};
  }
};

}  // namespace netperfd::bus
