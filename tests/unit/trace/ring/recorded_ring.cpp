// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/trace/ring/recorded_ring.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace netperfd::trace::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargeSubbuffer = 16'384;  // as tools/record-trace sets it for "large"

fs::path data_directory() {
  return fs::path(NETPERFD_TEST_DATA) / "trace";
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no file " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint64_t statistic(const std::string& text, const std::string& name) {
  std::smatch match;
  if (!std::regex_search(text, match, std::regex("(^|\n)" + name + ": ([0-9]+)"))) {
    throw std::runtime_error("no \"" + name + "\" in the statistics");
  }
  return std::stoull(match[2]);
}

// "  iperf3-14561   [000] b.s1. 13948.161653: net_dev_start_xmit: dev=veth0 ..."; a line of a stack belongs
// to the event before it.
std::vector<KernelLine> kernel_lines(const std::string& text) {
  const std::regex event(R"(^ *.+-(\d+) +\[(\d+)\] \S+ +(\d+\.\d+): (.*)$)");
  const std::regex mark(R"(^tracing_mark_write\+\S+ <\w+>: (.*)$)");
  const std::regex named(R"(^(\w+): (.*)$)");
  std::vector<KernelLine> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (line.starts_with("#")) continue;
    if (line.starts_with(" => ")) {
      lines.back().text += line.substr(4) + "\n";
      continue;
    }
    if (!std::regex_match(line, match, event)) throw std::runtime_error("not understood: " + line);
    KernelLine result;
    result.pid = std::stoi(match[1]);
    result.cpu = static_cast<std::uint32_t>(std::stoul(match[2]));
    result.time = match[3];
    const std::string rest = match[4];
    if (rest == "<stack trace>") {
      result.event = "kernel_stack";
    } else if (std::regex_match(rest, match, mark)) {
      result.event = "print";
      result.text = match[1];
    } else if (std::regex_match(rest, match, named)) {
      result.event = match[1];
      result.text = match[2];
    } else {
      throw std::runtime_error("not understood: " + line);
    }
    lines.push_back(result);
  }
  return lines;
}

}  // namespace

std::string recorded_file(const std::string& path) {
  return contents(data_directory() / path);
}

std::vector<std::span<const std::byte>> RecordedRing::subbuffers(std::uint32_t cpu) const {
  std::vector<std::span<const std::byte>> result;
  const std::span<const std::byte> bytes(cpus.at(cpu).bytes);
  for (std::size_t at = 0; at < bytes.size(); at += layout.size()) {
    result.push_back(bytes.subspan(at, layout.size()));
  }
  return result;
}

RecordedRing recorded_ring(const std::string& name) {
  RecordedRing ring;
  ring.layout = parse_header_page(recorded_file("header_page")).value();
  if (name == "large") ring.layout.data_size = kLargeSubbuffer - ring.layout.data_offset;
  for (const fs::directory_entry& file : fs::directory_iterator(data_directory() / name)) {
    if (file.path().extension() != ".raw") continue;
    const std::string stem = file.path().stem().string();
    RecordedCpu& cpu = ring.cpus[static_cast<std::uint32_t>(std::stoul(stem.substr(3)))];
    const std::string raw = contents(file.path());
    const auto bytes = std::as_bytes(std::span(raw));
    cpu.bytes.assign(bytes.begin(), bytes.end());
    const std::string statistics = recorded_file(name + "/" + stem + ".stats");
    cpu.entries = statistic(statistics, "entries");
    cpu.overrun = statistic(statistics, "overrun");
  }
  for (const KernelLine& line : kernel_lines(recorded_file(name + "/trace.txt"))) {
    ring.cpus.at(line.cpu).lines.push_back(line);
  }
  return ring;
}

EventFormat recorded_format(const std::string& path) {
  return parse_event_format(recorded_file("formats/" + path)).value();
}

std::map<std::uint32_t, EventFormat> recorded_formats() {
  std::map<std::uint32_t, EventFormat> formats;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(data_directory() / "formats")) {
    if (!file.is_regular_file()) continue;
    EventFormat format = parse_event_format(contents(file.path())).value();
    const std::uint32_t id = format.id;
    formats.emplace(id, std::move(format));
  }
  return formats;
}

std::string EchoedNames::code(std::uint64_t address) const {
  return fmt::format("code:{:x}", address);
}
std::string EchoedNames::token(std::uint64_t address) const {
  return fmt::format("data:{:x}", address);
}

}  // namespace netperfd::trace::test
