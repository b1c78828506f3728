// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/trace/ring/kernel_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>
#include <variant>

namespace netperfd::trace::test {
namespace {

// One conversion: the text before it, and the field that it shows.
struct Part {
  std::string before;
  std::string field;
  int index = -1;  // for an array's element
};

struct Template {
  std::vector<Part> parts;
  std::string after;
};

// Does not use the parser under test: takes the string up to its closing quote, then the arguments in order.
// It handles only the recorded formats, which have no commas or brackets in strings.
Template template_of(const std::string& print) {
  const std::size_t end = print.find("\", ");
  const std::string text = print.substr(1, end - 1);
  std::vector<std::string> arguments(1);
  int depth = 0;
  for (const char c : print.substr(end + 3)) {
    if (c == '(' || c == '{') ++depth;
    if (c == ')' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      arguments.emplace_back();
    } else {
      arguments.back() += c;
    }
  }

  Template result;
  const std::regex conversion(R"(%[-#0-9]*[hlz]*(p(I4|I6c|ISpc|[SsUM])?|[a-zA-Z]))");
  const std::regex shows(R"(REC->(\w+)(\[(\d+)\])?|__get_str\((\w+)\))");
  std::size_t argument = 0;
  std::size_t at = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), conversion); it != std::sregex_iterator();
       ++it, ++argument) {
    Part part{text.substr(at, static_cast<std::size_t>(it->position()) - at), {}, -1};
    at = static_cast<std::size_t>(it->position() + it->length());
    std::smatch match;
    if (std::regex_search(arguments.at(argument), match, shows)) {
      part.field = match[1].matched ? match[1] : match[4];
      if (match[3].matched) part.index = std::stoi(match[3]);
    }
    const bool joined =
        part.before.empty() && !result.parts.empty() && result.parts.back().field == part.field;
    if (!joined) result.parts.push_back(part);
  }
  result.after = text.substr(at);
  return result;
}

std::optional<std::uint64_t> number(std::string_view text, int base) {
  if (base == 16 && text.starts_with("0x")) text.remove_prefix(2);
  const bool negative = base == 10 && text.starts_with("-");
  if (negative) text.remove_prefix(1);
  try {
    std::size_t used = 0;
    const std::uint64_t value = std::stoull(std::string(text), &used, base);
    if (used != text.size()) return std::nullopt;
    return negative ? ~value + 1 : value;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Element `index` of "[1, 0x2]".
std::string element(const std::string& list, int index) {
  std::istringstream stream(list.substr(1, list.size() - 2));
  std::string item;
  for (int i = 0; i <= index; ++i) std::getline(stream >> std::ws, item, ',');
  return item;
}

}  // namespace

std::string plain(const EventField& field) {
  return std::visit([](const auto& value) { return fmt::format("{}", value); }, field.value);
}

std::string shown(const EventField& field) {
  return field.text.empty() ? plain(field) : field.text;
}

bool KernelText::same(const EventField& field, int index, std::string_view kernel) {
  ++values_compared_;
  std::string ours = index < 0 ? shown(field) : element(plain(field), index);
  if (ours == kernel || (index < 0 && plain(field) == kernel)) return true;
  if (ours.starts_with("data:")) return number(ours.substr(5), 16) == number(kernel, 16);
  if (ours.starts_with("code:")) {
    const auto [known, added] = names_.try_emplace(ours.substr(5), kernel);
    return !number(kernel, 16) && (added || known->second == kernel);
  }
  // The kernel may print a number in another base or with leading zeros; %08lx and similar do not show their
  // base.
  const int our_base = ours.starts_with("0x") ? 16 : 10;
  const auto value = number(ours, our_base);
  return value && (value == number(kernel, 16) || value == number(kernel, 10));
}

std::string KernelText::compare(const EventFormat& format, const std::vector<EventField>& fields,
                                std::string_view line) {
  if (format.name == "print") {  // the kernel prints it in a special way
    const auto text = std::ranges::find(fields, "buf", &EventField::name);
    if (text == fields.end()) return "no text";
    std::string expected(line);
    std::ranges::replace(expected, '\t', '?');  // control characters never reach a user
    return same(*text, -1, expected) ? "" : "the text is " + shown(*text);
  }
  const Template parts = template_of(format.print);
  std::string_view rest = line;
  for (std::size_t i = 0; i < parts.parts.size(); ++i) {
    const Part& part = parts.parts[i];
    if (!rest.starts_with(part.before)) return fmt::format("no \"{}\" at \"{}\"", part.before, rest);
    rest.remove_prefix(part.before.size());
    const std::string& next = i + 1 < parts.parts.size() ? parts.parts[i + 1].before : parts.after;
    const std::string_view value = rest.substr(0, next.empty() ? rest.size() : rest.find(next));
    rest.remove_prefix(value.size());
    const auto field = std::ranges::find(fields, part.field, &EventField::name);
    if (field == fields.end()) return fmt::format("no field for \"{}\"", value);
    if (!same(*field, part.index, value))
      return fmt::format("{} is {}, not {}", part.field, shown(*field), value);
  }
  return rest == parts.after ? "" : fmt::format("\"{}\" is left", rest);
}

std::string KernelText::compare_stack(const EventFormat& format, std::span<const std::byte> record,
                                      const std::string& lines) {
  FieldFormat frame = *format.field("caller");  // the record determines the number of frames, not its format
  frame.kind = FieldKind::number;
  frame.size = frame.element_size;
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line); frame.offset += frame.element_size) {
    const std::size_t open = line.find('<');
    const std::string address = fmt::format("{:x}", read_number(record, frame).value);
    if (line.substr(open) != fmt::format("<{}>", address)) return fmt::format("{} is not {}", address, line);
    const std::string name = line.substr(0, open - 1);
    const auto [known, added] = names_.try_emplace(address, name);
    if (!added && known->second != name) return fmt::format("{} is {} and {}", address, known->second, name);
    ++values_compared_;
  }
  return "";
}

}  // namespace netperfd::trace::test
