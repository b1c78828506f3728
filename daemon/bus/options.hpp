// The arguments of callers, read strictly: in an a{sv} an unknown key or a value of another type is an error
// that names it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "daemon/analysis/comparison.hpp"
#include "daemon/base/error.hpp"
#include "daemon/core/importer.hpp"
#include "daemon/core/ports.hpp"
#include "daemon/core/run_plan.hpp"
#include "daemon/core/trace_ports.hpp"
#include "dbus/compat.hpp"

namespace netperfd::bus {

// What a caller can make us hold, in bytes but for the number of overrides.
inline constexpr std::size_t kJobTextLimit = std::size_t{64} * 1024;
inline constexpr std::size_t kOverridesLimit = 64;
inline constexpr std::size_t kOverrideLimit = 1024;
inline constexpr std::size_t kLabelLimit = 256;
inline constexpr std::size_t kNameLimit = 256;
inline constexpr std::size_t kOriginLimit = 4096;
inline constexpr std::size_t kPatternLimit = 512;  // as long as the kernel's symbols may be
inline constexpr std::size_t kMarkLimit = 200;
inline constexpr std::size_t kGroupsLimit = 64;

// The document that holds the raw sub-buffers of a run.
inline constexpr const char* kRecording = "trace.dat";

struct StartOptions {
  core::JobOptions job;
  bool tie_to_caller = false;
};

[[nodiscard]] Result<StartOptions> parse_start_options(const dbus::Row& options);
// Its owner is the caller, whom it does not know.
[[nodiscard]] Result<core::ImportRequest> parse_import_options(const dbus::Row& options);
[[nodiscard]] Result<core::RunFilter> parse_run_filter(const dbus::Row& filter);
// Whether the groups that it names are any is known to core::compare_selections().
[[nodiscard]] Result<analysis::ComparisonSettings> parse_compare_options(const dbus::Row& options);
// But for its runs.
[[nodiscard]] Result<core::PlanRequest> parse_plan_options(const dbus::Row& options);
[[nodiscard]] Result<core::FunctionFilter> parse_function_filter(const dbus::Row& filter);

// `what` stands at the beginning of the error.
[[nodiscard]] Status check_size(const char* what, const std::string& text, std::size_t limit_bytes);
// One line of printable text within the limit.
[[nodiscard]] Status check_line(const char* what, const std::string& text, std::size_t limit_bytes);

// Rows of a page where `asked` are wanted: 0 means as many as there may be.
[[nodiscard]] std::uint32_t page_limit(std::uint32_t asked, std::uint32_t highest);
// Where a page begins: 0 for an empty cursor; invalid_argument for one that next_cursor() never gave.
[[nodiscard]] Result<std::uint64_t> parse_cursor(const std::string& cursor);
// Of the page that follows `rows` rows from `offset` on, of `total`; empty at the end.
[[nodiscard]] std::string next_cursor(std::uint64_t offset, std::size_t rows, std::uint64_t total);
// The store's number for one of the bus, which has one bit more; not_found where the store cannot have it.
// `what` is "run" or "job".
[[nodiscard]] Result<std::int64_t> parse_id(std::uint64_t number, const char* what);

}  // namespace netperfd::bus
