// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/workload/netperf/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/workload/netperf/results.hpp"
#include "daemon/workload/text_scan.hpp"

namespace netperfd::workload {
namespace {

constexpr std::size_t kMostNumbers = 16;

// The numbers of a line that has nothing else; empty otherwise.
std::vector<double> numbers_of(std::string_view line) {
  std::vector<double> numbers;
  TextScan scan(line);
  for (scan.blanks(); !scan.at_end(); scan.blanks()) {
    const auto number = scan.number();
    const bool ends = scan.at_end() || scan.rest().front() == ' ' || scan.rest().front() == '\t';
    if (!number || !number->value || !ends || numbers.size() == kMostNumbers) return {};
    numbers.push_back(*number->value);
  }
  return numbers;
}

// "KEY=value"; absent if it is none.
std::optional<std::pair<std::string_view, std::string_view>> key_of(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  const std::string_view key = line.substr(0, equals);
  const auto is_sign = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  if (!std::ranges::all_of(key, is_sign)) return std::nullopt;
  return std::pair{key, line.substr(equals + 1)};
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t comma = line.find(',');
    std::string_view part = line.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    if (comma == std::string_view::npos) return parts;
    line.remove_prefix(comma + 1);
  }
}

bool is_failure(std::string_view line) {
  return line.starts_with("establish control") || line.starts_with("netperf: ") ||
         line.find("are you sure there is a netserver listening") != std::string_view::npos;
}

class NetperfReader {
 public:
  explicit NetperfReader(std::string_view bytes) : rest_(bytes) {}

  Result<std::vector<ToolRun>> read() {
    while (!rest_.empty()) {
      const std::string_view line = take_text_line(rest_);
      ++line_;
      constexpr std::size_t kLongest = 16'384;
      if (line.size() <= kLongest) {
        if (Status done = read_line(line); !done) return std::unexpected(std::move(done.error()));
      }
      run_.text.append(line) += '\n';
    }
    if (Status done = close(); !done) return std::unexpected(std::move(done.error()));
    return std::move(runs_);
  }

 private:
  Status read_line(std::string_view line) {
    if (is_failure(line)) {
      constexpr std::size_t kShown = 200;
      const std::string_view words = line.substr(0, kShown);
      return refuse_line(line_, fmt::format("the test failed: netperf says \"{}\"",
                                            is_printable(words) ? words : "(not printable)"));
    }
    if (line.find(" TEST from ") != std::string_view::npos) return read_title(line);
    if (const auto pair = key_of(line)) return read_key(pair->first, pair->second);
    if (line.find("Throughput") != std::string_view::npos && line.find(',') != std::string_view::npos)
      return read_columns(line);
    if (!columns_.empty()) return read_column_values(line);
    if (!table_) return {};
    const auto numbers = numbers_of(line);
    return numbers.empty() ? read_head(line) : read_row(numbers);
  }

  // "MIGRATED TCP STREAM TEST from 0.0.0.0 () port 0 AF_INET to 10.0.0.2 () port 0 AF_INET : demo"
  Status read_title(std::string_view line) {
    if (Status closed = close(); !closed) return closed;
    constexpr std::string_view kMigrated = "MIGRATED ";
    std::string_view test = line.substr(0, line.find(" TEST from "));
    if (const std::size_t at = test.find(kMigrated); at != std::string_view::npos)
      test.remove_prefix(at + kMigrated.size());
    table_ = NetperfTable{.test = std::string(test), .unit = std::nullopt};
    title_line_ = line_;
    add_fact(run_, kNetperf, "test", test);
    if (auto to = after(line, " to ")) add_fact(run_, kNetperf, "server", to->word());
    return {};
  }

  // The last line above the numbers has the units.
  Status read_head(std::string_view line) {
    if (!rows_.empty()) return {};
    TextScan scan(line);
    for (scan.blanks(); !scan.at_end(); scan.blanks()) {
      // "10^6bits/sec", and with -c "KBytes  /s".
      if (const auto unit = netperf_unit(scan.word())) table_->unit = unit;
    }
    return {};
  }

  Status read_row(const std::vector<double>& numbers) {
    if (has_result_) return {};  // what -v 2 prints below the result
    rows_.push_back(numbers);
    switch (add_table(*table_, rows_, run_)) {
      case TableRow::complete:
        has_result_ = true;
        return {};
      case TableRow::incomplete:
        return {};
      case TableRow::unknown:
        break;
    }
    return refuse_line(line_, fmt::format("it is no row of the test {}: expected are the numbers of "
                                          "TCP_STREAM, TCP_MAERTS, UDP_STREAM, TCP_RR, TCP_CRR or UDP_RR "
                                          "below a head with their units, or keys (-k)",
                                          is_printable(table_->test) ? table_->test : "above"));
  }

  Status read_key(std::string_view key, std::string_view value) {
    constexpr std::size_t kMostKeys = 1'000;
    if (values_.contains(key)) {
      if (Status closed = close(); !closed) return closed;
    }
    if (values_.empty()) values_line_ = line_;
    if (values_.size() < kMostKeys) values_.emplace(key, value);
    return {};
  }

  Status read_columns(std::string_view line) {
    if (has_result_ || !values_.empty()) {
      if (Status closed = close(); !closed) return closed;
    }
    columns_ = split(line);
    return {};
  }

  Status read_column_values(std::string_view line) {
    const auto parts = split(line);
    if (parts.size() != columns_.size()) {
      return refuse_line(line_,
                         fmt::format("it has {} values below {} columns", parts.size(), columns_.size()));
    }
    values_line_ = line_;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string_view key = netperf_key(columns_[i]);
      if (!key.empty()) values_.emplace(key, parts[i]);
    }
    columns_.clear();
    return {};
  }

  Status close() {
    ToolRun run = std::exchange(run_, {});
    const auto table = std::exchange(table_, std::nullopt);
    const NetperfValues values = std::exchange(values_, {});
    const bool has_result = std::exchange(has_result_, false);
    rows_.clear();
    columns_.clear();
    // A shell may have printed some, too.
    const bool of_keys = values.contains("THROUGHPUT") || (!values.empty() && !has_result);
    if (of_keys) {
      if (const std::string problem = add_values(values, run); !problem.empty())
        return refuse_line(values_line_, problem);
    } else if (table && !has_result) {
      return refuse_line(title_line_, "the test has no result below its title");
    }
    if (!run.figures.empty()) runs_.push_back(std::move(run));
    return {};
  }

  std::string_view rest_;
  std::size_t line_ = 0, title_line_ = 0, values_line_ = 0;
  ToolRun run_;
  std::vector<ToolRun> runs_;
  std::optional<NetperfTable> table_;
  std::vector<std::vector<double>> rows_;
  std::vector<std::string_view> columns_;
  NetperfValues values_;
  bool has_result_ = false;
};

}  // namespace

Result<std::vector<ToolRun>> read_netperf_text(std::string_view bytes) {
  if (Status fits = check_tool_file(bytes); !fits) return std::unexpected(std::move(fits.error()));
  return NetperfReader(bytes).read();
}

Result<ImportedFile> read_netperf_file(std::span<const std::byte> file) {
  auto runs = read_netperf_text({reinterpret_cast<const char*>(file.data()), file.size()});
  if (!runs) return std::unexpected(std::move(runs.error()));
  return imported_runs(kNetperf, std::move(*runs));
}

}  // namespace netperfd::workload
