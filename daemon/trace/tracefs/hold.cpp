// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/hold.hpp"

#include <fmt/format.h>

#include <utility>

#include "daemon/trace/tracefs/own_instance.hpp"
#include "daemon/trace/tracefs/undo.hpp"

namespace netperfd::trace {
namespace {

std::size_t count_of(const FunctionLines& lines) {
  std::size_t count = 0;
  for (const auto& [name, numbers] : lines) count += numbers.size();
  return count;
}

}  // namespace

std::string in_directory(const std::string& directory, const std::string& file) {
  return directory.empty() ? file : directory + "/" + file;
}

std::string trimmed_text(const std::string& text) {
  const auto first = text.find_first_not_of('\n');
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of('\n') - first + 1);
}

Hold::Hold(Tracefs& tracefs, Journal& journal, std::string directory)
    : tracefs_(tracefs), journal_(journal), directory_(std::move(directory)) {}

Status Hold::claim() {
  if (at_top()) return {};
  if (tracefs_.exists(directory_)) {
    return fail(ErrorKind::busy, fmt::format("{} is there already: another trace session, or what a dead one "
                                             "left; \"netperfd --cleanup\" removes the latter.",
                                             directory_));
  }
  const auto announced = journal_.announce(
      {.kind = ChangeKind::instance, .path = directory_, .before = "", .left = std::nullopt});
  if (!announced) return announced;
  auto mark = make_instance(tracefs_, directory_);
  if (!mark) return std::unexpected(std::move(mark.error()));
  mark_ = std::move(*mark);
  return {};
}

Status Hold::change(ChangeKind kind, const std::string& path, const std::function<Status()>& make) {
  const auto before = tracefs_.read(path);
  if (!before) return std::unexpected(before.error());
  const auto announced =
      journal_.announce({.kind = kind, .path = path, .before = *before, .left = std::nullopt});
  if (!announced) return announced;
  auto made = make();
  // Lists and triggers are restored whatever they contain meanwhile.
  if (kind != ChangeKind::setting) return made;
  if (auto left = tracefs_.read(path); left) journal_.note_left(path, std::move(*left));
  return made;
}

Status Hold::set(const std::string& file, const std::string& text) {
  if (at_top()) return set_shared(file, text);
  return tracefs_.write(path(file), text);
}

Status Hold::set_list(const std::string& file, const std::string& text) {
  const auto make = [&] { return tracefs_.write(path(file), text); };
  return at_top() ? change(ChangeKind::list, file, make) : make();
}

Status Hold::write_functions(const std::string& file, const std::vector<std::string>& patterns,
                             const FunctionLines& lines, std::vector<std::string>& refused) {
  auto status = tracefs_.write(path(file), "");
  const auto add = [&](const std::string& text, const std::string& pattern) {
    if (!status) return;
    // Without trailing white space the kernel takes it for the beginning of a name. It then looks the name
    // up only when the file is closed, and does not report that it is unknown.
    status = tracefs_.append(path(file), text + "\n");
    if (status || status.error().kind != ErrorKind::invalid_argument) return;
    refused.push_back(pattern);
    status = {};
  };
  for (const auto& pattern : patterns) {
    const auto known = lines.find(pattern);
    if (known == lines.end()) {
      add(pattern, pattern);
      continue;
    }
    for (const std::size_t line : known->second) add(std::to_string(line), pattern);
  }
  return status;
}

Status Hold::set_functions(const std::string& file, const std::vector<std::string>& patterns,
                           std::vector<std::string>& refused) {
  const auto make = [&]() -> Status {
    // To read the list takes the kernel as long as to look up one name.
    const auto available =
        patterns.size() > 1 ? tracefs_.read("available_filter_functions") : Result<std::string>("");
    const auto lines = available ? lines_of(*available, patterns) : FunctionLines();
    auto status = write_functions(file, patterns, lines, refused);
    if (!status || lines.empty()) return status;
    const auto written = read(file);
    if (!written) return std::unexpected(written.error());
    if (count_of(lines_of(*written, patterns)) >= count_of(lines)) return {};
    refused.clear();  // the numbers were those of other functions: a module came or went meanwhile
    return write_functions(file, patterns, {}, refused);
  };
  return at_top() ? change(ChangeKind::list, file, make) : make();
}

Status Hold::set_trigger(const std::string& file, const std::string& text) {
  const auto before = tracefs_.read(path(file));
  if (!before) return std::unexpected(before.error());
  if (!list_items(file, *before).empty()) {
    return fail(ErrorKind::busy,
                fmt::format("{} has a trigger already: {}", path(file), trimmed_text(*before)));
  }
  const auto make = [&] { return tracefs_.append(path(file), text); };
  return at_top() ? change(ChangeKind::trigger, file, make) : make();
}

Status Hold::set_shared(const std::string& file, const std::string& text) {
  return change(ChangeKind::setting, file, [&] { return tracefs_.write(file, text); });
}

Status Hold::empty_shared_list(const std::string& file) {
  return change(ChangeKind::list, file, [&] { return tracefs_.write(file, ""); });
}

Status Hold::remember(const std::string& file) {
  if (!at_top()) return {};
  const auto before = tracefs_.read(file);
  if (!before) return std::unexpected(before.error());
  return journal_.announce(
      {.kind = ChangeKind::setting, .path = file, .before = *before, .left = std::nullopt});
}

Result<std::string> Hold::read(const std::string& file) const {
  const auto text = tracefs_.read(path(file));
  if (!text) return std::unexpected(text.error());
  return trimmed_text(*text);
}

bool Hold::exists(const std::string& file) const {
  return tracefs_.exists(path(file));
}

}  // namespace netperfd::trace
