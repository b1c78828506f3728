// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <cstring>
#include <string_view>

#include "daemon/trace/recording/dat_format.hpp"

namespace netperfd::trace {
namespace {

// Writes the format of trace-cmd.dat.v6(5), in this machine's byte order.
class DatWriter {
 public:
  void text(std::string_view text) { out_.append(text); }
  template <std::integral Number>
  void number(Number value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
  }
  template <std::integral Size>
  void sized(std::string_view text) {
    number(static_cast<Size>(text.size()));
    out_.append(text);
  }
  void option(DatOption id, std::string_view text) {
    number(static_cast<std::uint16_t>(id));
    number(static_cast<std::uint32_t>(text.size() + 1));
    out_.append(text);
    out_.push_back('\0');
  }
  // Replaces the number that number() wrote at `place` by `value`.
  void replace(std::size_t place, std::uint64_t value) {
    std::memcpy(out_.data() + place, &value, sizeof value);
  }
  void pad_to(std::size_t unit) { out_.resize((out_.size() + unit - 1) / unit * unit); }
  [[nodiscard]] std::size_t size() const { return out_.size(); }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

using Formats = std::vector<std::pair<std::string, std::string>>;

std::string_view system_of(std::string_view event) {
  return event.substr(0, event.find(':'));
}

// The formats of ftrace itself are written first, without a name.
void write_formats(DatWriter& out, const Formats& formats) {
  std::map<std::string_view, std::vector<std::string_view>> systems;
  for (const auto& [event, format] : formats) systems[system_of(event)].push_back(format);
  const auto ftrace = systems.extract("ftrace");
  const std::vector<std::string_view> own =
      ftrace.empty() ? std::vector<std::string_view>{} : ftrace.mapped();
  out.number(static_cast<std::uint32_t>(own.size()));
  for (const std::string_view format : own) out.sized<std::uint64_t>(format);
  out.number(static_cast<std::uint32_t>(systems.size()));
  for (const auto& [system, texts] : systems) {
    out.text(system);
    out.text({"\0", 1});
    out.number(static_cast<std::uint32_t>(texts.size()));
    for (const std::string_view format : texts) out.sized<std::uint64_t>(format);
  }
}

void write_head(DatWriter& out, const RecordingFacts& facts) {
  out.text(kDatMagic);
  out.text({"6\0", 2});
  out.number(kDatByteOrder);
  out.number(static_cast<std::uint8_t>(sizeof(long)));
  // Readers take this for the length of every sub-buffer, since header_page describes those of the top
  // instance.
  out.number(static_cast<std::uint32_t>(facts.subbuffer_bytes));
  out.text({"header_page\0", 12});
  out.sized<std::uint64_t>(facts.header_page);
  out.text({"header_event\0", 13});
  out.sized<std::uint64_t>(facts.header_event);
  write_formats(out, facts.formats);
  out.sized<std::uint32_t>(facts.kallsyms);
  out.sized<std::uint32_t>(std::string_view{});  // formats of trace_printk: nothing here records it
  out.sized<std::uint64_t>(facts.task_names);
}

void write_options(DatWriter& out, const RecordingFacts& facts) {
  out.text(kDatOptions);
  // As in the file trace_clock: the current one is in brackets.
  out.option(DatOption::trace_clock, fmt::format("[{}]\n", facts.clock));
  out.option(DatOption::uname, facts.kernel);
  out.number(static_cast<std::uint16_t>(DatOption::done));
}

}  // namespace

void RawKeeper::add(std::uint32_t cpu, std::span<const std::byte> subbuffer) {
  // Sub-buffers after a dropped one would leave a gap before them.
  if (left_out_ > 0 || subbuffer.size() > most_bytes_ - kept_) {
    left_out_ += subbuffer.size();
    return;
  }
  auto& kept = cpus_[cpu];
  kept.insert(kept.end(), subbuffer.begin(), subbuffer.end());
  kept_ += subbuffer.size();
}

std::map<std::uint32_t, std::vector<std::byte>> RawKeeper::take() {
  return std::exchange(cpus_, {});
}

std::string make_trace_dat(const RecordingFacts& facts,
                           std::map<std::uint32_t, std::vector<std::byte>> cpus) {
  DatWriter out;
  write_head(out, facts);
  const std::uint32_t count = cpus.empty() ? facts.cpus : std::max(facts.cpus, cpus.rbegin()->first + 1);
  out.number(count);
  write_options(out, facts);
  out.text(kDatFlyrecord);
  const std::size_t table = out.size();
  for (std::uint32_t i = 0; i < 2 * count; ++i) out.number(std::uint64_t{0});
  for (std::uint32_t cpu = 0; cpu < count; ++cpu) {
    out.pad_to(facts.subbuffer_bytes);
    const auto found = cpus.extract(cpu);
    const std::size_t place = table + std::size_t{16} * cpu;
    out.replace(place, out.size());
    if (found.empty()) continue;
    out.replace(place + 8, found.mapped().size());
    // Each CPU's bytes are freed once they are in the file.
    out.text({reinterpret_cast<const char*>(found.mapped().data()), found.mapped().size()});
  }
  return out.take();
}

}  // namespace netperfd::trace
