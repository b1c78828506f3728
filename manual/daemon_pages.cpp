// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/config/daemon_config.hpp"
#include "daemon/config/job_reader.hpp"
#include "daemon/config/yaml.hpp"
#include "daemon/keys/complaints.hpp"
#include "daemon/options.hpp"
#include "manual/pages.hpp"

namespace netperfd::manual {
namespace {

using keys::KeyRow;

// The value that the shipped file has; empty for keys of items, which it has in an example only.
std::string value_in(const keys::YamlNode& file, std::string_view path) {
  const keys::YamlNode* node = &file;
  while (!path.empty()) {
    const auto dot = path.find('.');
    const keys::YamlEntry* const entry = node->find(path.substr(0, dot));
    if (entry == nullptr) return {};
    node = &entry->value;
    path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
  }
  if (node->kind == keys::YamlNode::Kind::scalar) return node->text;
  std::vector<std::string> items;
  for (const keys::YamlNode& item : node->items) items.push_back(item.text);
  return fmt::format("{}", fmt::join(items, ", "));
}

void add_key(Page& page, const KeyRow& key, const std::string& fallback) {
  std::string words = fmt::format("Type: {}.", key.text.type);
  if (fallback.starts_with("required")) {
    words += fmt::format(" R{}.", fallback.substr(1));
  } else if (!fallback.empty()) {
    words += fmt::format(" Default: {}.", fallback);
  }
  if (!key.text.option.empty()) words += fmt::format(" Option of iperf3: {}.", key.text.option);
  if (!key.text.meaning.empty()) words += fmt::format("\n\n{}.", key.text.meaning);
  page.term(key.path, words);
}

Page daemon_page() {
  Page page("netperfd", 8, "network measurement daemon");
  page.section("SYNOPSIS");
  std::string synopsis = "netperfd";
  for (const OptionText& option : option_texts())
    synopsis += option.value.empty() ? fmt::format(" [--{}]", option.name)
                                     : fmt::format(" [--{} {}]", option.name, option.value);
  page.text("`" + synopsis + "`");
  page.section("DESCRIPTION");
  page.text(
      "netperfd runs iperf3 on this host the same way each time, watches the kernel by ftrace while it runs, "
      "stores every run in SQLite and compares runs. It serves all of this on the system bus as "
      "org.netperfd1(5); netperfctl(1) is its client. systemd starts it as the unit `netperfd.service`. One "
      "run is executed at a time.\n\nIt needs root. iperf3 runs as an unprivileged user.");
  page.section("OPTIONS");
  for (const OptionText& option : option_texts())
    page.term(option.value.empty() ? fmt::format("--{}", option.name)
                                   : fmt::format("--{} {}", option.name, option.value),
              std::string{option.about} + ".");
  page.section("SIGNALS");
  page.term("SIGHUP", "Reads the configuration again; `systemctl reload netperfd` sends it.");
  page.term("SIGTERM",
            "Ends the run under way as interrupted, restores the machine and leaves. The queue goes on with "
            "the next start.");
  page.section("EXIT STATUS");
  page.term(
      "0",
      "It was asked to end, or the check or cleanup found no fault, or --reread found nothing to change "
      "or stored all changes.");
  page.term("1", "It failed; the log says why.");
  page.term("2", "The command line is wrong.");
  page.term("3", "--reread without --apply: stored figures would change.");
  page.section("FILES");
  page.term("/etc/netperfd/netperfd.yaml", "The configuration: netperfd.yaml(5).");
  page.term("/etc/netperfd/scenarios.d/NAME.yaml", "Root's scenarios: netperfd-scenario(5).");
  page.term("/usr/share/netperfd/scenarios.d/NAME.yaml",
            "The shipped scenarios. Of two with one name, root's counts.");
  page.term("/var/lib/netperfd/netperfd.db", "The database.");
  page.see_also(std::vector<std::string>{"netperfctl(1)", "netperfd.yaml(5)", "netperfd-scenario(5)",
                                         "org.netperfd1(5)"});
  return page;
}

Page configuration_page(const std::string& shipped) {
  keys::Complaints complaints("netperfd.yaml");
  const auto file = config::parse_yaml(shipped, complaints);
  if (!file) throw std::runtime_error(complaints.to_error().message);
  Page page("netperfd.yaml", 5, "configuration of netperfd");
  page.section("SYNOPSIS");
  page.text("`/etc/netperfd/netperfd.yaml`");
  page.section("DESCRIPTION");
  page.text(
      "The configuration of netperfd(8) as YAML. Without the file, every key has its default. Apply a change "
      "with `systemctl reload netperfd`. If the file is wrong, the daemon says so in its log and keeps what "
      "it had; `netperfd --check` checks the file and all scenarios.\n\nA key a.b is the key b of the "
      "mapping a. `keep[]` stands for each item of the list `keep`, the rules about stored runs. The first "
      "rule that matches a job decides; without a rule, everything is kept. A job goes as a whole, the "
      "oldest first, and the newest job of a rule goes only by its age.");
  page.section("KEYS");
  for (const KeyRow& key : config::daemon_config_keys()) {
    const std::string value = value_in(*file, key.path);
    add_key(page, key, value.empty() ? std::string{key.text.fallback} : "`" + value + "`");
  }
  page.section("EXAMPLES");
  page.verbatim(std::vector<std::string>{"limits:", "  user:", "    stored: 10G",
                                         "keep:", "  - {label: 'release-*'}",
                                         "  - {scenario: 'nightly-*', age: 90d, size: 10G}"});
  page.see_also(std::vector<std::string>{"netperfd(8)", "netperfd-scenario(5)"});
  return page;
}

void add_values(Page& page) {
  page.section("VALUES");
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTypes{{
      {"duration", "A number with `ms`, `s`, `min` or `h`: `250ms`, `10s`, `1.5h`."},
      {"bytes", "A number, optionally with `K`, `M`, `G` or `T` (powers of 1024): `1448`, `64K`."},
      {"bit rate", "Bits per second, optionally with `K`, `M`, `G` or `T` (powers of 1000): `100M`, `2.5G`."},
      {"address", "A numeric IPv4 or IPv6 address, IPv6 optionally with a zone: `10.0.0.2`, `fe80::1%eth0`."},
      {"number", "A whole number without quotation marks."},
      {"list", "`[2, 3]`, or a line with `- ` for each item."},
  }};
  for (const auto& [type, words] : kTypes) page.term(type, words);
}

Page scenario_page() {
  Page page("netperfd-scenario", 5, "scenarios and jobs of netperfd");
  page.section("SYNOPSIS");
  page.text("`/etc/netperfd/scenarios.d/NAME.yaml`\n\n`/usr/share/netperfd/scenarios.d/NAME.yaml`");
  page.section("DESCRIPTION");
  page.text(
      "A job is a YAML text that says what to measure. A scenario is a job that root installed. The text can "
      "also be a file of the caller, as in `netperfctl start ./ring.yaml`. It is one document of at most 64 "
      "KiB in UTF-8, without anchors, aliases and tags.\n\nA job has one workload. It may have "
      "a `trace` and, unless the workload is `none`, a `design`. A key that is not listed here is an error. "
      "\"Required\" applies only if the job has the mapping that contains the key. `[]` stands for "
      "each item of a list.");
  page.section("KEYS");
  for (const KeyRow& key : config::job_keys()) add_key(page, key, std::string{key.text.fallback});
  add_values(page);
  page.section("EXAMPLES");
  page.verbatim(std::vector<std::string>{"name: veth-tcp", "description: TCP between two namespaces",
                                         "repeat: 3", "workload:", "  iperf3:", "    netns: left",
                                         "    local: {netns: right, bind: 10.0.0.2}", "    duration: 10s",
                                         "trace:", "  events: [skb:kfree_skb]", "  optional: true"});
  page.see_also(std::vector<std::string>{"netperfctl-start(1)", "netperfctl-scenarios(1)", "netperfd.yaml(5)",
                                         "netperfd(8)"});
  return page;
}

}  // namespace

std::vector<Page> daemon_pages(const std::string& shipped_configuration) {
  return {daemon_page(), configuration_page(shipped_configuration), scenario_page()};
}

}  // namespace netperfd::manual
