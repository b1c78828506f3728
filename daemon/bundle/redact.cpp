// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/bundle/redact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/bundle/names.hpp"
#include "daemon/bundle/redact_texts.hpp"
#include "daemon/model/command_spec.hpp"
#include "daemon/model/counter_figure.hpp"
#include "daemon/model/figure.hpp"
#include "daemon/model/fingerprint.hpp"
#include "daemon/model/machine_setting.hpp"
#include "daemon/model/sample_codec.hpp"

namespace netperfd::bundle {
namespace {

// What becomes of a column's texts.
enum class Way {
  keep,      // words of the kernel, of netperfd or of iperf3
  sentence,  // names in it, addresses and paths are replaced
  name,      // it is replaced as a whole
  probe,     // as a name, unless it is the protocol's, as it is by default
  figure,    // the probe in it, likewise
  empty,     // nothing stays
  job,
  point,
  document,
  file,  // of a file that a scenario names, the name
  stacks,
};

struct Rule {
  std::string_view column;  // "table.column", or "column" of any table
  Way way = Way::name;
  std::string_view kind = "text";  // of the placeholder of a name
};

// A column of texts without a rule is Rule{}.
constexpr std::array kRules = std::to_array<Rule>({
    {"jobs.name", Way::name, "scenario"},
    {"jobs.description", Way::empty},
    {"jobs.label", Way::name, "label"},
    {"jobs.workload", Way::keep},
    {"jobs.protocol", Way::keep},
    {"jobs.server", Way::name, "address"},
    {"jobs.client_netns", Way::name, "netns"},
    {"jobs.server_netns", Way::name, "netns"},
    {"jobs.text", Way::job},
    {"jobs.purpose", Way::keep},
    {"jobs.seed", Way::keep},
    {"jobs.variant_a", Way::name, "side"},
    {"jobs.variant_b", Way::name, "side"},
    {"jobs.changed", Way::sentence},
    {"runs.state", Way::keep},
    {"runs.error", Way::name, "message"},
    {"runs.iperf3_version", Way::keep},
    {"runs.client_host", Way::name, "address"},
    {"runs.server_host", Way::name, "address"},
    {"runs.congestion", Way::keep},
    {"runs.variant", Way::keep},
    {"runs.build", Way::name, "build"},
    {"runs.point_name", Way::point},
    {"runs.note", Way::empty},
    {"direction", Way::keep},
    {"flags.code", Way::keep},
    {"flags.message", Way::sentence},
    {"documents.name", Way::file, "file"},
    {"documents.content", Way::document},
    {"traces.skipped", Way::sentence},
    {"traces.broken", Way::sentence},
    {"traces.clock", Way::keep},
    {"trace_missing_functions.name", Way::keep},
    {"trace_events.name", Way::keep},
    {"trace_events.filter", Way::name, "filter"},
    {"trace_samples.event", Way::keep},
    {"trace_samples.task", Way::name, "task"},
    {"trace_sample_fields.name", Way::keep},
    {"trace_sample_fields.value", Way::name, "value"},
    {"trace_sample_fields.text", Way::name, "value"},
    {"trace_stacks.event", Way::keep},
    {"trace_stacks.frames", Way::keep},
    {"trace_drops.reason", Way::keep},
    {"trace_drops.location", Way::keep},
    {"trace_marks.text", Way::name, "mark"},
    {"traffic.device", Way::name, "device"},
    {"netns", Way::name, "netns"},
    {"function_profiles.not_calibrated", Way::sentence},
    {"functions.name", Way::keep},
    {"functions.module", Way::keep},
    {"functions.histogram", Way::keep},
    {"functions.slice_hits", Way::keep},
    {"functions.slice_self_ns", Way::keep},
    {"builds.module", Way::keep},
    {"builds.release", Way::keep},
    {"builds.build_id", Way::keep},
    {"builds.srcversion", Way::keep},
    {"facts.fact_group", Way::sentence},
    {"facts.key", Way::sentence},
    {"facts.value", Way::sentence},
    {"environments.boot_id", Way::name, "boot"},
    {"environment_unknown.clause", Way::sentence},
    {"counters.source", Way::keep},
    {"counters.name", Way::sentence},
    {"counters.unit", Way::keep},
    {"counters_unknown.clause", Way::sentence},
    {"queue_samples.device", Way::name, "device"},
    {"queue_samples.kind", Way::keep},
    {"queue_samples.handle", Way::keep},
    {"queue_samples.parent", Way::keep},
    {"imported_files.name", Way::name, "file"},
    {"imported_files.sha256", Way::empty},
    {"boots.side", Way::keep},
    {"boots.boot_id", Way::name, "boot"},
    {"boots.kernel", Way::keep},
    {"boots.failure", Way::name, "message"},
    {"cpu_samples.event", Way::keep},
    {"cpu_samples.skipped", Way::sentence},
    {"cpu_samples.stacks", Way::stacks},
    {"budgets.failure", Way::sentence},
    {"budget_functions.function", Way::keep},
    {"job_figures.figure", Way::figure},
    {"run_figures.name", Way::sentence},
    {"run_figures.unit", Way::sentence},
    {"run_figures.better", Way::keep},
    {"probe", Way::probe, "probe"},
    {"latency_probes.name", Way::probe, "probe"},
    {"latency_probes.protocol", Way::keep},
    {"latency_probes.timestamps", Way::keep},
    {"latency_phases.phase", Way::keep},
    {"latency_spans.phase", Way::keep},
    {"latency_spans.span", Way::keep},
    {"latency_spans.histogram", Way::keep},
    {"latency_intervals.phase", Way::keep},
});

bool is_protocol(std::string_view text) {
  return text == "udp" || text == "tcp" || text == "icmp";
}

bool is_name(const Rule& rule, std::string_view text) {
  return rule.way == Way::name || (rule.way == Way::probe && !is_protocol(text));
}

Rule rule_of(const std::string& table, const std::string& column) {
  const std::string both = fmt::format("{}.{}", table, column);
  const auto found = std::ranges::find_if(
      kRules, [&](const Rule& rule) { return rule.column == both || rule.column == column; });
  return found == kRules.end() ? Rule{} : *found;
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find(' '));
}

using Row = std::vector<StoredValue>;

class Redaction {
 public:
  Redaction(const StoredTables& content, const std::string& host) : content_(content) {
    (void)names_.replace("host", host);
  }

