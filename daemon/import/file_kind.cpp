// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "daemon/import/decompress.hpp"
#include "daemon/import/text_encoding.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd::import {
namespace {

// The file type must be visible within this range; iperf3's lines about a title or a version may come first.
constexpr std::size_t kLookedAt = std::size_t{64} << 10U;
// With -d, iperf3 prints a line for each write before its document, as long as the test takes.
constexpr std::size_t kLookedForDocument = std::size_t{64} << 20U;

constexpr std::string_view kTraceDat{"\x17\x08\x44tracing", 10};
constexpr std::string_view kExpected =
    "expected is a JSON document of iperf3 (-J or --json-stream), function_graph text, a trace.dat of "
    "trace-cmd or a bundle of netperfctl export";

// A tar whose first entry is the manifest.
bool is_bundle(std::string_view text) {
  constexpr std::size_t kMagicAt = 257;
  constexpr std::string_view kMagic = "ustar";
  return text.starts_with("manifest.json") && text.substr(0, kMagicAt + kMagic.size()).ends_with(kMagic);
}

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// The text from the first line that begins like JSON to the end of the examined range; empty if there is
// none.
std::string_view json_of(std::string_view text) {
  while (!text.empty()) {
    const auto* const begin = std::ranges::find_if_not(text, is_blank);
    if (begin != text.end() && (*begin == '{' || *begin == '[')) return {begin, text.end()};
    const std::size_t end = text.find('\n');
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return {};
}

// Whether a line begins with the first key of iperf3's document or events, which no trace has.
bool has_document(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  for (std::size_t at = text.find("\n{"); at != std::string_view::npos; at = text.find("\n{", at + 1)) {
    const std::size_t key = text.find_first_not_of(kBlank, at + 2);
    if (key == std::string_view::npos) return false;
    const std::string_view first = text.substr(key);
    if (first.starts_with("\"start\"") || first.starts_with("\"event\"")) return true;
  }
  return false;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

std::string first_line(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return in_quotes(text.substr(0, std::min(text.find('\n'), kShown)));
}

std::string first_bytes(std::string_view bytes) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (const char c : bytes.substr(0, kShown)) text += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  return text;
}

}  // namespace

Result<FileKind> recognize(std::span<const std::byte> file) {
  const std::string_view all(reinterpret_cast<const char*>(file.data()), file.size());
  const std::string_view text = all.substr(0, kLookedAt);
  if (text.starts_with(kTraceDat)) return FileKind::trace_dat;
  if (is_bundle(text)) return FileKind::bundle;
  if (text.find('\0') != std::string_view::npos) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("it is no text and no trace.dat, it begins with the bytes{}; {}",
                            first_bytes(text), kExpected));
  }
  const std::string_view json = json_of(text);
  // Test first for text that no trace has: iperf3's own output, such as a title, may look like a call.
  const bool has_head = text.starts_with("# tracer:") || text.starts_with("cpus=");
  if (!has_head && contains_any(json, {"\"test_start\"", "\"connecting_to\"", "\"event\":"})) {
    return FileKind::iperf3;
  }
  if (!has_head && has_document(all.substr(0, std::min(all.size(), kLookedForDocument)))) {
    return FileKind::iperf3;
  }
  if (contains_any(text, {"# tracer:", "funcgraph_", ") {", ");", "} /*"})) return FileKind::graph_text;
  if (contains_any(json, {"\"start\"", "\"intervals\"", "\"event\"", "\"error\""})) return FileKind::iperf3;
  if (contains_any(text, {"[ ID] Interval"})) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("it is what iperf prints for people; {}", kExpected));
  }
  if (!json.empty()) {
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("it looks like JSON, but has none of iperf3's keys start, intervals and event; {}",
                    kExpected));
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail(ErrorKind::invalid_argument, fmt::format("there is nothing in it; {}", kExpected));
  }
  return fail(ErrorKind::invalid_argument,
              fmt::format("its first line is {}; {}", first_line(text), kExpected));
}

Result<ImportedFile> read_by_kind(std::span<const std::byte> file, const FileReaders& readers) {
  const std::string_view given(reinterpret_cast<const char*>(file.data()), file.size());
  const auto unpacked = decompress(given);
  if (!unpacked) return std::unexpected(unpacked.error());
  if (*unpacked) file = std::as_bytes(std::span(**unpacked));
  const auto text = to_utf8(*unpacked ? std::string_view(**unpacked) : given);
  if (text) file = std::as_bytes(std::span(*text));
  const auto kind = recognize(file);
  if (!kind) return std::unexpected(kind.error());
  switch (*kind) {
    case FileKind::iperf3:
      return readers.iperf3(file);
    case FileKind::graph_text:
      return readers.graph_text(file);
    case FileKind::bundle:
      if (readers.bundle) return readers.bundle(file);
      return fail(ErrorKind::invalid_argument, "it is a bundle, which is not read here");
    case FileKind::trace_dat:
      break;
  }
  return readers.trace_dat(file);
}

}  // namespace netperfd::import
