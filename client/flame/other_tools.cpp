// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/flame/other_tools.hpp"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace netperfctl::flame {
namespace {

void add_escaped(std::string& line, std::string_view text) {
  for (const char each : text) {
    if (each == ';' || each == ' ') {
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(each));
    } else {
      line += each;
    }
  }
}

void add_frame(std::string& line, const Frame& frame) {
  add_escaped(line, frame.name);
  if (frame.module.empty()) return;
  line += "_[";
  add_escaped(line, frame.module);
  line += ']';
}

}  // namespace

std::string folded(const Stacks& stacks) {
  std::map<std::string, std::uint64_t> lines;  // equal ones are one
  for (const Stack& stack : stacks.stacks) {
    if (stack.weight == 0) continue;
    std::string line;
    for (const std::uint32_t frame : stack.frames) {
      if (!line.empty()) line += ';';
      add_frame(line, stacks.frames[frame]);
    }
    lines[std::move(line)] += stack.weight;
  }
  std::string text;
  for (const auto& [line, weight] : lines) text += fmt::format("{} {}\n", line, weight);
  return text;
}

std::string speedscope(const Stacks& stacks, std::string_view name) {
  using Json = nlohmann::ordered_json;
  Json frames = Json::array();
  for (const Frame& frame : stacks.frames) {
    Json row{{"name", label_of(frame)}};
    if (!frame.module.empty()) row["file"] = frame.module;
    frames.push_back(std::move(row));
  }
  Json samples = Json::array();
  Json weights = Json::array();
  for (const Stack& stack : stacks.stacks) {
    if (stack.weight == 0) continue;
    samples.push_back(stack.frames);
    weights.push_back(stack.weight);
  }
  const Json profile{{"type", "sampled"},
                     {"name", name},
                     {"unit", stacks.unit == Unit::samples ? "none" : "nanoseconds"},
                     {"startValue", 0},
                     {"endValue", stacks.total()},
                     {"samples", std::move(samples)},
                     {"weights", std::move(weights)}};
  const Json file{{"$schema", "https://www.speedscope.app/file-format-schema.json"},
                  {"shared", {{"frames", std::move(frames)}}},
                  {"profiles", Json::array({profile})},
                  {"name", name},
                  {"activeProfileIndex", 0},
                  {"exporter", "netperfctl"}};
  return file.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace netperfctl::flame
