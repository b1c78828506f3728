// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/graph_text_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/wording.hpp"
#include "daemon/trace/recording/graph_text_line.hpp"
#include "daemon/trace/recording/graph_text_reader.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kLongestLine = 16'384;
constexpr std::size_t kLongestMark = 8'192;  // in all its lines: the kernel takes 4,096 bytes

// The task that runs on each CPU at the beginning, known only from the CPU's first change of tasks.
std::map<std::uint32_t, std::int32_t> first_tasks(std::string_view text) {
  std::map<std::uint32_t, std::int32_t> tasks;
  for (std::size_t at = text.find(" => "); at != std::string_view::npos; at = text.find(" => ", at)) {
    const std::size_t begin = text.substr(0, at).rfind('\n') + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    at = end;
    if (end - begin > kLongestLine) continue;
    const auto line = read_text_line(text.substr(begin, end - begin));
    if (line && line->kind == TextLineKind::change && *line->cpu < GraphTextReader::kMostCpus)
      tasks.emplace(*line->cpu, *line->pid);
  }
  return tasks;
}

bool has_arrows(std::string_view text) {
  return text.find("==========>") != std::string_view::npos;
}

// "# tracer: function".
std::optional<std::string_view> other_tracer(std::string_view line) {
  constexpr std::string_view kTracer = "# tracer: ";
  if (!line.starts_with(kTracer)) return std::nullopt;
  line.remove_prefix(kTracer.size());
  if (line == "function_graph" || line == "nop") return std::nullopt;
  return line;
}

// The first line of a trace: "# tracer: function_graph", or of trace-cmd report "cpus=4" or
// "trace-1.dat: cpus=4".
bool begins_trace(std::string_view line) {
  if (line.starts_with("# tracer: ")) return true;
  line = line.substr(std::min(line.find_first_not_of(' '), line.size()));
  if (const std::size_t name = line.find(": "); name < line.find(' ')) line.remove_prefix(name + 2);
  constexpr std::string_view kCpus = "cpus=";
  if (!line.starts_with(kCpus)) return false;
  line.remove_prefix(kCpus.size());
  return !line.empty() && line.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

// Whether `text` is `first` once or several times.
bool repeats(std::string_view text, std::string_view first) {
  first = without_blanks(first);
  if (first.empty()) return false;
  for (text = without_blanks(text); !text.empty(); text = without_blanks(text)) {
    if (!text.starts_with(first)) return false;
    text.remove_prefix(first.size());
  }
  return true;
}

// A text that nobody cut into lines yet.
class Lines {
 public:
  explicit Lines(std::string_view text) : size_(text.size()), rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  // False if it is too long.
  [[nodiscard]] bool next() {
    ++number_;
    begin_ = size_ - rest_.size();
    const std::size_t end = rest_.substr(0, kLongestLine + 1).find('\n');
    if (end == std::string_view::npos && rest_.size() > kLongestLine) return false;
    whole_ = end != std::string_view::npos;
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(whole_ ? end + 1 : rest_.size());
    while (line_.ends_with('\r')) line_.remove_suffix(1);
    return true;
  }
  [[nodiscard]] std::string_view line() const { return line_; }
  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] std::size_t begin() const { return begin_; }  // in the text
  [[nodiscard]] bool whole() const { return whole_; }         // it has its end
  void leave_out_the_rest() { rest_ = {}; }

 private:
  std::size_t size_;
  std::string_view rest_, line_;
  std::size_t number_ = 0, begin_ = 0;
  bool whole_ = true;
};

// The lines of a file: those of the trace, and what people have around them.
class GraphTextFile {
 public:
  explicit GraphTextFile(std::string_view text)
      : text_(text), lines_(text), reader_(first_tasks(text), has_arrows(text)) {}

  [[nodiscard]] Result<ImportedFile> read();

 private:
  struct Line {
    std::size_t number = 0;
    std::string text;
  };
  // Where a trace begins: its head, and before it lines that say nothing, such as "CPU 1 is empty" of
  // trace-cmd report.
  struct Begin {
    std::size_t head = 0, silent = 0;
  };

  [[nodiscard]] Status take_line();
  void skip_mark(TextMark mark);
  [[nodiscard]] Status check_tracer(std::string_view line);
  void begin_trace();
  [[nodiscard]] bool is_repetition(const TextLine& record) const;
  [[nodiscard]] Status check_part(const TextLine& line);
  [[nodiscard]] static std::unexpected<Error> refuse(const Line& line);
  void add_flags(ImportedFile& file) const;

