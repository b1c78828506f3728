// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bundle/manifest.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"
#include "daemon/reading/sha256.hpp"

namespace netperfd::bundle {
namespace {

using Json = nlohmann::ordered_json;
using Parsed = nlohmann::json;  // an ordered object takes the square of its keys to be read

constexpr std::string_view kFormat = "netperf-bundle";
// Of an object in a list in an object.
constexpr int kDeepest = 4;
// As many entries, tables and columns as a bundle may have take less.
constexpr std::size_t kMostManifestBytes = std::size_t{16} << 20U;
constexpr std::size_t kMostTables = 1'000;
constexpr std::size_t kMostColumns = 1'000;

std::string digest_of(const std::string& bytes) {
  return reading::sha256_of(std::as_bytes(std::span(bytes)));
}

// As sha256sum(1) writes and checks it.
std::string digest_line(const std::string& manifest) {
  return fmt::format("{}  {}\n", digest_of(manifest), kManifest);
}

std::unexpected<Error> refuse(std::string_view key, std::string_view expected) {
  return invalid(fmt::format("entry {}: key {}: expected is {}", kManifest, key, expected));
}

// Exactly these keys.
Status expect_keys(const Parsed& object, std::string_view where,
                   std::initializer_list<std::string_view> keys) {
  if (!object.is_object()) return refuse(where, "an object");
  for (const std::string_view key : keys) {
    if (!object.contains(key)) return refuse(fmt::format("{}{}", where, key), "that it is there");
  }
  for (const auto& item : object.items()) {
    if (std::ranges::find(keys, item.key()) == keys.end())
      return refuse(fmt::format("{}{}", where, in_quotes(item.key())),
                    fmt::format("one of {}", fmt::join(keys, ", ")));
  }
  return {};
}

std::optional<WallTime> parse_time(const std::string& text) {
  int year = 0;
  unsigned month = 0, day = 0, hour = 0, minute = 0, second = 0;
  int end = 0;
  constexpr int kFields = 6;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2uT%2u:%2u:%2uZ%n", &year, &month, &day, &hour, &minute, &second,
                  &end) !=  // NOLINT(cert-err34-c)
          kFields ||
      std::cmp_not_equal(end, text.size())) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month},
                                         std::chrono::day{day}};
  // The clock of this machine counts nanoseconds, and ends in 2262.
  if (!date.ok() || year < 1970 || year > 2261 || hour > 23 || minute > 59 || second > 59)
    return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second};
}

Status read_origin(const Parsed& json, BundleOrigin& origin) {
  constexpr std::size_t kLongest = 255;
  for (const auto& [key, to] : {std::pair{"host", &origin.host}, std::pair{"netperfd", &origin.version}}) {
    if (!json[key].is_string()) return refuse(key, "a text");
    *to = json[key].get<std::string>();
    if (to->size() > kLongest || !is_printable(*to))
      return refuse(key, fmt::format("a printable line of at most {} bytes", kLongest));
  }
  const auto made = json["made"].is_string() ? parse_time(json["made"].get<std::string>()) : std::nullopt;
  if (!made) return refuse("made", "a time such as 2026-01-31T23:59:59Z");
  origin.made = *made;
  if (!json["redacted"].is_boolean()) return refuse("redacted", "true or false");
  origin.redacted = json["redacted"].get<bool>();
  return {};
}

Status read_tables(const Parsed& json, std::vector<TableHead>& tables) {
  if (!json.is_array() || json.size() > kMostTables)
    return refuse("tables", fmt::format("a list of at most {} tables", kMostTables));
  for (const Parsed& item : json) {
    if (auto keys = expect_keys(item, "tables.", {"name", "columns", "rows"}); !keys) return keys;
    const Parsed& columns = item["columns"];
    const auto is_text = [](const Parsed& value) { return value.is_string(); };
    const Parsed& name = item["name"];
    if (!name.is_string() || !is_entry_name(name.get<std::string>())) return refuse("tables.name", "a word");
    if (!columns.is_array() || columns.empty() || columns.size() > kMostColumns ||
        !std::ranges::all_of(columns, is_text))
      return refuse("tables.columns", fmt::format("a list of at most {} texts", kMostColumns));
    if (!item["rows"].is_number_unsigned()) return refuse("tables.rows", "a number");
    tables.push_back({.name = name.get<std::string>(),
                      .columns = columns.get<std::vector<std::string>>(),
                      .rows = item["rows"].get<std::uint64_t>()});
  }
  return {};
}

Status compare_entry(const Parsed& said, const Entry& entry) {
  const auto about = [&](std::string_view what) {
    return invalid(fmt::format("entry {}: {}", entry.name, what));
  };
  if (!said["bytes"].is_number_unsigned()) return refuse("entries.bytes", "a number");
  const auto bytes = said["bytes"].get<std::uint64_t>();
  if (bytes != entry.bytes.size()) {
    return about(fmt::format("it has {} bytes, and the manifest says {}: the bundle is damaged",
                             entry.bytes.size(), bytes));
  }
  if (said["sha256"] == digest_of(entry.bytes)) return {};
  return about("its SHA-256 is not the one in the manifest: the bundle is damaged");
}

