// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/import/file_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
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
    "expected is a JSON document of iperf3 (-J or --json-stream) or its text, output of netperf or sockperf, "
    "a data file of flent, a table with the columns figure, side and value, function_graph text, a trace.dat "
    "of trace-cmd or a bundle of netperfctl export";

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

std::size_t skip(std::string_view text, std::size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size());
}

// "iperf3-312", or with its group "iperf3-312   (  310)".
bool ends_with_task(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t last = text.find_last_not_of(' ');
  if (last == std::string_view::npos) return false;
  if (text[last] == ')') return true;
  const std::size_t before = text.find_last_not_of(kDigits, last);
  return before != last && before != std::string_view::npos && text[before] == '-';
}

// Whether a line has the columns of an event, as in trace_pipe, which has no head:
// "  iperf3-312     [001] ..s1.    11.275768: napi_poll: ...".
bool has_event_line(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  for (std::size_t at = text.find(" ["); at != std::string_view::npos; at = text.find(" [", at + 1)) {
    std::size_t end = skip(text, at + 2, kDigits);
    if (!ends_with_task(text.substr(0, at)) || end == at + 2 || !text.substr(end).starts_with("] ")) continue;
    end = skip(text, end + 1, " ");
    if (std::size_t flags = text.find(' ', end); flags != std::string_view::npos && flags - end <= 10) {
      const std::string_view word = text.substr(end, flags - end);
      if (word.find(':') == std::string_view::npos) end = skip(text, flags, " ");
    }
    const std::size_t dot = skip(text, end, kDigits);
    if (dot == end || !text.substr(dot).starts_with('.')) continue;
    const std::size_t colon = skip(text, dot + 1, kDigits);
    if (colon > dot + 1 && text.substr(colon).starts_with(": ")) return true;
  }
  return false;
}

// Whether a line has the columns of iperf's table for people, or its head:
// "[  5]   0.00-1.00   sec  1.17 GBytes  10.1 Gbits/sec".
bool has_iperf_row(std::string_view text) {
  if (text.find("[ ID] Interval ") != std::string_view::npos) return true;
  if (text.find("[ ID][Role] Interval ") != std::string_view::npos) return true;
  constexpr std::size_t kLongest = 100;
  for (std::size_t at = text.find(" sec "); at != std::string_view::npos; at = text.find(" sec ", at + 1)) {
    const std::string_view before = text.substr(at - std::min(at, kLongest), std::min(at, kLongest));
    const std::string_view row = before.substr(before.rfind('[') == before.npos ? 0 : before.rfind('['));
    const std::string_view behind = text.substr(at, kLongest);
    if (row.starts_with('[') && row.find('\n') == row.npos && row.find('-') != row.npos &&
        (behind.find("bits/sec") != behind.npos || behind.find("Bytes/sec") != behind.npos))
      return true;
  }
  return false;
}

bool is_of_netperf(std::string_view text) {
  const bool has_test =
      text.find(" TEST from ") != std::string_view::npos && text.find(" AF_INET") != std::string_view::npos;
  // The keys and the columns of its omni tests.
  return has_test || text.starts_with("THROUGHPUT") || text.find("\nTHROUGHPUT=") != std::string_view::npos ||
         text.find("Throughput,Throughput Units") != std::string_view::npos;
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

// Whether a text has a key of JSON, perhaps escaped, however often.
bool has_key(std::string_view text, std::string_view key) {
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const auto end = text.find_first_not_of('\\', at + key.size());
    if (at > 0 && text[at - 1] == '"' && end != std::string_view::npos && text[end] == '"') return true;
  }
  return false;
}

// Whether it has keys of iperf3's document anywhere: behind a log's prefix, or escaped in a text of other
// JSON.
bool has_keys(std::string_view text) {
  return (has_key(text, "test_start") && has_key(text, "protocol")) ||
         (has_key(text, "connecting_to") && has_key(text, "start"));
}

// Whether the first line that is not empty names the columns of a table of numbers, in any order.
bool is_table(std::string_view text) {
  constexpr std::string_view kAroundName = " \t\r\"", kNeeded[] = {"figure", "side", "value"};
  const std::size_t begin = skip(text, 0, " \t\r\n,");
  std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  std::set<std::string_view> names;
  for (bool more = true; more;) {
    const std::size_t comma = std::min(line.find(','), line.size());
    std::string_view name = line.substr(0, comma);
    name.remove_prefix(skip(name, 0, kAroundName));
    names.insert(name.substr(0, name.find_last_not_of(kAroundName) + 1));
    more = comma < line.size();
    line.remove_prefix(comma + (more ? 1 : 0));
  }
  return std::ranges::all_of(kNeeded, [&](std::string_view name) { return names.contains(name); });
}