  std::string_view text_;
  Lines lines_;
  GraphTextReader reader_;
  std::optional<std::size_t> first_head_;
  std::vector<Begin> begins_;               // of the traces since the last record: all but one are empty
  std::optional<std::size_t> silent_from_;  // where the lines begin that say nothing, if this is one of them
  std::optional<std::size_t> part_;         // the number of the line that begins a further trace
  std::set<std::uint32_t> cpus_;            // of this trace
  std::set<std::uint32_t> of_others_;       // of the traces before this one
  bool several_cpus_ = false;               // one of those has several
  bool cpu_unknown_ = false;                // of some line
  std::optional<Line> tracer_;              // a "# tracer:" of another one, whose lines have not been seen
  std::optional<Line> strange_;             // the first line that cannot be read, after the last that can
  std::size_t around_ = 0;                  // lines before the first and after the last line of the trace
  std::string around_first_;
  bool repeated_ = false;
  bool cut_off_ = false;
};

Result<ImportedFile> GraphTextFile::read() {
  while (!lines_.at_end()) {
    if (!lines_.next()) {
      return fail(ErrorKind::invalid_argument,
                  fmt::format("line {} is longer than {} bytes, as no line of function_graph is",
                              lines_.number(), kLongestLine));
    }
    if (auto taken = take_line(); !taken) return std::unexpected(std::move(taken.error()));
  }
  if (!reader_.has_records()) {
    if (strange_) return refuse(*strange_);
    return fail(
        ErrorKind::invalid_argument,
        fmt::format("there is no call in it and no event, only the head of a trace; {}", kExpectedTextLine));
  }
  ImportedFile file = reader_.finish();
  add_flags(file);
  return file;
}

Status GraphTextFile::take_line() {
  const std::string_view line = lines_.line();
  if (auto checked = check_tracer(line); !checked) return checked;
  if (begins_trace(line)) begin_trace();
  reader_.add_legend(line);
  if (!begins_.empty()) {
    const auto record = reader_.peek(line);
    if (record && is_repetition(*record)) {
      repeated_ = true;
      lines_.leave_out_the_rest();
      return {};
    }
  }
  const bool first = !reader_.has_records();
  const auto known = strange_ && !first ? reader_.peek(line) : reader_.add(line);
  if (known && known->kind == TextLineKind::nothing) {
    if (!silent_from_) silent_from_ = lines_.begin();
    return {};
  }
  silent_from_.reset();
  if (!known) {
    const Line here{lines_.number(), std::string(line)};
    // The end of a file may be missing; otherwise a line of the trace that cannot be read is damaged.
    const bool of_trace = begins_like_text_line(line);
    if (of_trace && lines_.whole()) return refuse(strange_ && !first ? *strange_ : here);
    if (of_trace || (!lines_.whole() && line.find_first_of("|[)") != std::string_view::npos)) {
      cut_off_ = true;
      return {};
    }
    if (++around_ == 1) around_first_ = line;
    if (!strange_) strange_ = here;
    return {};
  }
  if (auto checked = check_part(*known); !checked) return checked;
  // What cannot be read must not be between lines that can: something of the trace may be lost there.
  if (strange_ && !first) return refuse(*strange_);
  strange_.reset();
  if (known->mark != TextMark::whole) skip_mark(known->mark);
  return {};
}

// The same trace may have been read twice. The kernel also has a file of its own for each CPU, and each has a
// head, also that of an idle CPU.
void GraphTextFile::begin_trace() {
  const std::size_t head = lines_.begin();
  const Begin begin{.head = head, .silent = silent_from_.value_or(head)};
  silent_from_.reset();
  if (!reader_.has_records()) {
    if (!first_head_) first_head_ = head;
    return;
  }
  part_ = lines_.number();
  if (begins_.empty()) {
    several_cpus_ = several_cpus_ || cpus_.size() > 1;
    of_others_.merge(std::exchange(cpus_, {}));
  }
  constexpr std::size_t kMost = 256;  // each may be compared with the whole text
  if (begins_.size() < kMost) begins_.push_back(begin);
}

