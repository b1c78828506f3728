// SPDX-License-Identifier: GPL-2.0-or-later
// Parses the arguments of callers strictly: in an a{sv}, an unknown key or a value of the wrong type is an
// error that names the key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "daemon/analysis/compare/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/bus/queries/bundle_answer.hpp"
#include "daemon/core/comparison/run_plan.hpp"
#include "daemon/core/comparison/run_selection.hpp"
#include "daemon/core/comparison/stack_comparison.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/core/ports/audit_store.hpp"
#include "daemon/core/ports/catalogue.hpp"
#include "daemon/core/ports/run_queries.hpp"
#include "daemon/core/ports/scenario_source.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// Limits on the memory that a caller can make the daemon hold, in bytes, except for the number of overrides.
inline constexpr std::size_t kJobTextLimit = std::size_t{64} * 1024;
inline constexpr std::size_t kOverridesLimit = 64;
inline constexpr std::size_t kOverrideLimit = 1024;
inline constexpr std::size_t kLabelLimit = 256;
inline constexpr std::size_t kNameLimit = 256;
inline constexpr std::size_t kOriginLimit = 4096;
inline constexpr std::size_t kPatternLimit = 512;  // maximum length of the kernel's symbols
inline constexpr std::size_t kMarkLimit = 200;
inline constexpr std::size_t kNoteLimit = 500;
inline constexpr std::size_t kGroupsLimit = 64;
inline constexpr std::size_t kReportLimit = std::size_t{6} << 20U;

// The document that holds the raw sub-buffers of a run.
inline constexpr const char* kRecording = "trace.dat";

struct StartOptions {
  core::JobOptions job;
  bool tie_to_caller = false;
  std::optional<std::uint64_t> confirms = std::nullopt;  // number of a job
  bool force = false;                                    // also a job that cannot end in an answer
  std::optional<core::PlanRequest> plan = std::nullopt;  // that the job is the pilot of, without its runs
};

[[nodiscard]] Result<StartOptions> parse_start_options(const dbus::Row& options);
// The result has no owner yet; the caller of this function sets it.
[[nodiscard]] Result<core::ImportRequest> parse_import_options(const dbus::Row& options);
// Without its job and its origin.
[[nodiscard]] Result<BundleRequest> parse_bundle_options(const dbus::Row& options);
[[nodiscard]] Result<core::AuditFilter> parse_audit_filter(const dbus::Row& filter);
// In these, `caller` is whom the owner `me` means.
[[nodiscard]] Result<core::RunFilter> parse_run_filter(const dbus::Row& filter, uid_t caller);
// The selection within such a filter, with the filter's state and, if it does not say whose, its owner;
// absent: there is none.
[[nodiscard]] Result<std::optional<core::RunSelection>> parse_listed_selection(const dbus::Row& filter,
                                                                               uid_t caller);
[[nodiscard]] Result<core::RunFilter> parse_job_filter(const dbus::Row& filter, uid_t caller);
// Without figures if the option is not there. core::compare_selections() checks the names of the groups.
[[nodiscard]] Result<analysis::ComparisonSettings> parse_compare_options(const dbus::Row& options);
[[nodiscard]] Result<core::StackRequest> parse_stack_request(const std::vector<std::uint64_t>& a,
                                                             const std::vector<std::uint64_t>& b,
                                                             const dbus::Row& options);
// Everything except its runs and who asks.
[[nodiscard]] Result<core::PlanRequest> parse_plan_options(const dbus::Row& options);
[[nodiscard]] Result<core::FunctionFilter> parse_function_filter(const dbus::Row& filter);

// The error begins with `what`.
[[nodiscard]] Status check_size(const char* what, const std::string& text, std::size_t limit_bytes);
// One line of printable text within the limit.
[[nodiscard]] Status check_line(const char* what, const std::string& text, std::size_t limit_bytes);
// Of at most kLabelLimit bytes, and not_distinct().
[[nodiscard]] Status check_label(const std::string& text);

// The page limit of most lists, in rows.
inline constexpr std::uint32_t kMaxRows = 2000;
// Number of rows for a page of `asked` rows; 0 means the maximum.
[[nodiscard]] std::uint32_t page_limit(std::uint32_t asked, std::uint32_t highest);
// Offset of the page: 0 for an empty cursor; invalid_argument for a cursor not made by next_cursor().
[[nodiscard]] Result<std::uint64_t> parse_cursor(const std::string& cursor);
// Cursor of the page after `rows` rows from `offset`, out of `total`; empty at the end.
[[nodiscard]] std::string next_cursor(std::uint64_t offset, std::size_t rows, std::uint64_t total);
// Converts a number from the bus to the store's, which has one bit less; not_found if it does not fit. `what`
// is "run" or "job".
[[nodiscard]] Result<std::int64_t> parse_id(std::uint64_t number, const char* what);

}  // namespace netperfd::bus