std::string first_line(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return in_quotes(text.substr(0, std::min(text.find('\n'), kShown)));
}

// The number of the first line that begins with the sign by which a mail quotes another one; absent if most
// lines have none.
std::optional<std::size_t> first_quoted_line(std::string_view text) {
  std::optional<std::size_t> first;
  std::size_t lines = 0, quoted = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t sign = line.find_first_not_of(" \t\r");
    if (sign == std::string_view::npos) continue;
    ++lines;
    if (line[sign] != '>') continue;
    ++quoted;
    if (!first) first = number;
  }
  constexpr std::size_t kFewest = 2;
  return quoted >= kFewest && 2 * quoted > lines ? first : std::nullopt;
}

// Without that sign, however often it stands there.
std::string unquoted(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    for (std::size_t sign = line.find_first_not_of(" \t"); sign < line.size() && line[sign] == '>';
         sign = line.find_first_not_of(" \t"))
      line.remove_prefix(sign + 1);
    lines.append(line.substr(line.starts_with(' ') ? 1 : 0)) += '\n';
  }
  return lines;
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
  if (is_table(text)) return FileKind::table;
  const std::string_view json = json_of(text);
  // Test first for text that no trace has: iperf3's own output, such as a title, may look like a call.
  const bool has_head = text.starts_with("# tracer:") || text.starts_with("cpus=");
  const std::string_view far = all.substr(0, kLookedForDocument);
  // Before what is told by single keys, which a series may be named like.
  if (has_key(json, "metadata") && has_key(far, "x_values")) return FileKind::flent;
  if (!has_head && (contains_any(json, {"\"test_start\"", "\"connecting_to\"", "\"event\":"}) ||
                    has_document(far) || has_keys(far))) {
    return FileKind::iperf3;
  }
  const bool has_trace = has_head || contains_any(text, {"# tracer:", "\ncpus=", ": cpus=", "funcgraph_"});
  // Before the looser signs of a trace, which a title may have.
  if (!has_trace && has_iperf_row(far)) return FileKind::iperf3_text;
  if (!has_trace && contains_any(text, {"sockperf: "})) return FileKind::sockperf;
  if (!has_trace && is_of_netperf(text)) return FileKind::netperf;
  if (has_trace || contains_any(text, {") {", ");", "} /*"}) || has_event_line(text)) {
    return FileKind::graph_text;
  }
  if (contains_any(json, {"\"start\"", "\"intervals\"", "\"event\"", "\"error\""})) return FileKind::iperf3;
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
              fmt::format("it is none of the files that can be imported; its first line is {}; {}",
                          first_line(text), kExpected));
}

namespace {

Result<ImportedFile> read_recognized(std::span<const std::byte> file, const FileReaders& readers) {
  const auto kind = recognize(file);
  if (!kind) return std::unexpected(kind.error());
  switch (*kind) {
    case FileKind::iperf3:
      return readers.iperf3(file);
    case FileKind::iperf3_text:
      return readers.iperf3_text(file);
    case FileKind::netperf:
      return readers.netperf(file);
    case FileKind::sockperf:
      return readers.sockperf(file);
    case FileKind::flent:
      return readers.flent(file);
    case FileKind::table:
      return readers.table(file);
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

}  // namespace

Result<ImportedFile> read_by_kind(std::span<const std::byte> file, const FileReaders& readers) {
  const std::string_view given(reinterpret_cast<const char*>(file.data()), file.size());
  const auto unpacked = decompress(given);
  if (!unpacked) return std::unexpected(unpacked.error());
  if (*unpacked) file = std::as_bytes(std::span(**unpacked));
  const auto text = to_utf8(*unpacked ? std::string_view(**unpacked) : given);
  if (text) file = std::as_bytes(std::span(*text));
  Result<ImportedFile> imported = read_recognized(file, readers);
  if (imported) return imported;
  const std::string_view whole(reinterpret_cast<const char*>(file.data()), file.size());
  const auto quoted = first_quoted_line(whole.substr(0, kLookedAt));
  if (!quoted) return imported;
  // What is wrong with it all the same is not mended by that.
  const std::string without_signs = unquoted(whole);
  const auto again = read_recognized(std::as_bytes(std::span(without_signs)), readers);
  if (!again && again.error().message == imported.error().message) return imported;
  return fail(imported.error().kind,
              fmt::format("line {} and most others begin with \">\", as in a quoted mail: take that off each "
                          "line and import it again; as it is, {}",
                          *quoted, imported.error().message));
}

}  // namespace netperfd::import
