// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bundle/bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "daemon/bundle/manifest.hpp"
#include "daemon/bundle/table_lines.hpp"
#include "daemon/bundle/tar.hpp"

namespace netperfd::bundle {
namespace {

constexpr std::string_view kReport = "report.html";

}  // namespace

Result<std::string> write(const Bundle& bundle, std::string_view report) {
  Manifest manifest{.origin = bundle.origin, .schema = bundle.content.schema, .tables = {}};
  std::vector<Entry> entries;
  if (!report.empty()) entries.push_back({std::string{kReport}, std::string{report}});
  for (const StoredTable& table : bundle.content.tables) {
    auto head = add_lines(table, entries);
    if (!head) return std::unexpected(std::move(head.error()));
    manifest.tables.push_back(std::move(*head));
  }
  add_manifest(manifest, entries);
  std::size_t bytes = 0;
  for (const Entry& entry : entries) bytes += entry.bytes.size();
  if (bytes > kMostBytes) {
    return invalid(
        fmt::format("the runs have {} MiB, and a bundle may have {}: export fewer runs, or without "
                    "their recordings",
                    bytes >> 20U, kMostBytes >> 20U));
  }
  return pack(entries, bundle.origin.made);
}

Result<Bundle> read(std::span<const std::byte> tar) {
  const auto entries = unpack(tar, kMostBytes);
  if (!entries) return std::unexpected(entries.error());
  auto manifest = read_manifest(*entries);
  if (!manifest) return std::unexpected(std::move(manifest.error()));
  std::map<std::string, const std::string*> open;
  for (const Entry& entry : *entries) open.emplace(entry.name, &entry.bytes);
  for (const std::string_view name : {kManifest, kManifestDigest, kReport}) open.erase(std::string{name});
  const TakeEntry take = [&](const std::string& name) -> const std::string* {
    const auto node = open.extract(name);
    return node.empty() ? nullptr : node.mapped();
  };
  Bundle bundle{.origin = std::move(manifest->origin), .content = {.schema = manifest->schema, .tables = {}}};
  for (const TableHead& head : manifest->tables) {
    auto table = read_lines(head, take);
    if (!table) return std::unexpected(std::move(table.error()));
    bundle.content.tables.push_back(std::move(*table));
  }
  if (open.empty()) return bundle;
  return invalid(fmt::format("entry {}: nothing refers to it", open.begin()->first));
}

}  // namespace netperfd::bundle
