// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/tracefs/undo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "daemon/trace/tracefs/foreign_tracers.hpp"

namespace netperfd::trace {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  while (!text.empty() && (text.front() == '\n' || text.front() == ' ')) text.remove_prefix(1);
  return text;
}

std::string_view file_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_pid_list(std::string_view path) {
  return file_name(path).ends_with("_pid");
}

Status write_list(Tracefs& tracefs, const std::string& path, const std::vector<std::string>& items) {
  if (is_pid_list(path)) return tracefs.write(path, fmt::format("{}", fmt::join(items, " ")));
  // The kernel takes one function for each write, and reports an unknown one only if white space follows it.
  auto status = tracefs.write(path, "");
  for (const auto& item : items) {
    if (auto added = tracefs.append(path, item + "\n"); !added && status) status = std::move(added);
  }
  return status;
}

void undo_file(Tracefs& tracefs, const Change& change, Undone& report) {
  const auto now = tracefs.read(change.path);
  if (!now && now.error().kind == ErrorKind::not_found) return;
  if (!now) {
    report.failed.push_back(now.error().message);
    return;
  }
  if (reads_the_same(change.path, *now, change.before)) return;
  if (change.kind == ChangeKind::setting && change.left && !reads_the_same(change.path, *now, *change.left)) {
    report.done.push_back(
        fmt::format("left {} at \"{}\": somebody else has changed it meanwhile", change.path, trimmed(*now)));
    return;
  }
  Status status;
  switch (change.kind) {
    case ChangeKind::trigger:
      status = tracefs.append(change.path, "!stacktrace");
      break;
    case ChangeKind::list:
      status = write_list(tracefs, change.path, list_items(change.path, change.before));
      break;
    default:
      const std::string text = text_to_restore(change.path, change.before);
      if (text.empty()) return;
      status = tracefs.write(change.path, text);
  }
  if (!status) {
    report.failed.push_back(status.error().message);
  } else {
    report.done.push_back(fmt::format("put back {}", change.path));
  }
}

// Order of undoing: the tracer first, then the last change first.
std::vector<Change> in_order(const std::vector<Change>& changes) {
  std::vector<Change> order(changes.rbegin(), changes.rend());
  std::ranges::stable_partition(order, [](const Change& change) { return change.path == "current_tracer"; });
  return order;
}

// For the top instance, whose ring stays: nothing more is written to it, and later users do not find the
// records of this session.
void stop_tracing(Tracefs& tracefs, Journal& journal, Undone& report) {
  constexpr const char* kTracingOn = "tracing_on";
  const auto change = std::ranges::find(journal.changes(), kTracingOn, &Change::path);
  if (change == journal.changes().end()) return;
  const auto now = tracefs.read(kTracingOn);
  if (!now || (change->left && !reads_the_same(kTracingOn, *now, *change->left))) return;
  const auto note = [&](const Status& status) {
    if (!status) report.failed.push_back(status.error().message);
  };
  if (trimmed(*now) != "0") {
    // Without an announcement, turning it off would later look like somebody else's change.
    note(journal.announce(*change));
    note(tracefs.write(kTracingOn, "0"));
  }
  note(tracefs.write("trace", ""));
}

}  // namespace

void Undone::add(const Undone& from) {
  done.insert(done.end(), from.done.begin(), from.done.end());
  failed.insert(failed.end(), from.failed.begin(), from.failed.end());
}