  Result<StoredTables> run() {
    // A sentence may have a name that a later table introduces.
    for (const StoredTable& table : content_.tables) learn(table);
    StoredTables result{.schema = content_.schema, .tables = {}};
    for (const StoredTable& table : content_.tables) {
      auto changed = redacted(table);
      if (!changed) return std::unexpected(std::move(changed.error()));
      result.tables.push_back(std::move(*changed));
    }
    return result;
  }

 private:
  static std::string text_in(const StoredTable& table, const Row& row, std::string_view column) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* const text = std::get_if<std::string>(&row[i]);
      if (text != nullptr && table.columns[i] == column) return *text;
    }
    return {};
  }

  void learn(const StoredTable& table) {
    std::vector<Rule> rules;
    for (const std::string& column : table.columns) rules.push_back(rule_of(table.name, column));
    StoredRows rows{table};
    Row row;
    while (rows.next(row)) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        const auto* const text = std::get_if<std::string>(&row[i]);
        if (text != nullptr && is_name(rules[i], *text)) (void)names_.replace(rules[i].kind, *text);
      }
      if (table.name == "facts") learn_devices(table, row);
      if (table.name == "counters") learn_counter(table, row);
    }
  }

  // "eth0 driver", "east@ring-a mtu"
  void learn_devices(const StoredTable& table, const Row& row) {
    constexpr std::array<std::string_view, 4> kOfDevices{"nic", "qdisc", "rps", "xps"};
    const std::string group = text_in(table, row, "fact_group");
    const std::string key = text_in(table, row, "key");
    const std::string_view word = first_word(key);
    if (group == kMachineFacts) return learn_setting(key, text_in(table, row, "value"));
    if (std::ranges::find(kOfDevices, group) != kOfDevices.end() || word.contains('@')) learn_device(word);
    if (group == "topology" && key.starts_with("device of"))
      learn_device(first_word(text_in(table, row, "value")));
  }

  // "mtu.eth0@left"; of a module, its file.
  void learn_setting(const std::string& target, const std::string& value) {
    const auto known = parse_setting_target(target);
    if (known && !known->device.empty()) learn_device(known->place());
    if (known && known->device.empty() && !known->netns.empty()) (void)names_.replace("netns", known->netns);
    if (value.starts_with('/')) (void)names_.replace("file", value);
  }

  void learn_device(std::string_view word) {
    const std::size_t at = std::min(word.find('@'), word.size());
    (void)names_.replace("device", std::string{word.substr(0, at)});
    if (at < word.size()) (void)names_.replace("netns", std::string{word.substr(at + 1)});
  }

  // "veth0 tx_packets"
  void learn_counter(const StoredTable& table, const Row& row) {
    const std::string source = text_in(table, row, "source");
    if (source == "nic" || source == "ethtool")
      (void)names_.replace("device", std::string{first_word(text_in(table, row, "name"))});
  }

  Result<StoredTable> redacted(const StoredTable& table) {
    StoredTable result{.name = table.name, .columns = table.columns, .values = {}};
    std::vector<Rule> rules;
    for (const std::string& column : table.columns) rules.push_back(rule_of(table.name, column));
    StoredRows rows{table};
    Row row;
    while (rows.next(row)) {
      const bool keeps = keeps_texts(table, row);
      for (std::size_t i = 0; i < row.size(); ++i) {
        // The digest of the facts as they were.
        if (table.name == "fingerprints" && table.columns[i] == "digest") row[i] = std::int64_t{0};
        if (keeps) {
          result.add(row[i]);
        } else if (auto value = replaced(is_command_line(table, row, i) ? Rule{} : rules[i], row[i])) {
          result.add(*value);
        } else {
          return std::unexpected(std::move(value.error()));
        }
      }
    }
    return result;
  }

  // The kernel's, or a workload's: whoever boots the host or writes a scenario may write anything there.
  static bool is_command_line(const StoredTable& table, const Row& row, std::size_t column) {
    return table.name == "facts" && table.columns[column] == "value" &&
           (text_in(table, row, "key") == "command line" || text_in(table, row, "fact_group") == "command");
  }

  // netperfd's own marks, and facts about modules, whose names functions have too.
  static bool keeps_texts(const StoredTable& table, const Row& row) {
    if (table.name == "facts") return text_in(table, row, "fact_group").starts_with("module:");
    if (table.name != "trace_marks") return false;
    const auto user = std::ranges::find(table.columns, "user") - table.columns.begin();
    return std::cmp_less(user, row.size()) &&
           row[static_cast<std::size_t>(user)] == StoredValue{std::int64_t{0}};
  }

  Result<StoredValue> replaced(const Rule& rule, const StoredValue& value) {
    if (const auto* const bytes = std::get_if<StoredBytes>(&value)) {
      if (rule.way == Way::stacks) return stacks(*bytes);
      return StoredValue{
          StoredBytes{rule.way == Way::document ? redacted_document(bytes->bytes, names_) : ""}};
    }
    const auto* const text = std::get_if<std::string>(&value);
    if (text == nullptr) return value;
    switch (rule.way) {
      case Way::keep:
        return value;
      case Way::sentence:
        return StoredValue{text->starts_with("module:") ? *text : names_.replace_all(*text)};
      case Way::figure:
        return StoredValue{figure(*text)};
      case Way::file:
        if (!text->starts_with(kFileDocument)) return value;
        return StoredValue{kFileDocument +
                           names_.replace(rule.kind, text->substr(std::string_view(kFileDocument).size()))};
      case Way::probe:
        if (!is_name(rule, *text)) return value;
        [[fallthrough]];
      case Way::name:
        return StoredValue{names_.replace(rule.kind, *text)};
      case Way::job:
        return StoredValue{redacted_job(*text, names_)};
      case Way::point:
        return StoredValue{redacted_point(*text, names_)};
      default:
        return StoredValue{std::string{}};
    }
  }

  std::string figure(const std::string& text) {
    auto figure = parse_figure(text);
    if (!figure) return names_.replace_all(text);
    if (is_counter_figure(text)) return counter_figure(text);
    if (!figure->probe.empty() && !is_protocol(figure->probe))
      figure->probe = names_.replace("probe", figure->probe);
    return to_string(*figure);
  }

  // It has the names of a device and of its namespace, between words that stay.
  std::string counter_figure(std::string_view text) {
    const std::size_t first = text.find('.') + 1, last = text.rfind('.');
    if (last < first) return std::string{text};
    return fmt::format("{}{}{}", text.substr(0, first), names_.replace_all(text.substr(first, last - first)),
                       text.substr(last));
  }

  Result<StoredValue> stacks(const StoredBytes& stored) {
    SampleProfile profile;
    if (auto decoded = decode_stacks(stored.bytes, profile); !decoded)
      return std::unexpected(decoded.error());
    for (SampleFrame& frame : profile.frames) {
      const bool is_own = frame.name == "iperf3" || frame.name == "netperfd";
      if (frame.kind == FrameKind::program && !is_own) frame.name = names_.replace("program", frame.name);
    }
    auto bytes = encode_stacks(profile);
    if (!bytes) return std::unexpected(bytes.error());
    return StoredValue{StoredBytes{std::move(*bytes)}};
  }

  const StoredTables& content_;
  Names names_;
};

}  // namespace

Result<StoredTables> redacted(const StoredTables& content, const std::string& host) {
  return Redaction{content, host}.run();
}

}  // namespace netperfd::bundle
