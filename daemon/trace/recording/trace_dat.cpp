// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/trace_dat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "daemon/trace/recording/dat_cursor.hpp"
#include "daemon/trace/recording/dat_format.hpp"
#include "daemon/trace/recording/trace_dat_parts.hpp"

namespace netperfd::trace {
namespace {

std::unexpected<Error> refuse(std::string_view why) {
  return fail(ErrorKind::invalid_argument, fmt::format("trace.dat: {}", why));
}

// In version 6 an option may point to the CPU table of an instance.
void read_instance(DatCursor option, TraceDat& dat) {
  option.number<std::uint64_t>("the place of a buffer");
  const auto name = option.word("the name of a buffer");
  if (option.ok() && dat.instances.size() < kMostDatCpus) dat.instances.emplace_back(name);
}

// Up to the word after the options, which determines the rest.
std::string_view read_options(DatCursor& cursor, TraceDat& dat) {
  constexpr std::string_view kWhat = "\"options\", \"latency\" or \"flyrecord\"";
  std::string_view kind = cursor.text(kDatOptions.size(), kWhat);
  OptionsSeen seen;
  while (cursor.ok() && kind == kDatOptions) {
    const auto id = cursor.number<std::uint16_t>("the number of an option");
    if (id == static_cast<std::uint16_t>(DatOption::done)) {
      kind = cursor.text(kDatOptions.size(), kWhat);
      continue;
    }
    const auto size = cursor.number<std::uint32_t>("the size of an option");
    const auto bytes = cursor.bytes(size, "an option");
    if (id == static_cast<std::uint16_t>(DatOption::buffer)) {
      read_instance(DatCursor(bytes, "trace.dat, option of a buffer"), dat);
    }
    read_text_option(id, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, dat, seen);
  }
  return kind;
}

}  // namespace

Status read_version_6(std::span<const std::byte> file, DatCursor& cursor, std::uint32_t page, TraceDat& dat) {
  FormatsSeen seen;
  read_header_info(cursor, dat);
  read_ftrace_formats(cursor, dat, seen);
  read_event_formats(cursor, dat, seen);
  read_kallsyms(cursor, dat);
  const auto printk_size = cursor.number<std::uint32_t>("the size of the printk formats");
  cursor.bytes(printk_size, "the printk formats");
  read_task_names(cursor, dat);
  const auto cpus = cursor.number<std::uint32_t>("the number of CPUs");
  if (cpus > kMostDatCpus) cursor.fail_with(fmt::format("{} are too many CPUs", cpus));
  const auto kind = read_options(cursor, dat);
  if (!cursor.ok()) return cursor.status();
  if (kind == kDatLatency) return refuse("it holds the text of a latency tracer and no records");
  if (kind != kDatFlyrecord) cursor.fail_with("\"flyrecord\" should have stood here");
  // A recorder may not know that sub-buffers can be larger than a page; header_page describes the top buffer.
  if (auto sized = set_subbuffer_size(dat, std::max<std::uint64_t>(page, dat.layout.size())); !sized) {
    return sized;
  }
  for (std::uint32_t cpu = 0; cpu < cpus && cursor.ok(); ++cpu) {
    const auto offset = cursor.number<std::uint64_t>("the place of a CPU's data");
    const auto size = cursor.number<std::uint64_t>("the size of a CPU's data");
    if (!cursor.ok()) break;
    if (auto added = add_dat_cpu(dat, {cpu, offset, size}, file.size()); !added) return added;
  }
  return cursor.status();
}

Result<TraceDat> read_trace_dat(std::span<const std::byte> file) {
  TraceDat dat;
  DatCursor cursor(file, "trace.dat");
  if (cursor.text(kDatMagic.size(), "the mark of such a file") != kDatMagic) {
    return refuse("the file does not begin as one of trace-cmd's does");
  }
  const auto version = cursor.word("the version");
  if (!cursor.ok()) return std::unexpected(cursor.status().error());
  if (version != "6" && version != "7") return refuse("its version is neither 6 nor 7");
  dat.version = version == "6" ? 6 : 7;
  const auto order = cursor.number<std::uint8_t>("the byte order");
  cursor.number<std::uint8_t>("the size of a long");  // in programs; the kernel's is in header_page
  const auto page = cursor.number<std::uint32_t>("the page size");
  if (!cursor.ok()) return std::unexpected(cursor.status().error());
  if (order != kDatByteOrder) return refuse("it was recorded on a machine of the other byte order");
  const Status body =
      dat.version == 6 ? read_version_6(file, cursor, page, dat) : read_version_7(file, cursor, dat);
  if (!body) return std::unexpected(body.error());
  return dat;
}

}  // namespace netperfd::trace
