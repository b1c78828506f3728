// SPDX-License-Identifier: GPL-2.0-or-later
// Any bytes as a bundle: a tar if the first byte is even, otherwise texts of entries, `==== NAME` above each,
// of which a tar with the right digests is made: without these, no change would get past the manifest. The
// bundle is refused with an error that can be printed, or written and read again it is the same; and a
// database that takes its tables gives them back.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/bundle/bundle.hpp"
#include "daemon/bundle/manifest.hpp"
#include "daemon/bundle/redact.hpp"
#include "daemon/bundle/tar.hpp"
#include "daemon/import/decompress.hpp"
#include "daemon/reading/sha256.hpp"
#include "daemon/store/bundle_writer.hpp"
#include "tests/fuzz/require.hpp"

namespace bundle = netperfd::bundle;
using netperfd::fuzz::require;

namespace {

constexpr std::size_t kBlock = 512;

std::string digest_of(const std::string& bytes) {
  return netperfd::reading::sha256_of(std::as_bytes(std::span(bytes)));
}

// A header of ustar and the bytes, without what the reader ignores.
void add_entry(std::string& tar, std::string_view name, const std::string& bytes) {
  std::string head(kBlock, '\0');
  constexpr std::size_t kName = 100, kMode = 100, kSize = 124, kSum = 148, kType = 156, kMagic = 257;
  head.replace(0, std::min(name.size(), kName), name.substr(0, kName));
  head.replace(kMode, 7, "0000644");
  head.replace(kSize, 11, fmt::format("{:011o}", bytes.size()));
  head[kType] = '0';
  head.replace(kMagic, 8, std::string_view("ustar\00000", 8));
  head.replace(kSum, 8, "        ");
  unsigned sum = 0;
  for (const char each : head) sum += static_cast<unsigned char>(each);
  head.replace(kSum, 7, fmt::format("{:06o}", sum) + '\0');
  tar += head + bytes;
  tar.resize((tar.size() + kBlock - 1) / kBlock * kBlock, '\0');
}

std::vector<bundle::Entry> entries_of(std::string_view text) {
  constexpr std::string_view kMark = "==== ";
  std::vector<bundle::Entry> entries;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    if (line.starts_with(kMark)) {
      std::string_view name = line.substr(kMark.size());
      if (name.ends_with('\n')) name.remove_suffix(1);
      entries.push_back({std::string(name), {}});
    } else if (!entries.empty()) {
      entries.back().bytes += line;
    }
  }
  return entries;
}

// The first entry is the manifest, but for the list of entries and its digest.
std::string tar_of(std::vector<bundle::Entry> entries) {
  std::string tar;
  if (entries.empty()) return tar;
  auto manifest = nlohmann::ordered_json::parse(entries.front().bytes, nullptr, false);
  if (manifest.is_object()) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& entry : std::span(entries).subspan(1)) {
      list.push_back(
          {{"name", entry.name}, {"bytes", entry.bytes.size()}, {"sha256", digest_of(entry.bytes)}});
    }
    manifest["entries"] = std::move(list);
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    entries.front().bytes = manifest.dump(-1, ' ', false, kReplace);
  }
  const std::string digest = fmt::format("{}  {}\n", digest_of(entries.front().bytes), bundle::kManifest);
  add_entry(tar, entries.front().name, entries.front().bytes);
  add_entry(tar, bundle::kManifestDigest, digest);
  for (const auto& entry : std::span(entries).subspan(1)) add_entry(tar, entry.name, entry.bytes);
  tar.append(2 * kBlock, '\0');
  return tar;
}

netperfd::Result<netperfd::Bundle> read(const std::string& tar) {
  auto read = bundle::read(std::as_bytes(std::span(tar)));
  if (!read) netperfd::fuzz::require_printable_lines(read.error().message);
  return read;
}

// Of any tables: two rows may name one entry, which then is there twice and is refused.
bool is_same_again(const netperfd::Bundle& first) {
  const auto written = bundle::write(first, "");
  if (!written) return false;
  const auto tar = netperfd::import::decompress(*written);
  require(tar && *tar);
  const auto again = read(**tar);
  require(!again || *again == first);
  return again.has_value();
}

void fuzz_database(const netperfd::Bundle& first) {
  const auto content = netperfd::store::at_newest_version(first.content, bundle::kMostTableBytes);
  if (!content) return netperfd::fuzz::require_printable_lines(content.error().message);
  require(is_same_again({.origin = first.origin, .content = *content}));
  const auto again = netperfd::store::at_newest_version(*content, bundle::kMostTableBytes);
  require(again && *again == *content);
  require(bundle::redacted(*content, "host").has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  if (size == 0) return 0;
  const std::string all = netperfd::fuzz::text_of(input, size);
  const auto kind = static_cast<unsigned char>(all.front());
  const std::string rest = all.substr(1);
  const auto bundle = read(kind % 2 == 0 ? rest : tar_of(entries_of(rest)));
  if (!bundle) return 0;
  (void)is_same_again(*bundle);
#ifdef NETPERFD_PLANTED_BUG
  if (bundle->origin.host != "lab7") netperfd::fuzz::read_too_far(bundle->origin.host);
#endif
  if (const auto without = bundle::redacted(bundle->content, "host"); !without) {
    netperfd::fuzz::require_printable_lines(without.error().message);
  }
  fuzz_database(*bundle);
  return 0;
}
