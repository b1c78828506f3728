// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/trace_dat_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "daemon/trace/recording/dat_format.hpp"
#include "daemon/trace/ring/cpu_statistics.hpp"
#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/ring/tally_marks.hpp"

namespace netperfd::trace {
namespace {

constexpr std::size_t kEventIds = 65'536;  // common_type has 16 bits
constexpr std::size_t kMostSystems = 4'096;
constexpr std::size_t kLongestFormat = std::size_t{1} << 20;
constexpr std::size_t kLongestName = 128;  // of a system and of an event
constexpr std::size_t kLongestKallsyms = std::size_t{256} << 20;
constexpr std::size_t kLongestTaskNames = std::size_t{16} << 20;
constexpr std::size_t kLongestWord = 256;  // of clock and kernel names
// Limited by the kernel's commit word of 30 bits and its maximum of 128 pages for a sub-buffer.
constexpr std::uint64_t kLargestSubbuffer = std::uint64_t{16} << 20;

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
    return c == '_' || c == '-' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
}

// An invalid format is left out, since its records can still be counted.
void add_format(std::string_view system, std::string_view text, TraceDat& dat, FormatsSeen& seen) {
  auto format = parse_event_format(text, static_cast<std::uint32_t>(dat.layout.commit_size));
  if (!format || !is_name(format->name) || format->id >= kEventIds) {
    ++dat.formats_left_out;
    return;
  }
  auto name = fmt::format("{}:{}", system, format->name);
  if (seen.ids.contains(format->id) || seen.names.contains(name)) {
    ++dat.formats_left_out;
    return;
  }
  seen.ids.insert(format->id);
  seen.names.insert(name);
  dat.events.push_back({std::move(name), *std::move(format)});
}

void read_formats(DatCursor& cursor, std::string_view system, TraceDat& dat, FormatsSeen& seen) {
  const auto count = cursor.number<std::uint32_t>("the number of event formats");
  if (count > kEventIds) cursor.fail_with(fmt::format("{} are too many events", count));
  for (std::uint32_t i = 0; i < count && cursor.ok(); ++i) {
    const auto size = cursor.number<std::uint64_t>("the size of an event format");
    if (size > kLongestFormat) cursor.fail_with(fmt::format("{} bytes are too many for a format", size));
    const auto text = cursor.text(size, "an event format");
    if (cursor.ok()) add_format(system, text, dat, seen);
  }
}

std::string short_line(std::string_view text) {
  text = text.substr(0, text.find_first_of(std::string_view{"\n\0", 2}));
  return one_line(text.substr(0, kLongestWord));
}

// "[local] global counter" or, in files of version 7, "local".
std::string clock_in_use(std::string_view text) {
  const std::size_t open = text.find('[');
  if (open == std::string_view::npos) return short_line(text);
  text.remove_prefix(open + 1);
  return short_line(text.substr(0, text.find(']')));
}

// "CPU: 0\nentries: 7\noverrun: 0\n...": the contents of per_cpu/cpu0/stats after the CPU's number.
void read_cpu_statistics(std::string_view text, TraceDat& dat, OptionsSeen& seen) {
  constexpr std::string_view kCpu = "CPU: ";
  if (text.find("Buffer:") != std::string_view::npos) seen.buffer_named = true;
  if (seen.buffer_named || !text.starts_with(kCpu) || dat.statistics.size() >= kMostDatCpus) return;
  text.remove_prefix(kCpu.size());
  TraceCpu cpu;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu.cpu);
  if (error != std::errc{}) return;
  read_statistics(text, cpu);
  dat.statistics.push_back(cpu);
}

}  // namespace

void read_header_info(DatCursor& cursor, TraceDat& dat) {
  cursor.expect({"header_page\0", 12}, "\"header_page\"");
  const auto size = cursor.number<std::uint64_t>("the size of header_page");
  if (size > kLongestFormat) cursor.fail_with(fmt::format("{} bytes are too many for header_page", size));
  const auto page = cursor.text(size, "header_page");
  cursor.expect({"header_event\0", 13}, "\"header_event\"");
  const auto event_size = cursor.number<std::uint64_t>("the size of header_event");
  cursor.bytes(event_size, "header_event");
  if (!cursor.ok()) return;
  if (const auto layout = parse_header_page(page)) {
    dat.layout = *layout;
  } else {
    cursor.fail_with(layout.error().message);
  }
}

void read_ftrace_formats(DatCursor& cursor, TraceDat& dat, FormatsSeen& seen) {
  read_formats(cursor, "ftrace", dat, seen);
}

void read_event_formats(DatCursor& cursor, TraceDat& dat, FormatsSeen& seen) {
  const auto systems = cursor.number<std::uint32_t>("the number of event systems");
  if (systems > kMostSystems) cursor.fail_with(fmt::format("{} are too many event systems", systems));
  for (std::uint32_t i = 0; i < systems && cursor.ok(); ++i) {
    const auto system = cursor.word("the name of an event system");
    if (cursor.ok() && !is_name(system)) cursor.fail_with("this is no name of an event system");
    read_formats(cursor, system, dat, seen);
  }
}

void read_kallsyms(DatCursor& cursor, TraceDat& dat) {
  const auto size = cursor.number<std::uint32_t>("the size of kallsyms");
  if (size > kLongestKallsyms) cursor.fail_with(fmt::format("{} bytes are too many for kallsyms", size));
  dat.kallsyms = cursor.text(size, "kallsyms");
}

void read_task_names(DatCursor& cursor, TraceDat& dat) {
  const auto size = cursor.number<std::uint64_t>("the size of the task names");
  if (size > kLongestTaskNames) cursor.fail_with(fmt::format("{} bytes are too many for task names", size));
  dat.task_names = cursor.text(size, "task names");
}

void read_text_option(std::uint16_t id, std::string_view text, TraceDat& dat, OptionsSeen& seen) {
  switch (static_cast<DatOption>(id)) {
    case DatOption::trace_clock:
      if (dat.clock.empty()) dat.clock = clock_in_use(text);
      break;
    case DatOption::uname:
      dat.kernel = short_line(text);
      break;
    case DatOption::cpu_statistics:
      read_cpu_statistics(text, dat, seen);
      break;
    default:
      break;
  }
}

Status set_subbuffer_size(TraceDat& dat, std::uint64_t size) {
  if (size <= dat.layout.data_offset || size > kLargestSubbuffer) {
    return fail(ErrorKind::invalid_argument, fmt::format("trace.dat: {} is no size of a sub-buffer", size));
  }
  dat.layout.data_size = static_cast<std::size_t>(size) - dat.layout.data_offset;
  return {};
}

Status add_dat_cpu(TraceDat& dat, DatCpu cpu, std::size_t file_size) {
  if (cpu.cpu >= kMostDatCpus) {
    return fail(ErrorKind::invalid_argument, fmt::format("trace.dat: {} is no number of a CPU", cpu.cpu));
  }
  if (std::ranges::find(dat.cpus, cpu.cpu, &DatCpu::cpu) != dat.cpus.end()) {
    return fail(ErrorKind::invalid_argument, fmt::format("trace.dat: CPU {} is there twice", cpu.cpu));
  }
  if (cpu.size > 0 && (cpu.offset > file_size || cpu.size > file_size - cpu.offset)) {
    return fail(ErrorKind::invalid_argument,
                fmt::format("trace.dat: the {} bytes of CPU {} at byte {} go beyond the file's {}: it is cut "
                            "off or was not finished",
                            cpu.size, cpu.cpu, cpu.offset, file_size));
  }
  dat.cpus.push_back(cpu);
  return {};
}

}  // namespace netperfd::trace