// Whether all from one of the last heads on, of which this is the first record, was there before.
bool GraphTextFile::is_repetition(const TextLine& record) const {
  if (record.kind == TextLineKind::nothing || !first_head_) return false;
  if (record.cpu && !of_others_.contains(*record.cpu)) return false;
  const auto repeats_with = [this](std::size_t before, std::size_t head) {
    if (before > *first_head_) return false;
    const std::size_t first = *first_head_ - before, begin = head - before;
    return repeats(text_.substr(begin), text_.substr(first, begin - first));
  };
  return std::ranges::any_of(begins_, [&](const Begin& begin) {
    return repeats_with(0, begin.head) || repeats_with(begin.head - begin.silent, begin.head);
  });
}

Status GraphTextFile::check_part(const TextLine& line) {
  begins_.clear();
  if (line.kind == TextLineKind::omission) return {};
  if (line.cpu) cpus_.insert(*line.cpu);
  cpu_unknown_ = cpu_unknown_ || !line.cpu;
  if (!part_) return {};
  std::string why;
  if (cpu_unknown_) {
    why = "and no column tells of which CPU its lines are: calls may be there twice";
  } else if (of_others_.contains(*line.cpu)) {
    why =
        fmt::format("which has lines of CPU {} like the one before it: calls may be there twice", *line.cpu);
  } else if (several_cpus_ || cpus_.size() > 1) {
    why = "and one of them has lines of several CPUs: they may be of different runs";
  } else {
    return {};
  }
  return fail(ErrorKind::invalid_argument,
              fmt::format("line {} begins another trace, {}. Import each trace as a file of its own; only "
                          "those of one CPU each (per_cpu/cpu*/trace) may be in one",
                          *part_, why));
}

// The other lines of a mark. One of the kernel's graph ends as a comment does. A report has no sign of the
// end, so all lines that are none of its own are taken for the mark.
void GraphTextFile::skip_mark(TextMark mark) {
  Lines ahead = lines_;
  for (std::size_t bytes = 0; !ahead.at_end() && ahead.next();) {
    const std::string_view line = ahead.line();
    bytes += line.size() + 1;
    if (bytes > kLongestMark) return;
    const auto known = reader_.peek(line);
    if (known && known->kind != TextLineKind::nothing && (known->cpu || known->has_duration_column)) return;
    if (mark == TextMark::comment) {
      if (!line.substr(0, line.find_last_not_of(' ') + 1).ends_with("*/")) continue;
      lines_ = ahead;
      return;
    }
    if (!known) lines_ = ahead;
  }
}

Status GraphTextFile::check_tracer(std::string_view line) {
  constexpr std::size_t kShown = 40;
  if (const auto tracer = other_tracer(line)) {
    tracer_ = Line{lines_.number(), std::string(tracer->substr(0, kShown))};
  }
  if (!tracer_) return {};
  // The latency tracers have the calls with their option display-graph.
  if (line.find("FUNCTION CALLS") != std::string_view::npos) tracer_.reset();
  if (!tracer_ || line.empty() || line.starts_with('#')) return {};
  return fail(
      ErrorKind::invalid_argument,
      fmt::format("line {}: this is text of the tracer {}; only that of function_graph is read, or of "
                  "a latency tracer with its option display-graph",
                  tracer_->number, in_quotes(tracer_->text)));
}

std::unexpected<Error> GraphTextFile::refuse(const Line& line) {
  constexpr std::size_t kShown = 80;
  return fail(ErrorKind::invalid_argument,
              fmt::format("line {} is {}, which cannot be read; {}", line.number,
                          in_quotes(std::string_view(line.text).substr(0, kShown)), kExpectedTextLine));
}

void GraphTextFile::add_flags(ImportedFile& file) const {
  constexpr std::size_t kShown = 60;
  if (cut_off_) {
    file.flags.push_back({"trace-cut-off", "the last line of the text ends in the middle and was left out"});
  }
  if (repeated_) {
    file.flags.push_back(
        {"trace-repeated", "the text has the same trace more than once, line for line; it was read once"});
  }
  if (around_ > 0) {
    file.flags.push_back(
        {"text-around-trace",
         fmt::format(
             "{} line(s) before the first or after the last line of the trace are not of it, such as {}",
             around_, in_quotes(std::string_view(around_first_).substr(0, kShown)))});
  }
}

}  // namespace

Result<ImportedFile> record_of_graph_text(std::span<const std::byte> file) {
  return GraphTextFile({reinterpret_cast<const char*>(file.data()), file.size()}).read();
}

}  // namespace netperfd::trace
