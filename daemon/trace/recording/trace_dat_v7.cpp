// SPDX-License-Identifier: GPL-2.0-or-later
// A file of version 7 is a chain of sections with options, which point to all other sections; each may be
// compressed as a whole. The sub-buffers are not in sections: they have chunks of their own
// (trace_dat_data.cpp).
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/trace/recording/dat_compression.hpp"
#include "daemon/trace/recording/dat_cursor.hpp"
#include "daemon/trace/recording/dat_format.hpp"
#include "daemon/trace/recording/trace_dat_parts.hpp"

namespace netperfd::trace {
namespace {

constexpr std::uint16_t kCompressed = 1;
constexpr std::size_t kLargestSection = std::size_t{256} << 20;  // decompressed
constexpr int kMostOptionSections = 256;

struct SectionHead {
  std::uint16_t id = 0;
  bool compressed = false;
  std::uint64_t size = 0;
};

SectionHead read_head(DatCursor& cursor) {
  SectionHead head;
  head.id = cursor.number<std::uint16_t>("the number of a section");
  head.compressed = (cursor.number<std::uint16_t>("the flags of a section") & kCompressed) != 0;
  cursor.number<std::uint32_t>("the description of a section");
  head.size = cursor.number<std::uint64_t>("the size of a section");
  return head;
}

// One section's plain bytes: in the file, or decompressed.
struct Section {
  std::vector<std::byte> own;
  std::span<const std::byte> bytes;
  std::string where;  // for errors
};

class SectionReader {
 public:
  SectionReader(std::span<const std::byte> file, DatCompression compression)
      : file_(file), compression_(compression) {}

  Result<Section> read(std::uint64_t offset, std::uint16_t id, std::string_view what) const {
    DatCursor cursor(file_, "trace.dat");
    cursor.seek(offset, what);
    const SectionHead head = read_head(cursor);
    if (cursor.ok() && head.id != id) cursor.fail_with(fmt::format("{} should have begun here", what));
    Section section;
    section.where = fmt::format("trace.dat, {} of byte {}", what, offset);
    if (!head.compressed) {
      section.bytes = cursor.bytes(head.size, what);
      if (!cursor.ok()) return std::unexpected(cursor.status().error());
      return section;
    }
    const auto compressed = cursor.number<std::uint32_t>("the compressed size of a section");
    const auto size = cursor.number<std::uint32_t>("the size of a section");
    const auto bytes = cursor.bytes(compressed, what);
    if (size > kLargestSection) cursor.fail_with(fmt::format("{} bytes are too many for {}", size, what));
    if (!cursor.ok()) return std::unexpected(cursor.status().error());
    section.own.resize(size);
    if (const auto done = decompress_dat(compression_, bytes, section.own); !done) {
      return fail(done.error().kind, fmt::format("{}: {}", section.where, done.error().message));
    }
    section.bytes = section.own;
    return section;
  }

