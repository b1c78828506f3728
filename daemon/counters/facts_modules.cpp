// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "daemon/base/fd.hpp"
#include "daemon/counters/machine_facts.hpp"

namespace netperfd::counters {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

// Name prefixes of modules that handle packets without a device of their own on the path.
constexpr std::array<std::string_view, 14> kNetworkPrefixes{"tcp_", "sch_",         "act_", "cls_",    "em_",
                                                            "nf_",  "nft_",         "xt_",  "ip_",     "ip6",
                                                            "ipt",  "br_netfilter", "tls",  "x_tables"};

bool is_of_network(std::string_view module) {
  // It never handles packets, and netperfd's own sampling of connections makes the kernel load it.
  if (module == "tcp_diag") return false;
  return std::ranges::any_of(kNetworkPrefixes,
                             [&](std::string_view prefix) { return module.starts_with(prefix); });
}

// The lines of /proc/modules: name, size, number of users, users each followed by a comma, state, address.
void add_loaded(const std::string& text, std::set<std::string>& modules) {
  const std::set<std::string> wanted = modules;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::string size;
    std::string count;
    std::string users;
    words >> name >> size >> count >> users;
    bool used = false;
    for (std::size_t at = 0; at < users.size();) {
      const std::size_t end = std::min(users.find(',', at), users.size());
      used = used || wanted.contains(users.substr(at, end - at));
      at = end + 1;
    }
    if (used || is_of_network(name)) modules.insert(name);
  }
}

void add_module(const std::string& sys, const std::string& name, FactSheet& sheet) {
  const std::string group = "module:" + name;
  const std::string directory = fmt::format("{}/module/{}", sys, name);
  // The kernel reports a state only for a module that was loaded.
  const auto state = read_text(directory + "/initstate");
  sheet.add(group, "state", state ? "loaded" : "built in, or none");
  if (state) {
    const auto notes = read_file(directory + "/notes/.note.gnu.build-id", kMostBytes);
    const std::string id = notes ? build_id_of_notes(*notes) : std::string();
    if (!id.empty()) {
      sheet.add(group, "build-id", id);
    } else {
      // The size may differ between two builds; used if nothing better tells them apart.
      sheet.add_file(group, "size", directory + "/coresize");
    }
    sheet.add_file(group, "srcversion", directory + "/srcversion");
    sheet.add_file(group, "version", directory + "/version");
  }
  const std::string parameters = directory + "/parameters";
  // Some parameters may not be read by anybody; this is not worth reporting.
  for (const std::string& parameter : names_in(parameters)) {
    if (const auto value = read_text(parameters + "/" + parameter)) {
      sheet.add(group, "parameter " + parameter, *value);
    }
  }
}

}  // namespace

void add_module_facts(const SystemRoots& roots, const std::set<std::string>& wanted, FactSheet& sheet) {
  std::set<std::string> modules = wanted;
  const std::string list = roots.proc + "/modules";
  // A kernel without support for modules has no such file: every module is built in.
  if (::access(list.c_str(), F_OK) == 0) {
    if (const auto loaded = read_file(list, kMostBytes)) {
      add_loaded(*loaded, modules);
    } else {
      sheet.add_unknown(fmt::format("module: {}", loaded.error().message));
    }
  }
  for (const std::string& module : modules) add_module(roots.sys, module, sheet);
}

}  // namespace netperfd::counters
