// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/iperf3/json_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "daemon/workload/iperf3/figures.hpp"

namespace netperfd::workload {
namespace {

using nlohmann::json;

constexpr std::string_view kIntervals = "intervals";
constexpr std::size_t kDeepestValue = 100;

// How far the parser has read, and whether it wanted more.
struct Progress {
  const char* seen;
  bool past_end = false;
};

class JsonCursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  JsonCursor(const char* at, Progress* progress) : at_(at), progress_(progress) {}
  reference operator*() const { return *at_; }
  JsonCursor& operator++() {
    progress_->seen = ++at_;
    return *this;
  }
  // The parser compares with the end before each character.
  bool operator!=(const JsonCursor& other) const {
    if (at_ != other.at_) return true;
    progress_->past_end = true;
    return false;
  }
  bool operator==(const JsonCursor& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  Progress* progress_;
};

bool is_document(const json& value) {
  if (!value.is_object()) return false;
  if (member(value, "start").is_object()) return value.contains("end") || value.contains("error");
  return (member(value, "intervals").is_array() && member(value, "end").is_object()) ||
         (value.size() == 1 && value.contains("error"));
}

bool is_event(const json& value) {
  return value.is_object() && value.contains("data") && member(value, "event").is_string();
}

// Whether a text may be iperf3's output, escaped.
bool may_have_document(const std::string& text) {
  if (text.find('{') == std::string::npos) return false;
  return text.find("\"start\"") != std::string::npos || text.find("\"event\"") != std::string::npos ||
         text.find("\"error\"") != std::string::npos;
}

// "[json.exception.parse_error.101] parse error at line 1, column 7: ...; last read: '...'" without its
// number, its place, which counts from the beginning of the value, and the bytes last read, which may not be
// text.
std::string reason_of(std::string_view reason) {
  if (const auto number = reason.find("] "); number != std::string_view::npos)
    reason.remove_prefix(number + 2);
  if (reason.starts_with("parse error")) {
    if (const auto place = reason.find(": "); place != std::string_view::npos)
      reason.remove_prefix(place + 2);
  }
  return std::string(reason.substr(0, reason.find("; last read")));
}

// Builds the value, for nlohmann's parser. What is iperf3's is moved out when its end is reached.
class Builder {
 public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  Builder(const char* bytes, std::size_t first, const Progress& progress, ParsedValue& parsed)
      : begin_(bytes), first_(first), progress_(progress), parsed_(parsed) {}

