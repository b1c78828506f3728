// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/flent/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/model/named_figure_check.hpp"

namespace netperfd::workload {
namespace {

using FlentJson = nlohmann::ordered_json;

constexpr const char* kFlent = "flent";

std::unexpected<Error> no_flent(std::string_view why) {
  return fail(ErrorKind::invalid_argument, fmt::format("it is no data file of flent: {}", why));
}

const FlentJson* flent_member(const FlentJson& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

// "Ping (ms) UDP BE1" -> "ping_udp_be1", "TCP upload::27" -> "tcp_upload_27"
std::string flent_name(std::string_view series) {
  std::string name;
  for (std::size_t i = 0; i < series.size(); ++i) {
    constexpr std::string_view kUnit = "(ms)";
    if (series.substr(i).starts_with(kUnit)) {
      i += kUnit.size() - 1;
      continue;
    }
    const char c = series[i];
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (upper || plain) {
      name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (name.ends_with('_')) name.pop_back();
  return name;
}

struct Series {
  std::string name;
  bool is_rate = false;  // in Mbit/s; otherwise times in ms
  std::optional<double> told_mean;
  std::vector<double> values;
  int rank = 0;  // what comes first
};

// Sums, then averages, then single ones; rates before times.
int flent_rank(std::string_view name, bool is_rate) {
  const bool total = name.ends_with("totals");
  const bool sum = name.ends_with(" sum");
  const bool mean = name.ends_with(" avg");
  return (is_rate ? 0 : 1) + (total ? 0 : sum ? 2 : mean ? 4 : 6);
}

void add_value(const FlentJson& value, std::vector<double>& values) {
  if (!value.is_number()) return;  // null: there was no point at this time
  if (const double number = value.get<double>(); std::isfinite(number)) values.push_back(number);
}

// What the tool printed, each with its time; of a series that flent computed, its points.
std::vector<double> flent_values(const FlentJson& document, const std::string& series,
                                 const FlentJson& points) {
  std::vector<double> values;
  const FlentJson* all = flent_member(document, "raw_values");
  const FlentJson* raw = all == nullptr ? nullptr : flent_member(*all, series.c_str());
  if (raw != nullptr && raw->is_array()) {
    for (const FlentJson& each : *raw) {
      if (const FlentJson* value = flent_member(each, "val"); value != nullptr) add_value(*value, values);
    }
  }
  if (values.empty() && points.is_array()) {
    for (const FlentJson& point : points) add_value(point, values);
  }
  return values;
}

std::vector<Series> flent_series(const FlentJson& document, const FlentJson& results,
                                 const FlentJson& about) {
  std::vector<Series> all;
  for (const auto& [name, points] : results.items()) {
    const FlentJson* of_series = flent_member(about, name.c_str());
    const FlentJson* unit = of_series == nullptr ? nullptr : flent_member(*of_series, "UNITS");
    if (unit == nullptr || !unit->is_string()) continue;
    const bool is_rate = *unit == "Mbits/s";
    if (!is_rate && *unit != "ms") continue;
    Series series;
    series.name = flent_name(name);
    series.is_rate = is_rate;
    series.rank = flent_rank(name, is_rate);
    series.values = flent_values(document, name, points);
    const FlentJson* mean = flent_member(*of_series, "MEAN_VALUE");
    if (mean != nullptr && mean->is_number() && std::isfinite(mean->get<double>()))
      series.told_mean = mean->get<double>();
    if (!series.values.empty() || series.told_mean) all.push_back(std::move(series));
  }
  std::ranges::stable_sort(all, {}, &Series::rank);
  return all;
}

// Nearest rank of sorted values: the smallest that a share of them does not exceed.
double nearest_rank(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

void add_series(Series series, ToolRun& run) {
  const auto add = [&](const std::string& name, const char* unit, Better better, double value) {
    if (run.figures.size() < kMostNamedFigures) add_figure(run, name, unit, better, value);
  };
  const auto count = static_cast<double>(series.values.size());
  const double mean = std::accumulate(series.values.begin(), series.values.end(), 0.0) / std::max(count, 1.0);
  if (series.is_rate) {
    constexpr double kMega = 1e6;
    return add(series.name, "bits/s", Better::higher, series.told_mean.value_or(mean) * kMega);
  }
  if (series.values.empty()) return;
  constexpr double kNsOfMs = 1e6;
  constexpr std::size_t kEnoughForP99 = 1'000;
  std::ranges::sort(series.values);
  add(series.name + ".p50", kNanoseconds, Better::lower, nearest_rank(series.values, 0.5) * kNsOfMs);
  if (series.values.size() >= kEnoughForP99)
    add(series.name + ".p99", kNanoseconds, Better::lower, nearest_rank(series.values, 0.99) * kNsOfMs);
  add(series.name + ".mean", kNanoseconds, Better::lower, series.told_mean.value_or(mean) * kNsOfMs);
}

void add_facts(const FlentJson& metadata, ToolRun& run) {
  constexpr std::pair<const char*, const char*> kFacts[] = {
      {"NAME", "test"},           {"HOST", "server"},
      {"LENGTH", "seconds"},      {"STEP_SIZE", "step in seconds"},
      {"TITLE", "title"},         {"FLENT_VERSION", "version"},
      {"IP_VERSION", "IP"},       {"KERNEL_RELEASE", "kernel release"},
      {"KERNEL_NAME", "kernel"},  {"MODULE_VERSIONS", "modules"},
      {"LOCAL_HOST", "client"},   {"TIME", "time"},
      {"REMOTE_HOST", "far end"}, {"DATA_FILENAME", "file"}};
  for (const auto& [key, name] : kFacts) {
    const FlentJson* value = flent_member(metadata, key);
    if (value == nullptr || value->is_structured() || value->is_null()) continue;
    add_fact(run, kFlent, name, value->is_string() ? value->get<std::string>() : value->dump());
  }
}

// No document of flent nests so deep.
FlentJson flent_document(std::string_view bytes) {
  constexpr int kDeepestDocument = 64;
  bool deep = false;
  FlentJson document = FlentJson::parse(
      bytes,
      [&](int depth, auto, const FlentJson&) {
        deep = deep || depth > kDeepestDocument;
        return !deep;
      },
      false);
  return deep ? FlentJson(FlentJson::value_t::discarded) : document;
}

}  // namespace

Result<ToolRun> read_flent_text(std::string_view bytes) {
  if (Status fits = check_tool_file(bytes); !fits) return std::unexpected(std::move(fits.error()));
  const FlentJson document = flent_document(bytes);
  if (document.is_discarded()) return no_flent("it is no whole JSON document");
  const FlentJson* metadata = flent_member(document, "metadata");
  const FlentJson* results = flent_member(document, "results");
  const FlentJson* about = metadata == nullptr ? nullptr : flent_member(*metadata, "SERIES_META");
  if (results == nullptr || !results->is_object()) return no_flent("it has no object \"results\"");
  if (about == nullptr || !about->is_object()) {
    return no_flent(
        "its metadata has no SERIES_META, which has the units of the series; files of version 2 and later "
        "do");
  }
  ToolRun run;
  std::vector<Series> series = flent_series(document, *results, *about);
  for (Series& each : series) add_series(std::move(each), run);
  if (run.figures.empty()) {
    return fail(ErrorKind::invalid_argument,
                "it has no series in Mbits/s or ms with a value: nothing of it can be compared");
  }
  add_facts(*metadata, run);
  return run;
}

Result<ImportedFile> read_flent_file(std::span<const std::byte> file) {
  auto run = read_flent_text({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!run) return std::unexpected(std::move(run.error()));
  std::vector<ToolRun> runs;
  runs.push_back(std::move(*run));
  return imported_runs(kFlent, std::move(runs));
}

}  // namespace netperfd::workload
