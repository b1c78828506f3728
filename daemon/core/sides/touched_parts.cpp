// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/core/sides/touched_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>

#include "daemon/model/machine_setting.hpp"

namespace netperfd::core {
namespace {

using Words = std::span<const std::string>;

// What the words of a command name.
struct Named {
  std::string netns;   // in which it works, so without it it does nothing
  std::string device;  // of that namespace
  bool needs_device = false;
  std::vector<std::string> others;  // parts of other kinds
  std::string program;              // whose words are not known; empty: they are
};

bool is_among(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_name(std::string_view word) {
  return !word.empty() && !word.contains('/') && !word.starts_with('-');
}

Named named_by(Words argv);

// Of ip, tc and bridge, which take options before their object, and shortened words.
std::size_t read_options(Words words, Named& named) {
  std::size_t at = 0;
  for (; at < words.size() && words[at].starts_with('-'); ++at) {
    std::string_view option = words[at];
    if (option.starts_with("--")) option.remove_prefix(1);
    const bool is_netns = option.size() > 1 && std::string_view("-netns").starts_with(option);
    if (is_netns && at + 1 < words.size()) named.netns = words[at + 1];
    if (is_netns || is_among(option, {"-f", "-family", "-l", "-loops", "-rc", "-rcvbuf", "-b", "-batch",
                                      "-conf", "-cf"})) {
      ++at;
    }
  }
  return std::min(at, words.size());
}

void read_namespace_words(Words words, Named& named) {
  if (words.size() < 3 || !is_name(words[2])) return;
  if (words[1].empty() ||
      !std::string_view("exec").starts_with(words[1])) {  // it adds or removes the namespace
    named.others.push_back("namespace " + words[2]);
    return;
  }
  if (words.size() > 3) named = named_by(words.subspan(3));
  if (named.netns.empty()) {
    named.netns = words[2];
  } else {
    named.others.push_back("namespace " + words[2]);
  }
}

// Of a link, beside its name.
bool is_no_flag(const std::string& word) {
  return !is_among(word,
                   {"up", "down", "arp", "multicast", "allmulticast", "promisc", "trailers", "on", "off"});
}

void read_iproute(Words words, Named& named) {
  words = words.subspan(read_options(words, named));
  if (words.empty()) return;
  const std::string_view object = words.front();
  if (object.size() >= 3 && std::string_view("netns").starts_with(object))
    return read_namespace_words(words, named);
  const bool is_link = std::string_view("link").starts_with(object);
  const bool makes = words.size() > 1 && (is_link || object.starts_with("tu")) &&
                     (words[1].starts_with("a") || words[1] == "replace");
  auto at = std::ranges::find(words, "dev");
  const bool is_explicit = at != words.end();
  // What follows `type` is of the kind of link, such as the name of a peer.
  if (!is_explicit && makes) at = std::find(words.begin(), std::ranges::find(words, "type"), "name");
  if (!is_explicit && (at == words.end() || *at != "name") && is_link && words.size() > 2) {
    at = std::find_if(words.begin() + 2, words.end(), is_no_flag) - 1;
  }
  if (at == words.end() || at + 1 == words.end() || !is_name(*(at + 1))) return;
  named.device = *(at + 1);
  named.needs_device = is_explicit && !makes;
}

void read_ethtool(Words words, Named& named) {
  if (words.size() < 2 || !words[0].starts_with('-') || !is_name(words[1])) return;
  if (is_among(words[0], {"--debug", "--json", "-I", "--include-statistics"})) return;
  named.device = words[1];
  named.needs_device = true;
}

void read_modules(Words words, std::string_view tool, Named& named) {
  const bool several = tool == "rmmod" || std::ranges::any_of(words, [](const std::string& word) {
                         return is_among(word, {"-r", "--remove", "-a", "--all"});
                       });
  for (const std::string& word : words) {
    if (word.starts_with('-')) continue;
    std::string name{tool == "insmod" ? file_name(word) : std::string_view{word}};
    if (tool == "insmod") name.resize(std::min(name.find(".ko"), name.size()));
    std::ranges::replace(name, '-', '_');
    if (is_name(name)) named.others.push_back("module " + name);
    if (!several) return;  // what follows are parameters
  }
}

void read_sysctls(Words words, Named& named) {
  for (const std::string& word : words) {
    std::string name = word.substr(0, word.find('='));
    if (word.starts_with('-') || name.size() == word.size()) continue;
    std::ranges::replace(name, '/', '.');
    named.others.push_back("sysctl " + name);
  }
}

// A shell or an interpreter is not what changes the machine: its script does, if it is a file.
void read_other(Words argv, Named& named) {
  named.program = argv.front();
  const bool interprets = is_among(file_name(argv.front()), {"sh", "bash", "dash", "env", "perl", "python3"});
  if (interprets && argv.size() > 1 && argv[1].starts_with('/')) named.program = argv[1];
}

Named named_by(Words argv) {
  Named named;
  const std::string_view tool = file_name(argv.front());
  if (is_among(tool, {"ip", "tc", "bridge"})) {
    read_iproute(argv.subspan(1), named);
  } else if (tool == "ethtool") {
    read_ethtool(argv.subspan(1), named);
  } else if (is_among(tool, {"modprobe", "insmod", "rmmod"})) {
    read_modules(argv.subspan(1), tool, named);
  } else if (tool == "sysctl") {
    read_sysctls(argv.subspan(1), named);
  } else {
    read_other(argv, named);
  }
  return named;
}

void add_place(const std::string& device, const std::string& netns, std::vector<std::string>& parts) {
  if (!netns.empty()) parts.push_back("namespace " + netns);
  if (!device.empty()) parts.push_back(fmt::format("device {}{}{}", device, netns.empty() ? "" : "@", netns));
}

void add_target(const std::string& text, std::vector<std::string>& parts) {
  const auto target = parse_setting_target(text);
  if (!target) return;  // refused before
  add_place(target->device, target->netns, parts);
  switch (target->kind) {
    case SettingKind::sysctl:
      if (target->netns.empty()) parts.push_back("sysctl " + target->name);
      return;
    case SettingKind::module:
      parts.push_back("module " + target->name);
      return;
    case SettingKind::irq:
      parts.push_back("interrupt " + target->name);
      return;
    case SettingKind::governor:
      parts.emplace_back("governor");
      return;
    default:
      return;
  }
}

void sort_parts(std::vector<std::string>& parts) {
  std::ranges::sort(parts);
  const auto repeated = std::ranges::unique(parts);
  parts.erase(repeated.begin(), repeated.end());
}

}  // namespace

std::vector<std::string> parts_of_command(const std::vector<std::string>& argv) {
  if (argv.empty()) return {};
  Named named = named_by(argv);
  std::vector<std::string> parts = std::move(named.others);
  // Sysctls of a namespace are its own.
  if (!named.netns.empty())
    std::erase_if(parts, [](const std::string& part) { return part.starts_with("sysctl "); });
  add_place(named.device, named.netns, parts);
  // What the text of a script changes is not known, but in a namespace it is mostly the namespace.
  const bool is_text = !named.netns.empty() && is_among(file_name(named.program), {"sh", "bash", "dash"});
  if (!named.program.empty() && !is_text) parts.push_back("program " + named.program);
  if (parts.empty()) parts.push_back("program " + argv.front());
  sort_parts(parts);
  return parts;
}

std::vector<std::string> parts_of_design(const Design& design) {
  std::vector<std::string> parts;
  for (const auto* side : {&design.a, &design.b, &design.home}) {
    if (!*side) continue;
    const auto builds = static_cast<std::uint32_t>((*side)->builds.size());
    for (std::uint32_t build = std::min(builds, 1U); build <= builds; ++build)
      std::ranges::move(parts_of_command((*side)->switch_to(build)), std::back_inserter(parts));
    for (const MachineSetting& setting : (*side)->settings) add_target(setting.target, parts);
  }
  for (const SweepAxis& axis : design.sweep) {
    if (axis.is_of_machine()) add_target(axis.key, parts);
  }
  std::ranges::move(parts_of_command(design.prepare), std::back_inserter(parts));
  sort_parts(parts);
  return parts;
}

std::vector<std::string> common_parts(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string> common;
  std::ranges::copy_if(a, std::back_inserter(common),
                       [&](const std::string& part) { return std::ranges::find(b, part) != b.end(); });
  return common;
}

std::string gone_part(const MachineParts& parts, const std::vector<std::string>& argv) {
  if (argv.empty()) return {};
  const Named named = named_by(argv);
  if (is_name(named.netns) && parts.lacks_netns(named.netns)) {
    // With its namespace a device is gone, unless it is of hardware: that one comes back to the host.
    const bool may_be_back = !named.device.empty() && !parts.lacks_device(named.device, "");
    return may_be_back ? "" : "namespace " + named.netns;
  }
  if (!named.needs_device || (!named.netns.empty() && !is_name(named.netns))) return {};
  if (!parts.lacks_device(named.device, named.netns)) return {};
  return fmt::format("device {}{}{}", named.device, named.netns.empty() ? "" : "@", named.netns);
}

}  // namespace netperfd::core