  bool null() { return put(json()); }
  bool boolean(bool value) { return put(json(value)); }
  bool number_integer(number_integer_t value) { return put(json(value)); }
  bool number_unsigned(number_unsigned_t value) { return put(json(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) { return put(json(value)); }
  bool binary(binary_t& /*value*/) { return false; }  // not in JSON
  bool string(string_t& value) {
    note_message(value);
    // The texts of an array may be lines.
    if (!open_.empty() && !open_.back().value->is_array() && may_have_document(value)) {
      parsed_.texts.push_back(std::move(value));
      return put(json());
    }
    return put(json(std::move(value)));
  }
  bool key(string_t& value) {
    open_.back().key = std::move(value);
    return true;
  }
  bool start_object(std::size_t /*size*/) { return open(json::object()); }
  bool start_array(std::size_t /*size*/) { return open(json::array()); }

  bool end_object() {
    const Open object = close();
    json& value = *object.value;
    if (is_row()) {
      rows_->push_back(read_row(value));
      value = json(rows_->size() - 1);
    } else if (is_event(value)) {
      json name = std::move(value["event"]);
      parsed_.events.push_back({name.get<std::string>(), std::move(value["data"]), extent_of(object)});
      value = json();
    } else if (is_document(value)) {
      if (!open_.empty() && open_.back().key == "data") {
        open_.back().data = extent_of(object);  // of an event, unless its end says otherwise
      } else if (!is_beside_a_document()) {
        take_document(value, extent_of(object));
      }
    } else if (object.data && value.contains("data") && is_document(value["data"])) {
      take_document(value["data"], *object.data);
    }
    return true;
  }
  bool end_array() {
    const Open array = close();
    take_lines(*array.value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/, const json::exception& error) {
    parsed_.problem = reason_of(error.what());
    parsed_.problem_at = first_ + position;
    return false;
  }

 private:
  struct Open {
    json* value;
    std::size_t begin;
    std::string key;             // of an object: the last one
    bool intervals = false;      // the array of them
    std::optional<Extent> data;  // of the document under the key `data`
  };

  [[nodiscard]] Extent extent_of(const Open& object) const {
    return {object.begin, static_cast<std::size_t>(progress_.seen - begin_)};
  }

  // The numbers in place of intervals are ours.
  [[nodiscard]] bool is_row() const { return !open_.empty() && open_.back().intervals; }

  json* add(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Open& parent = open_.back();
    if (parent.value->is_array()) return &parent.value->emplace_back(std::move(value));
    return &((*parent.value)[parent.key] = std::move(value));
  }

  bool put(json value) {
    (void)add(is_row() ? json() : std::move(value));
    return true;
  }

  bool open(json value) {
    if (open_.size() == kDeepestValue) {
      parsed_.problem = fmt::format(
          "its values are nested deeper than {} levels, as in no document of iperf3", kDeepestValue);
      parsed_.problem_at = static_cast<std::size_t>(progress_.seen - begin_);
      return false;
    }
    const bool intervals = value.is_array() && !open_.empty() && open_.back().key == kIntervals;
    json* added = add(std::move(value));
    open_.push_back({added, static_cast<std::size_t>(progress_.seen - begin_) - 1, {}, intervals, {}});
    return true;
  }

  Open close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    return closed;
  }

  // What a client was told by its server belongs to the client's document.
  [[nodiscard]] bool is_beside_a_document() const {
    return std::ranges::any_of(open_, [](const Open& object) { return object.key == "server_output_json"; });
  }

  void take_document(json& value, Extent extent) {
    parsed_.documents.push_back({std::move(value), rows_, extent});
    value = json();
  }

  // Docker, journald and others keep a line of output in each record.
  void note_message(const std::string& value) {
    if (open_.size() != 1 || !open_.back().value->is_object()) return;
    for (const char* key : {"log", "message", "MESSAGE", "msg", "line", "text"}) {
      if (open_.back().key == key) parsed_.message = value;
    }
  }

  // Of an array of texts, as Ansible keeps the lines of an output.
  void take_lines(json& lines) {
    std::string text;
    for (const json& line : lines) {
      if (line.is_string()) text += line.get_ref<const std::string&>() + "\n";
    }
    if (!may_have_document(text)) return;
    parsed_.texts.push_back(std::move(text));
    lines = json();
  }

  const char* begin_;  // of all bytes
  std::size_t first_;  // where the value begins
  const Progress& progress_;
  ParsedValue& parsed_;
  json root_;
  std::vector<Open> open_;
  std::shared_ptr<ReadRows> rows_ = std::make_shared<ReadRows>();
};

}  // namespace

ReadRow read_row(const json& interval) {
  ValueReader reader;
  ReadRow row;
  row.figures = read_interval(reader, interval);
  row.unreadable_values = reader.unreadable_values();
  row.first_unreadable = reader.first_unreadable();
  return row;
}

const json& member(const json& object, const char* key) {
  static const json nothing;
  const auto at = object.find(key);
  return at == object.end() ? nothing : *at;
}

ParsedValue parse_value(std::string_view bytes, std::size_t begin) {
  ParsedValue parsed;
  const char* const first = bytes.data() + begin;
  const char* const last = bytes.data() + bytes.size();
  Progress progress{.seen = first};
  Builder builder(bytes.data(), begin, progress, parsed);
  parsed.whole = json::sax_parse(JsonCursor(first, &progress), JsonCursor(last, &progress), &builder,
                                 json::input_format_t::json, false);
  parsed.end = std::max(static_cast<std::size_t>(progress.seen - bytes.data()), begin + 1);
  if (parsed.whole) return parsed;
  parsed.cut_short = progress.past_end;
  parsed.problem_at = std::min(parsed.problem_at, bytes.size());
  // A part of a value is none.
  parsed.documents.clear();
  parsed.events.clear();
  parsed.texts.clear();
  parsed.message.clear();
  return parsed;
}

}  // namespace netperfd::workload
