// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bus/bundle_answer.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "daemon/base/byte_archive.hpp"
#include "daemon/bundle/bundle.hpp"
#include "daemon/bus/options.hpp"
#include "daemon/bus/query_answers.hpp"

namespace netperfd::bus {
namespace {

// Both directions; the writer changes nothing.
template <class Archive>
void put_request(Archive& archive, BundleRequest& request) {
  std::string name = query_name::kOpenBundle;
  auto made = static_cast<std::uint64_t>(request.origin.made.time_since_epoch().count());
  std::uint64_t recordings = request.recordings ? 1 : 0;
  std::uint64_t redacted = request.origin.redacted ? 1 : 0;
  archive.text(name);
  for (std::uint64_t* number : {&request.job, &request.run, &recordings, &redacted, &made})
    archive.number(*number);
  for (std::string* text : {&request.report, &request.origin.host, &request.origin.version})
    archive.text(*text);
  if constexpr (Archive::kReads) {
    request.recordings = recordings != 0;
    request.origin.redacted = redacted != 0;
    request.origin.made = WallTime{std::chrono::microseconds{made}};
  }
}

Result<std::vector<RunId>> runs_of(core::RunQueries& queries, const BundleRequest& request) {
  const auto runs = queries.runs_of_job(static_cast<JobId>(request.job));
  if (!runs) return std::unexpected(runs.error());
  std::vector<RunId> ids;
  for (const core::RunRow& run : *runs) {
    if (request.run == 0 || std::cmp_equal(run.id, request.run)) ids.push_back(run.id);
  }
  if (runs->empty() || !runs->front().spec.confirms) return ids;
  const auto first = queries.runs_of_job(*runs->front().spec.confirms);
  if (!first)
    return first.error().kind == ErrorKind::not_found ? Result<std::vector<RunId>>{ids}
                                                      : std::unexpected(first.error());
  for (const core::RunRow& run : *first) {
    if (run.owner == runs->front().owner) ids.push_back(run.id);
  }
  return ids;
}

// They have kernel addresses, which a page does not show.
void leave_out_recordings(StoredTables& content) {
  const auto found = std::ranges::find(content.tables, "documents", &StoredTable::name);
  if (found == content.tables.end()) return;
  StoredTable kept{.name = found->name, .columns = found->columns, .values = {}};
  StoredRows rows{*found};
  std::vector<StoredValue> row;
  while (rows.next(row)) {
    if (std::ranges::find(row, StoredValue{std::string{kRecording}}) != row.end()) continue;
    for (const StoredValue& value : row) kept.add(value);
  }
  *found = std::move(kept);
}

}  // namespace

std::string to_query_bytes(const BundleRequest& request) {
  ByteWriter writer;
  put_request(writer, const_cast<BundleRequest&>(request));  // NOLINT(cppcoreguidelines-pro-type-const-cast)
  return writer.take();
}

Result<std::string> bundle_of(core::RunQueries& queries, std::string_view request) {
  ByteReader reader{request, std::numeric_limits<std::size_t>::max()};
  BundleRequest wanted;
  put_request(reader, wanted);
  if (reader.failed()) return fail(ErrorKind::internal, "the request for a bundle came damaged");
  const auto runs = runs_of(queries, wanted);
  if (!runs) return std::unexpected(runs.error());
  auto content = queries.tables(*runs, bundle::kMostTableBytes);
  if (!content) return std::unexpected(std::move(content.error()));
  if (!wanted.recordings) leave_out_recordings(*content);
  return bundle::write({.origin = std::move(wanted.origin), .content = std::move(*content)}, wanted.report);
}

}  // namespace netperfd::bus
