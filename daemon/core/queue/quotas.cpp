// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/queue/quotas.hpp"

#include <fmt/format.h>

#include <string>

namespace netperfd::core {
namespace {

using std::chrono::milliseconds;

constexpr std::chrono::hours kDay{24};

std::string gibibytes(std::uint64_t bytes) {
  constexpr double kGibibyte = 1U << 30U;
  return fmt::format("{:.2f} GiB", static_cast<double>(bytes) / kGibibyte);
}

// "7 h 50 min"
std::string hours(milliseconds time) {
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(time).count();
  constexpr int kHour = 60;
  if (minutes < kHour) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / kHour, minutes % kHour);
}

}  // namespace

milliseconds reserved_time(const JobSpec& spec, std::size_t runs) {
  milliseconds longest = spec.limits.timeout;
  for (const SideWorkload& side : spec.sides) longest = std::max(longest, side.limits.timeout);
  // One outage of the server costs one wait.
  return planned_duration(spec).value_or(longest) * static_cast<std::int64_t>(runs) +
         spec.test.path.server_wait;
}

Result<UserUsage> Quotas::usage(uid_t user) {
  const WallTime now = clock_.now();
  return store_.usage(user, now - kDay, now + kDay);
}

Status Quotas::check_stored(uid_t user, const UserUsage& usage) const {
  if (!limits_.stored_bytes || usage.stored_bytes < *limits_.stored_bytes) return {};
  return fail(
      ErrorKind::quota_exceeded,
      fmt::format("uid {} has {} of runs stored, and limits.user.stored allows {}; delete runs of this "
                  "user's to make room",
                  user, gibibytes(usage.stored_bytes), gibibytes(*limits_.stored_bytes)));
}

Status Quotas::check_stored(uid_t user) {
  if (user == 0 || !limits_.stored_bytes) return {};
  const auto used = usage(user);
  if (!used) return std::unexpected(used.error());
  return check_stored(user, *used);
}

Status Quotas::check_job(uid_t user, const Live& live, milliseconds reserved) {
  if (user == 0) return {};
  if (limits_.queue && live.jobs >= *limits_.queue) {
    return fail(
        ErrorKind::quota_exceeded,
        fmt::format("uid {} has {} jobs that wait or run, and limits.user.queue allows {}; stop one of "
                    "them or wait until one has ended",
                    user, live.jobs, *limits_.queue));
  }
  if (!limits_.stored_bytes && !limits_.time) return {};
  const auto used = usage(user);
  if (!used) return std::unexpected(used.error());
  if (auto stored = check_stored(user, *used); !stored) return stored;
  const auto passed = std::chrono::ceil<milliseconds>(used->running);
  if (!limits_.time || passed + live.reserved + reserved <= *limits_.time) return {};
  return fail(
      ErrorKind::quota_exceeded,
      fmt::format("uid {}: this job may take {}, live jobs {}, and the runs of the last 24 hours took {}; "
                  "limits.user.time allows {} in all; ask for less, or wait until those runs are older",
                  user, hours(reserved), hours(live.reserved), hours(passed), hours(*limits_.time)));
}

Status Quotas::check_run(uid_t user) {
  if (user == 0 || (!limits_.stored_bytes && !limits_.time)) return {};
  const auto used = usage(user);
  if (!used) return std::unexpected(used.error());
  if (auto stored = check_stored(user, *used); !stored) return stored;
  if (!limits_.time || used->running < *limits_.time) return {};
  return fail(ErrorKind::quota_exceeded,
              fmt::format("the runs of uid {} took {} in the last 24 hours, and limits.user.time allows {}",
                          user, hours(std::chrono::ceil<milliseconds>(used->running)), hours(*limits_.time)));
}

}  // namespace netperfd::core
