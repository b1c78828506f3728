// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bundle/redact_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

namespace netperfd::bundle {
namespace {

using Document = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kDocumentWords{
    "version", "protocol",  "sender_tcp_congestion", "receiver_tcp_congestion", "congestion", "time",
    "event",   "timestamps"};
constexpr std::array<std::string_view, 7> kHosts{"local_host",   "remote_host", "host",  "bind",
                                                 "bind_address", "server",      "client"};

template <std::size_t size>
bool is_in(const std::array<std::string_view, size>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// "Linux lab7 6.12.9 #1 SMP x86_64": the second word is the host's name.
std::string redacted_system(const std::string& text, Names& names) {
  const std::size_t begin = text.find(' ');
  const std::size_t end = begin == std::string::npos ? begin : text.find(' ', begin + 1);
  if (end == std::string::npos) return names.replace("text", text);
  (void)names.replace("host", text.substr(begin + 1, end - begin - 1));
  return names.replace_all(text);
}

void redact_value(Document& value, std::string_view key, Names& names) {
  if (value.is_structured()) {
    for (auto& item : value.items()) redact_value(item.value(), value.is_object() ? item.key() : key, names);
  } else if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (is_in(kDocumentWords, key)) return;
    if (key == "system_info") {
      value = redacted_system(text, names);
    } else {
      value = names.replace(is_in(kHosts, key) ? "address" : "text", text);
    }
  }
}

// Discarded if it is no JSON, or nested deeper than iperf3's documents.
Document parsed(std::string_view text) {
  constexpr int kDeepestDocument = 32;
  bool deep = false;
  Document document = Document::parse(
      text,
      [&](int depth, auto, const Document&) {
        deep = deep || depth > kDeepestDocument;
        return !deep;
      },
      false);
  return deep ? Document(Document::value_t::discarded) : document;
}

// Other programs may have names as keys.
bool is_of_iperf3(const Document& document) {
  constexpr std::array<std::string_view, 8> kKeys{
      "start", "intervals", "end", "error", "event", "data", "server_output_text", "server_output_json"};
  if (!document.is_object()) return false;
  if (document.contains("data") != document.contains("event")) return false;
  const auto items = document.items();
  return std::all_of(items.begin(), items.end(), [&](const auto& item) { return is_in(kKeys, item.key()); });
}

// "10s", "0.5", "64K", "20%", true
bool is_plain(std::string_view value) {
  if (value == "true" || value == "false" || value == "none") return true;
  const auto* const unit = std::ranges::find_if_not(
      value, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.'; });
  constexpr std::size_t kLongestUnit = 2;
  return unit != value.begin() && static_cast<std::size_t>(value.end() - unit) <= kLongestUnit &&
         std::ranges::count(value, '.') <= 1;
}

constexpr std::array<std::string_view, 9> kJobWords{
    "protocol", "direction", "congestion", "module", "purpose", "clock", "tracer", "until", "event"};

std::string_view kind_of(std::string_view key) {
  if (key == "netns") return "netns";
  if (key == "server" || key == "bind") return "address";
  return key == "label" ? "label" : "text";
}

bool is_key(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::islower(static_cast<unsigned char>(c)) != 0 ||
           std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

std::string redacted_value(std::string_view key, std::string_view value, Names& names) {
  if (value.empty() || is_plain(value) || (is_in(kJobWords, key) && names.replace_all(value) == value))
    return std::string{value};
  return names.replace(kind_of(key), std::string{value});
}

// A line without its indent and its "- ".
std::string redacted_line(std::string_view line, Names& names) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  const bool has_key = colon < line.size() && is_key(line.substr(0, colon)) &&
                       (colon + 1 == line.size() || line[colon + 1] == ' ');
  if (has_key && colon + 1 == line.size()) return std::string{line};
  const std::string_view key = has_key ? line.substr(0, colon) : std::string_view{};
  const std::string begin{line.substr(0, has_key ? colon + 2 : 0)};
  std::string_view value = line.substr(begin.size());
  if (value.size() > 1 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return begin + redacted_value(key, value, names);
}

}  // namespace

std::string redacted_document(const std::string& text, Names& names) {
  Document document = parsed(text);
  if (!document.is_discarded()) {
    if (!is_of_iperf3(document)) return {};
    redact_value(document, {}, names);
    return document.dump() + "\n";
  }
  // A line for each event.
  std::string lines;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    Document line = parsed(rest.substr(0, end));
    if (line.is_discarded() || !is_of_iperf3(line)) return {};
    redact_value(line, {}, names);
    lines += line.dump() + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

// The keys of what is set on the machine are names of devices, too, so its lines are replaced as a whole.
std::string redacted_job(const std::string& text, Names& names) {
  std::string lines;
  constexpr std::size_t kOutside = std::string_view::npos;
  std::size_t machine = kOutside;  // the indent of that key, while its lines follow
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    const std::size_t begin = std::min(line.find_first_not_of(" -"), line.size());
    const std::string body(line.substr(begin));
    if (!body.empty() && begin <= machine) machine = kOutside;
    const bool is_setting = machine != kOutside && !body.empty();
    if (body == "machine:") machine = begin;
    lines.append(line.substr(0, begin))
        .append(is_setting ? names.replace("setting", body) : redacted_line(body, names))
        .append("\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

// A value has no comma. What is set on the machine may have names in its key: "mtu.eth0=9000".
std::string redacted_point(const std::string& name, Names& names) {
  constexpr std::string_view kBetween = ", ";
  std::string parts;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t end = std::min(rest.find(kBetween), rest.size());
    const std::string_view part = rest.substr(0, end);
    const std::size_t sign = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, sign);
    parts += is_key(key) && sign < part.size()
                 ? fmt::format("{}={}", key, redacted_value(key, part.substr(sign + 1), names))
                 : names.replace("setting", std::string{part});
    rest.remove_prefix(std::min(end + kBetween.size(), rest.size()));
    if (!rest.empty()) parts += kBetween;
  }
  return parts;
}

}  // namespace netperfd::bundle
