// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/config/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "daemon/model/text.hpp"

namespace netperfd::config {

using namespace keys;

namespace {

// A job needs five levels and, with the maximum number of functions and events of a trace, some 1600 nodes.
constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxNodes = 2'000;

Place place_of(const YAML::Mark& mark) {
  return {.line = mark.line + 1, .column = mark.column + 1, .option = {}};
}

// Builds the tree from yaml-cpp's events. The parser calls back before it descends one level, so that an
// exception thrown here bounds its recursion. The exception has the parser's own type, so that one catch
// handles every refusal.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Complaints& complaints) : complaints_(complaints) {}

  [[nodiscard]] YamlNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(document_seen_, true))
      throw YAML::ParserException(mark, "a second document; one is expected");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    place(make(mark, YamlNode::Kind::null));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw YAML::ParserException(mark, "an alias (*name); write the value out");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    if (tag != "?" && tag != "!") throw YAML::ParserException(mark, "a tag (!name); types come from the key");
    YamlNode node = make(mark, YamlNode::Kind::scalar);
    node.text = value;
    node.quoted = tag == "!";
    place(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, tag, anchor, YamlNode::Kind::mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Level {
    YamlNode node;
    std::optional<YamlEntry> entry;  // for a mapping whose key was read but not its value
  };

  static void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor)
      throw YAML::ParserException(mark, "an anchor (&name); write the value out");
  }

  YamlNode make(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (++nodes_ > kMaxNodes)
      throw YAML::ParserException(mark, fmt::format("more than {} values", kMaxNodes));
    YamlNode node;
    node.kind = kind;
    node.place = place_of(mark);
    return node;
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind) {
    refuse_anchor(mark, anchor);
    if (tag != "?") throw YAML::ParserException(mark, "a tag (!name); types come from the key");
    if (levels_.size() >= kMaxDepth)
      throw YAML::ParserException(mark, fmt::format("more than {} levels", kMaxDepth));
    levels_.push_back({make(mark, kind), std::nullopt});
  }

  void close() {
    YamlNode node = std::move(levels_.back().node);
    levels_.pop_back();
    place(std::move(node));
  }

  // Puts a finished node in its place: as the document, a list item, a key, or the value of the key before
  // it.
  void place(YamlNode node) {
    if (levels_.empty()) {
      root_ = std::move(node);
    } else if (Level& level = levels_.back(); level.node.kind == YamlNode::Kind::list) {
      level.node.items.push_back(std::move(node));
    } else if (level.entry) {
      level.entry->value = std::move(node);
      add_entry(level.node, *std::exchange(level.entry, std::nullopt));
    } else if (node.kind == YamlNode::Kind::scalar) {
      level.entry = YamlEntry{std::move(node.text), node.place, {}};
    } else {
      const YAML::Mark mark = mark_of(node.place);
      throw YAML::ParserException(mark, "a key must be a word");
    }
  }

  void add_entry(YamlNode& mapping, YamlEntry entry) {
    if (const YamlEntry* first = mapping.find(entry.key)) {
      complaints_.add(entry.place, "",
                      fmt::format("{} stands here a second time; the first is in line {}",
                                  in_quotes(entry.key), first->place.line));
      return;
    }
    mapping.entries.push_back(std::move(entry));
  }

  static YAML::Mark mark_of(const Place& place) {
    YAML::Mark mark;
    mark.line = place.line - 1;
    mark.column = place.column - 1;
    return mark;
  }

  Complaints& complaints_;
  std::vector<Level> levels_;
  YamlNode root_;
  std::size_t nodes_ = 0;
  bool document_seen_ = false;
};

// Refuses characters whose meaning YAML leaves open, before the parser sees them.
bool check_characters(std::string_view text, Complaints& complaints) {
  const auto refuse = [&](int line, std::size_t column, std::string message) {
    complaints.add({.line = line, .column = static_cast<int>(column) + 1, .option = {}}, "",
                   std::move(message));
    return false;
  };
  if (text.size() > kMaxYamlBytes) return refuse(1, 0, fmt::format("larger than {} bytes", kMaxYamlBytes));
  if (text.starts_with("\xEF\xBB\xBF"))
    return refuse(1, 0, "begins with a byte order mark; save it as UTF-8 without one");
  bool good = true;
  for (int line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string row(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (row.ends_with('\r')) row.pop_back();
    if (const auto first = row.find_first_not_of(' '); first != std::string::npos && row[first] == '\t') {
      good = refuse(line, first, "a tab; YAML is indented by spaces");
    }
    std::ranges::replace(row, '\t', ' ');
    if (const auto why = not_printable(row); !why.empty()) good = refuse(line, 0, "in this line " + why);
  }
  return good;
}

// Adds quotation marks unless the text is one simple word: yaml-cpp's emitter sometimes leaves them out
// although its parser needs them ("--->"). Only simple words can be numbers or true and false, which must
// stay unquoted.
void emit_scalar(YAML::Emitter& out, const std::string& text, bool quoted) {
  const auto simple = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  };
  if (quoted || !std::ranges::all_of(text, simple)) out << YAML::DoubleQuoted;
  out << text;
}

void emit(YAML::Emitter& out, const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      out << YAML::Null;
      break;
    case YamlNode::Kind::scalar:
      emit_scalar(out, node.text, node.quoted);
      break;
    case YamlNode::Kind::list:
      out << YAML::Flow << YAML::BeginSeq;
      for (const YamlNode& item : node.items) emit(out, item);
      out << YAML::EndSeq;
      break;
    case YamlNode::Kind::mapping:
      out << YAML::BeginMap;
      for (const YamlEntry& entry : node.entries) {
        out << YAML::Key;
        emit_scalar(out, entry.key, false);
        out << YAML::Value;
        emit(out, entry.value);
      }
      out << YAML::EndMap;
      break;
  }
}

// A hint for globs in a list, which YAML takes for aliases.
std::string_view advice_for(std::string_view text, const YAML::Mark& mark) {
  const bool alias = mark.pos >= 0 && static_cast<std::size_t>(mark.pos) < text.size() &&
                     text[static_cast<std::size_t>(mark.pos)] == '*';
  return alias ? "; a text that begins with * needs quotation marks" : "";
}

}  // namespace

std::optional<YamlNode> parse_yaml(std::string_view text, Complaints& complaints) {
  if (!check_characters(text, complaints)) return std::nullopt;
  // After a final line break, yaml-cpp 0.7 and 0.8 forget that a quotation mark is still open.
  text = text.substr(0, text.find_last_not_of(" \r\n") + 1);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder(complaints);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const YAML::Exception& e) {
    complaints.add(place_of(e.mark), "", fmt::format("{}{}", e.msg, advice_for(text, e.mark)));
    return std::nullopt;
  }
}

std::string emit_yaml(const YamlNode& node) {
  YAML::Emitter out;
  emit(out, node);
  return std::string(out.c_str(), out.size()) + "\n";
}

}  // namespace netperfd::config