std::string text_to_restore(std::string_view path, std::string_view before) {
  const std::string_view name = file_name(path);
  const std::string_view text = trimmed(before);
  if (name == "trace_clock") {
    const auto open = text.find('[');
    const auto close = text.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos) return "";
    return std::string(text.substr(open + 1, close - open - 1));
  }
  if (name == "buffer_size_kb") {
    // "7 (expanded: 1408)": the ring was never used, and gets 1408 when it is first used. It cannot become
    // unused again. "X": the CPUs differ, and their own files are restored instead.
    if (text == "X") return "";
    const auto expanded = text.find("expanded: ");
    if (expanded == std::string_view::npos) return std::string(text);
    const auto figure = text.substr(expanded + std::string_view("expanded: ").size());
    return std::string(figure.substr(0, figure.find(')')));
  }
  if (name == "filter") {
    // A filter that the kernel refused reads back with its error, but filters nothing.
    const bool none = text == "none" || text.empty() || text.find("parse_error:") != std::string_view::npos;
    return none ? "0" : std::string(text);
  }
  if (name == "enable") return std::string(text.substr(0, 1));
  return std::string(text);
}

std::vector<std::string> list_items(std::string_view path, std::string_view text) {
  std::vector<std::string> items;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::string_view item = trimmed(line);
    if (item.empty() || item.starts_with('#') || item == "no pid") continue;
    const auto module = item.find(" [");
    if (module == std::string_view::npos || !item.ends_with(']')) {
      items.emplace_back(item);
      continue;
    }
    const std::string function(item.substr(0, module));
    const auto name = item.substr(module + 2, item.size() - module - 3);
    // Only filters accept ":mod:".
    items.push_back(file_name(path).starts_with("set_ftrace_") ? fmt::format("{}:mod:{}", function, name)
                                                               : function);
  }
  return items;
}

bool reads_the_same(std::string_view path, std::string_view one, std::string_view other) {
  const std::string_view name = file_name(path);
  // "1*": a trigger is set as well.
  if (name == "enable") return trimmed(one).substr(0, 1) == trimmed(other).substr(0, 1);
  if (name == "filter") return text_to_restore(path, one) == text_to_restore(path, other);
  return trimmed(one) == trimmed(other);
}

Undone remove_instance(Tracefs& tracefs, const std::string& directory, const std::string& proc) {
  Undone report;
  if (!tracefs.exists(directory)) return report;
  const auto put = [&](const std::string& file, const std::string& text) {
    const std::string path = directory + "/" + file;
    const auto now = tracefs.read(path);
    if (now && trimmed(*now) == text) return;
    if (const auto status = tracefs.write(path, text); !status) {
      report.failed.push_back(status.error().message);
    }
  };
  put("tracing_on", "0");
  put("current_tracer", "nop");
  if (const auto status = tracefs.remove_directory(directory); !status) {
    const auto holders = holders_of(proc, directory);
    report.failed.push_back(holders.empty() ? status.error().message
                                            : fmt::format("{}; held by {}", status.error().message, holders));
  } else {
    report.done.push_back("removed " + directory);
  }
  return report;
}

Status check_visible(Tracefs& tracefs, const Journal& journal) {
  if (journal.changes().empty() || tracefs.exists("current_tracer")) return {};
  return fail(ErrorKind::unsupported,
              fmt::format("tracefs cannot be seen here, so what a trace session changed is not put back; {} "
                          "keeps what there is to do. Once tracefs is mounted and visible, \"netperfd "
                          "--cleanup\" does it.",
                          journal.path()));
}

Undone undo(Tracefs& tracefs, Journal& journal, const std::string& proc) {
  Undone report;
  // A missing file counts as restored; without tracefs, every file would be missing.
  if (auto visible = check_visible(tracefs, journal); !visible) {
    report.failed.push_back(std::move(visible.error().message));
    return report;
  }
  stop_tracing(tracefs, journal, report);
  for (const Change& change : in_order(journal.changes())) {
    Undone step;
    if (change.kind == ChangeKind::instance) {
      step = remove_instance(tracefs, change.path, proc);
    } else {
      undo_file(tracefs, change, step);
    }
    const bool undone =
        change.kind == ChangeKind::instance ? !tracefs.exists(change.path) : step.failed.empty();
    report.add(step);
    if (undone) journal.note_undone(change.path);
  }
  return report;
}

}  // namespace netperfd::trace