// Each listed entry is there, and no other.
Status compare_entries(const Parsed& list, std::span<const Entry> entries) {
  if (!list.is_array()) return refuse("entries", "a list");
  std::map<std::string_view, const Entry*> open;
  for (const Entry& entry : entries) open.emplace(entry.name, &entry);
  for (const Parsed& said : list) {
    if (auto keys = expect_keys(said, "entries.", {"name", "bytes", "sha256"}); !keys) return keys;
    if (!said["name"].is_string()) return refuse("entries.name", "a text");
    const auto name = said["name"].get<std::string>();
    const auto found = open.find(name);
    if (found == open.end())
      return invalid(fmt::format("entry {} is missing, or is twice in the manifest", in_quotes(name)));
    if (auto compared = compare_entry(said, *found->second); !compared) return compared;
    open.erase(found);
  }
  if (open.empty()) return {};
  return invalid(fmt::format("entry {}: the manifest does not list it", open.begin()->first));
}

Status expect_format(const Parsed& json) {
  if (!json.is_object() || json.value("format", Parsed{}) != kFormat)
    return refuse("format", fmt::format("\"{}\"", kFormat));
  const Parsed version = json.value("format_version", Parsed{});
  if (!version.is_number_unsigned()) return refuse("format_version", "a number");
  const auto number = version.get<std::uint64_t>();
  if (number == kFormatVersion) return {};
  return fail(
      number > kFormatVersion ? ErrorKind::unsupported : ErrorKind::invalid_argument,
      fmt::format("{} it has format version {}, and this one reads version {}",
                  number > kFormatVersion ? "a newer netperfd made the bundle:" : "entry manifest.json:",
                  number, kFormatVersion));
}

Result<Parsed> parse(const std::string& text) {
  if (text.size() > kMostManifestBytes)
    return invalid(fmt::format("entry {}: it is too large: it has more than {} MiB", kManifest,
                               kMostManifestBytes >> 20U));
  bool deep = false;
  Parsed json = Parsed::parse(
      text,
      [&](int depth, auto, const Parsed&) {
        deep = deep || depth > kDeepest;
        return !deep;
      },
      false);
  if (deep || json.is_discarded())
    return invalid(fmt::format("entry {}: it is no JSON, or nested too deep", kManifest));
  return json;
}

}  // namespace

void add_manifest(const Manifest& manifest, std::vector<Entry>& entries) {
  Json json;
  json["format"] = kFormat;
  json["format_version"] = kFormatVersion;
  json["schema_version"] = manifest.schema;
  json["netperfd"] = manifest.origin.version;
  json["host"] = manifest.origin.host;
  json["made"] = fmt::format("{:%FT%TZ}", std::chrono::floor<std::chrono::seconds>(manifest.origin.made));
  json["redacted"] = manifest.origin.redacted;
  json["tables"] = Json::array();
  for (const TableHead& table : manifest.tables) {
    json["tables"].push_back({{"name", table.name}, {"columns", table.columns}, {"rows", table.rows}});
  }
  json["entries"] = Json::array();
  for (const Entry& entry : entries) {
    json["entries"].push_back(
        {{"name", entry.name}, {"bytes", entry.bytes.size()}, {"sha256", digest_of(entry.bytes)}});
  }
  Entry text{std::string{kManifest}, json.dump(1) + "\n"};
  Entry digest{std::string{kManifestDigest}, digest_line(text.bytes)};
  entries.insert(entries.begin(), {std::move(text), std::move(digest)});
}

Result<Manifest> read_manifest(const std::vector<Entry>& entries) {
  if (entries.empty() || entries.front().name != kManifest)
    return invalid(fmt::format("its first entry is not {}", kManifest));
  if (entries.size() < 2 || entries[1].name != kManifestDigest)
    return invalid(fmt::format("its second entry is not {}", kManifestDigest));
  if (entries[1].bytes != digest_line(entries[0].bytes)) {
    return invalid(fmt::format("entry {}: its SHA-256 is not the one in {}: the bundle is damaged", kManifest,
                               kManifestDigest));
  }
  const auto json = parse(entries.front().bytes);
  if (!json) return std::unexpected(json.error());
  Manifest manifest;
  Status done = expect_format(*json);
  if (done) {
    done = expect_keys(*json, "",
                       {"format", "format_version", "schema_version", "netperfd", "host", "made", "redacted",
                        "tables", "entries"});
  }
  if (done) done = read_origin(*json, manifest.origin);
  if (done) done = read_tables((*json)["tables"], manifest.tables);
  if (done) done = compare_entries((*json)["entries"], std::span(entries).subspan(2));
  if (!done) return std::unexpected(std::move(done.error()));
  const Parsed& schema = (*json)["schema_version"];
  constexpr std::uint64_t kMostVersions = 100'000;
  if (!schema.is_number_unsigned() || schema.get<std::uint64_t>() > kMostVersions)
    return refuse("schema_version", "a number");
  manifest.schema = schema.get<std::uint32_t>();
  return manifest;
}

}  // namespace netperfd::bundle
