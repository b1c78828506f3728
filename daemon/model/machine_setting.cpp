// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/machine_setting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "daemon/model/text.hpp"
#include "daemon/model/wording.hpp"

namespace netperfd {
namespace {

constexpr std::size_t kMaxDevice = 15;  // the kernel's IFNAMSIZ includes the final NUL
constexpr std::size_t kMaxName = 200;
constexpr std::size_t kMaxValue = 1'024;

enum class Shape { name, device, name_of_device, alone };

struct KindRow {
  std::string_view word;
  SettingKind kind;
  Shape shape;
  bool has_netns;
};
constexpr std::array<KindRow, 12> kKinds{{{"sysctl", SettingKind::sysctl, Shape::name, true},
                                          {"mtu", SettingKind::mtu, Shape::device, true},
                                          {"qdisc", SettingKind::qdisc, Shape::device, true},
                                          {"offload", SettingKind::offload, Shape::name_of_device, true},
                                          {"coalesce", SettingKind::coalesce, Shape::name_of_device, true},
                                          {"ring", SettingKind::ring, Shape::name_of_device, true},
                                          {"queues", SettingKind::queues, Shape::name_of_device, true},
                                          {"rps", SettingKind::rps, Shape::device, true},
                                          {"xps", SettingKind::xps, Shape::device, true},
                                          {"irq", SettingKind::irq, Shape::name, false},
                                          {"governor", SettingKind::governor, Shape::alone, false},
                                          {"module", SettingKind::module, Shape::name, false}}};

const KindRow* row_of(std::string_view word) {
  const auto* found = std::ranges::find(kKinds, word, &KindRow::word);
  return found == kKinds.end() ? nullptr : found;
}

// No part of a path, and nothing that a program would take as an option.
bool is_plain_name(std::string_view text, std::size_t limit) {
  return is_word(text, "._-", limit) && !text.contains("..");
}

bool consists_of(std::string_view text, std::string_view letters) {
  return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

bool is_digits(std::string_view text) {
  return consists_of(text, "0123456789");
}

std::string expected_of(SettingKind kind) {
  switch (kind) {
    case SettingKind::mtu:
    case SettingKind::ring:
    case SettingKind::queues:
      return "a number";
    case SettingKind::offload:
      return "on or off";
    case SettingKind::coalesce:
      return "a number, on or off";
    case SettingKind::rps:
    case SettingKind::xps:
      return "one hexadecimal mask of CPUs, or one for each queue";
    case SettingKind::irq:
      return "a list of CPUs (like 0-3,8)";
    case SettingKind::module:
      return "the absolute path of a file, absent or installed";
    case SettingKind::sysctl:
    case SettingKind::qdisc:
    case SettingKind::governor:
      break;
  }
  return "words without signs that have a meaning elsewhere";
}

bool fits_value(SettingKind kind, std::string_view value) {
  const bool is_switch = value == "on" || value == "off";
  switch (kind) {
    case SettingKind::mtu:
    case SettingKind::ring:
    case SettingKind::queues:
      return is_digits(value);
    case SettingKind::offload:
      return is_switch;
    case SettingKind::coalesce:
      return is_switch || is_digits(value);
    case SettingKind::rps:
    case SettingKind::xps:
      return consists_of(value, "0123456789abcdefABCDEF, ");
    case SettingKind::irq:
      return consists_of(value, "0123456789,-");
    case SettingKind::module:
      return value == "absent" || value == kInstalled || (value.starts_with('/') && !value.ends_with('/'));
    case SettingKind::sysctl:
      return true;
    case SettingKind::qdisc:
    case SettingKind::governor:
      break;
  }
  return !value.starts_with('-') && std::ranges::all_of(value, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(" ._-:%").contains(c);
  });
}

bool fits(const std::string& pattern, const std::string& text) {
  return ::fnmatch(pattern.c_str(), text.c_str(), FNM_NOESCAPE) == 0;
}

// A pattern without a namespace is for the host's own, and `*` in one part does not reach into the other.
bool fits_place(const std::string& pattern, const std::string& name, const std::string& netns) {
  const auto at = pattern.rfind('@');
  if (at == std::string::npos) return netns.empty() && fits(pattern, name);
  return !netns.empty() && fits(pattern.substr(0, at), name) && fits(pattern.substr(at + 1), netns);
}

// A file below the directory, as the text says: whoever may write there decides what is loaded.
bool is_below(const std::string& path, const std::string& directory) {
  return path.starts_with(directory + "/") && !path.contains("/../") && !path.ends_with("/..") &&
         !path.contains("/./");
}

std::string refusal(std::string_view what, const char* key, const std::vector<std::string>& rules) {
  return fmt::format(
      "{} is not allowed: the key allow.{} of netperfd's configuration allows {}; other values are for root, "
      "and for scenarios that root installed",
      what, key, rules.empty() ? "nothing" : fmt::format("{}", fmt::join(rules, ", ")));
}

// Those that set others too, which nobody could bring back.
bool sets_others(const SettingTarget& target) {
  return target.kind == SettingKind::sysctl &&
         (target.name == "net.ipv4.ip_forward" || target.name.ends_with(".forwarding") ||
          target.name.ends_with(".disable_ipv6"));
}

}  // namespace

std::string SettingTarget::place() const {
  return fmt::format("{}{}{}", device.empty() ? name : device, netns.empty() ? "" : "@", netns);
}

bool begins_setting_target(std::string_view text) {
  return row_of(text.substr(0, text.find('.'))) != nullptr;
}

std::optional<SettingTarget> parse_setting_target(std::string_view text) {
  const auto dot = text.find('.');
  const KindRow* row = row_of(text.substr(0, dot));
  if (row == nullptr || (row->shape == Shape::alone) != (dot == std::string_view::npos)) return std::nullopt;
  SettingTarget target;
  target.kind = row->kind;
  if (row->shape == Shape::alone) return target;
  std::string_view rest = text.substr(dot + 1);
  if (const auto at = rest.rfind('@'); row->has_netns && at != std::string_view::npos) {
    target.netns = rest.substr(at + 1);
    rest = rest.substr(0, at);
    if (!is_word(target.netns, "._-+:", kMaxName)) return std::nullopt;
  }
  if (row->shape == Shape::name_of_device) {
    const auto end = rest.find('.');
    if (end == std::string_view::npos) return std::nullopt;
    target.name = rest.substr(0, end);
    rest = rest.substr(end + 1);
    if (!is_plain_name(target.name, kMaxName)) return std::nullopt;
  }
  std::string& last = row->shape == Shape::name ? target.name : target.device;
  last = rest;
  if (!is_plain_name(last, row->shape == Shape::name ? kMaxName : kMaxDevice)) return std::nullopt;
  // Others are the host's, also if they are written in a namespace.
  if (row->kind == SettingKind::sysctl && !target.netns.empty() && !target.name.starts_with("net."))
    return std::nullopt;
  if (row->kind == SettingKind::module) std::ranges::replace(target.name, '-', '_');  // as the kernel does
  if (row->kind == SettingKind::irq && !is_digits(target.name)) return std::nullopt;
  return target;
}

std::string wrong_setting(const MachineSetting& setting) {
  const auto target = parse_setting_target(setting.target);
  if (!target) {
    return fmt::format(
        "{} is no setting; expected is sysctl.NAME, mtu.DEVICE, qdisc.DEVICE, offload.FEATURE.DEVICE, "
        "coalesce.PARAMETER.DEVICE, ring.PARAMETER.DEVICE, queues.PARAMETER.DEVICE, rps.DEVICE, xps.DEVICE, "
        "irq.NUMBER, governor or module.NAME, where names and devices may end in @NETNS",
        in_quotes(setting.target));
  }
  if (sets_others(*target)) {
    return fmt::format("{} changes more than itself, which could not be brought back; use a `switch`",
                       in_quotes(setting.target));
  }
  if (setting.value.empty() || setting.value.size() > kMaxValue || !is_printable(setting.value)) {
    return fmt::format("{} is not a text of one line, of at most {} bytes", in_quotes(setting.value),
                       kMaxValue);
  }
  if (fits_value(target->kind, setting.value)) return {};
  return fmt::format("{} is not {}", in_quotes(setting.value), expected_of(target->kind));
}

bool changes_facts(const SettingTarget& target, std::string_view group) {
  switch (target.kind) {
    case SettingKind::sysctl:
      return group == "sysctl:" + target.name;
    case SettingKind::module:
      return group == "module:" + target.name;
    case SettingKind::qdisc:
      return group == "qdisc";
    case SettingKind::rps:
      return group == "rps";
    case SettingKind::xps:
      return group == "xps";
    case SettingKind::irq:
      return group == "irq";
    case SettingKind::governor:
      return group == "cpu";
    case SettingKind::queues:  // a queue has a qdisc, masks and an interrupt
      return group == "nic" || group == "qdisc" || group == "rps" || group == "xps" || group == "irq";
    case SettingKind::mtu:
    case SettingKind::offload:
    case SettingKind::coalesce:
    case SettingKind::ring:
      break;
  }
  return group == "nic";
}

std::string not_allowed(const MachineSetting& setting, const AllowedSettings& allowed) {
  const auto target = parse_setting_target(setting.target);
  if (!target) return wrong_setting(setting);
  const auto any = [](const std::vector<std::string>& rules, auto fits_rule) {
    return std::ranges::any_of(rules, fits_rule);
  };
  switch (target->kind) {
    case SettingKind::governor:
      return allowed.governor ? "" : "is not allowed by the key allow.governor of netperfd's configuration";
    case SettingKind::irq:
      return any(allowed.irqs, [&](const std::string& rule) { return fits(rule, target->name); })
                 ? ""
                 : refusal("the interrupt " + target->name, "irqs", allowed.irqs);
    case SettingKind::module:
      return any(allowed.modules, [&](const std::string& rule) { return is_below(setting.value, rule); })
                 ? ""
                 : refusal("the module " + setting.value, "modules", allowed.modules);
    case SettingKind::sysctl:
      return any(allowed.sysctls,
                 [&](const std::string& rule) { return fits_place(rule, target->name, target->netns); })
                 ? ""
                 : refusal("the sysctl " + target->place(), "sysctls", allowed.sysctls);
    default:
      return any(allowed.devices,
                 [&](const std::string& rule) { return fits_place(rule, target->device, target->netns); })
                 ? ""
                 : refusal("the device " + target->place(), "devices", allowed.devices);
  }
}

std::string describe(const AllowedSettings& allowed) {
  const auto part = [](const std::vector<std::string>& rules, const char* one, const char* many) {
    return rules.empty() ? fmt::format("no {}", one) : fmt::format("{} {}", many, fmt::join(rules, ", "));
  };
  return fmt::format(
      "{}; {}; {}; {}; {}", part(allowed.devices, "device", "devices"),
      part(allowed.sysctls, "sysctl", "sysctls"), part(allowed.modules, "module", "modules in"),
      part(allowed.irqs, "interrupt", "interrupts"), allowed.governor ? "the governor" : "no governor");
}

}  // namespace netperfd