 private:
  std::span<const std::byte> file_;
  DatCompression compression_;
};

// The option for the top buffer; its text is in the section with the options, which is not kept.
struct BufferOption {
  std::uint64_t section = 0;
  std::string clock;
  std::uint32_t page = 0;
  std::vector<DatCpu> cpus;
};

// The contents of the options.
struct Found {
  std::map<std::uint16_t, std::uint64_t> sections;  // offsets by section number
  std::optional<BufferOption> top;
  bool text_buffer = false;
};

void read_buffer(DatCursor option, Found& found, TraceDat& dat, DatCursor& outer) {
  BufferOption buffer;
  buffer.section = option.number<std::uint64_t>("the place of a buffer");
  const auto name = option.word("the name of a buffer");
  const auto clock = option.word("the clock of a buffer");
  buffer.page = option.number<std::uint32_t>("the size of a sub-buffer");
  const auto cpus = option.number<std::uint32_t>("the number of CPUs");
  for (std::uint32_t i = 0; i < cpus && option.ok(); ++i) {
    DatCpu cpu;
    cpu.cpu = option.number<std::uint32_t>("the number of a CPU");
    cpu.offset = option.number<std::uint64_t>("the place of a CPU's data");
    cpu.size = option.number<std::uint64_t>("the size of a CPU's data");
    buffer.cpus.push_back(cpu);
    if (buffer.cpus.size() > kMostDatCpus) option.fail_with("these are too many CPUs");
  }
  if (!option.ok()) {
    outer.fail_with(option.status().error().message);
  } else if (!name.empty() || found.top) {
    if (dat.instances.size() < kMostDatCpus) dat.instances.emplace_back(name);
  } else {
    buffer.clock = clock;
    found.top = std::move(buffer);
  }
}

bool points_to_section(std::uint16_t id) {
  return id >= static_cast<std::uint16_t>(DatOption::header_info) &&
         id <= static_cast<std::uint16_t>(DatOption::task_names);
}

// Reads one section of options; returns the offset of the next one, 0 if there is none.
Result<std::uint64_t> read_options(const Section& section, Found& found, TraceDat& dat, OptionsSeen& seen) {
  DatCursor cursor(section.bytes, section.where);
  while (cursor.ok() && cursor.left() > 0) {
    const auto id = cursor.number<std::uint16_t>("the number of an option");
    const auto size = cursor.number<std::uint32_t>("the size of an option");
    const auto bytes = cursor.bytes(size, "an option");
    if (!cursor.ok()) break;
    DatCursor option(bytes, fmt::format("{}, option {}", section.where, id));
    if (id == static_cast<std::uint16_t>(DatOption::done)) {
      return bytes.empty() ? 0 : option.number<std::uint64_t>("the place of more options");
    }
    if (points_to_section(id)) {
      found.sections[id] = option.number<std::uint64_t>("the place of a section");
      if (!option.ok()) cursor.fail_with(option.status().error().message);
    } else if (id == static_cast<std::uint16_t>(DatOption::buffer)) {
      read_buffer(option, found, dat, cursor);
    } else if (id == static_cast<std::uint16_t>(DatOption::text_buffer)) {
      found.text_buffer = true;
    } else {
      read_text_option(id, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, dat, seen);
    }
  }
  if (!cursor.ok()) return std::unexpected(cursor.status().error());
  return 0;
}

Result<Found> read_all_options(const SectionReader& sections, std::uint64_t offset, TraceDat& dat) {
  Found found;
  OptionsSeen seen;
  for (int i = 0; offset != 0; ++i) {
    if (i == kMostOptionSections) {
      return fail(ErrorKind::invalid_argument, "trace.dat: its sections of options have no end");
    }
    const auto section = sections.read(offset, kDatOptionsSection, "the options");
    if (!section) return std::unexpected(section.error());
    const auto next = read_options(*section, found, dat, seen);
    if (!next) return std::unexpected(next.error());
    offset = *next;
  }
  return found;
}

using PartReader = std::function<void(DatCursor&)>;

Status read_part(const SectionReader& sections, const Found& found, DatOption id, std::string_view what,
                 const PartReader& read) {
  const auto number = static_cast<std::uint16_t>(id);
  const auto place = found.sections.find(number);
  if (place == found.sections.end()) return {};
  const auto section = sections.read(place->second, number, what);
  if (!section) return std::unexpected(section.error());
  DatCursor cursor(section->bytes, section->where);
  read(cursor);
  return cursor.status();
}

Status read_parts(const SectionReader& sections, const Found& found, TraceDat& dat) {
  if (!found.sections.contains(static_cast<std::uint16_t>(DatOption::header_info))) {
    return fail(ErrorKind::invalid_argument, "trace.dat: it says nothing of the layout of its records");
  }
  FormatsSeen seen;
  struct Part {
    DatOption id;
    std::string_view what;
    PartReader read;
  };
  const std::array<Part, 5> parts{{
      {DatOption::header_info, "the header pages", [&](DatCursor& c) { read_header_info(c, dat); }},
      {DatOption::ftrace_formats, "ftrace's formats",
       [&](DatCursor& c) { read_ftrace_formats(c, dat, seen); }},
      {DatOption::event_formats, "the event formats",
       [&](DatCursor& c) { read_event_formats(c, dat, seen); }},
      {DatOption::kallsyms, "kallsyms", [&](DatCursor& c) { read_kallsyms(c, dat); }},
      {DatOption::task_names, "the task names", [&](DatCursor& c) { read_task_names(c, dat); }},
  }};
  for (const auto& [id, what, read] : parts) {
    if (auto done = read_part(sections, found, id, what, read); !done) return done;
  }
  return {};
}

Status read_top_buffer(std::span<const std::byte> file, const BufferOption& buffer, TraceDat& dat) {
  DatCursor cursor(file, "trace.dat");
  cursor.seek(buffer.section, "the buffer");
  const SectionHead head = read_head(cursor);
  if (cursor.ok() && head.id != static_cast<std::uint16_t>(DatOption::buffer)) {
    cursor.fail_with("the buffer should have begun here");
  }
  if (!cursor.ok()) return cursor.status();
  dat.compressed = head.compressed;
  if (!buffer.clock.empty()) {
    dat.clock.clear();
    OptionsSeen seen;
    read_text_option(static_cast<std::uint16_t>(DatOption::trace_clock), buffer.clock, dat, seen);
  }
  if (auto sized = set_subbuffer_size(dat, buffer.page); !sized) return sized;
  for (const DatCpu& cpu : buffer.cpus) {
    if (auto added = add_dat_cpu(dat, cpu, file.size()); !added) return added;
  }
  return {};
}

}  // namespace

Status read_version_7(std::span<const std::byte> file, DatCursor& cursor, TraceDat& dat) {
  const auto name = cursor.word("the name of the compression");
  cursor.word("the version of the compression");
  const auto options = cursor.number<std::uint64_t>("the place of the options");
  if (!cursor.ok()) return cursor.status();
  const auto compression = dat_compression_of(name);
  if (!compression) return std::unexpected(compression.error());
  dat.compression = *compression;
  if (options == 0) {
    return fail(ErrorKind::invalid_argument,
                "trace.dat: it has no options, as its recorder never finished it");
  }
  const SectionReader sections(file, *compression);
  const auto found = read_all_options(sections, options, dat);
  if (!found) return std::unexpected(found.error());
  if (auto read = read_parts(sections, *found, dat); !read) return read;
  if (found->top) return read_top_buffer(file, *found->top, dat);
  return fail(ErrorKind::invalid_argument,
              found->text_buffer ? "trace.dat: it holds the text of a latency tracer and no records"
                                 : "trace.dat: it has no buffer outside of instances, which are not read");
}

}  // namespace netperfd::trace
