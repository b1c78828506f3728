// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/trace/ring/recorded_graph.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <tuple>

namespace netperfd::trace::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargeSubbuffer = 16'384;  // as tests/vm/scripts/record-functions sets it for "large"

fs::path data_directory() {
  return fs::path(NETPERFD_TEST_DATA) / "trace-functions";
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no file " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

// Lines of saved_cmdlines: "219 iperf3", "31 kworker/u8:1".
std::map<std::int32_t, std::string> names_of(const std::string& text) {
  std::map<std::int32_t, std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto space = line.find(' ');
    names[std::stoi(line.substr(0, space))] = line.substr(space + 1);
  }
  return names;
}

// From a text with a line "overrun: 42".
std::uint64_t overrun_of(const std::string& statistics) {
  constexpr std::string_view kKey = "\noverrun: ";
  const auto found = statistics.find(kKey);
  if (found == std::string::npos) throw std::runtime_error("no overrun in the statistics");
  return std::stoull(statistics.substr(found + kKey.size()));
}

}  // namespace

std::vector<std::span<const std::byte>> GraphRecording::subbuffers(std::uint32_t cpu) const {
  std::vector<std::span<const std::byte>> result;
  const std::span<const std::byte> bytes(cpus.at(cpu));
  for (std::size_t at = 0; at < bytes.size(); at += layout.size()) {
    result.push_back(bytes.subspan(at, std::min(layout.size(), bytes.size() - at)));
  }
  return result;
}

std::vector<GraphCase> graph_cases() {
  std::vector<GraphCase> cases;
  for (const auto& kernel : fs::directory_iterator(data_directory())) {
    if (!kernel.is_directory()) continue;
    for (const auto& directory : fs::directory_iterator(kernel.path())) {
      if (!fs::exists(directory.path() / "trace.txt")) continue;
      cases.push_back({kernel.path().filename().string(), directory.path().filename().string()});
    }
  }
  std::ranges::sort(cases, {}, [](const GraphCase& which) { return std::tie(which.kernel, which.name); });
  return cases;
}

GraphRecording graph_recording(const GraphCase& which) {
  const auto kernel = data_directory() / which.kernel;
  GraphRecording recording;
  recording.layout = parse_header_page(contents(kernel / "header_page")).value();
  if (which.name == "large") recording.layout.data_size = kLargeSubbuffer - recording.layout.data_offset;
  for (const auto& file : fs::recursive_directory_iterator(kernel / "formats")) {
    if (!file.is_regular_file()) continue;
    const auto system = file.path().parent_path().filename().string();
    auto format = parse_event_format(contents(file.path())).value();
    recording.events.push_back({system + ":" + format.name, std::move(format)});
  }
  recording.symbols = Symbols::parse(contents(kernel / "kallsyms"), 1);
  recording.task_names = names_of(contents(kernel / which.name / "saved_cmdlines"));
  recording.text = contents(kernel / which.name / "trace.txt");
  recording.options = " " + contents(kernel / which.name / "trace_options");
  std::ranges::replace(recording.options, '\n', ' ');
  for (const auto& file : fs::directory_iterator(kernel / which.name)) {
    if (file.path().extension() != ".raw") continue;
    const auto cpu = static_cast<std::uint32_t>(std::stoul(file.path().stem().string().substr(3)));
    const auto raw = contents(file.path());
    const auto bytes = std::as_bytes(std::span(raw));
    recording.cpus[cpu].assign(bytes.begin(), bytes.end());
    recording.overruns[cpu] = overrun_of(contents(fs::path(file.path()).replace_extension(".stats")));
  }
  return recording;
}

std::string test_name(const GraphCase& which) {
  auto name = "k" + which.kernel + "_" + which.name;
  std::ranges::replace_if(name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}

}  // namespace netperfd::trace::test
