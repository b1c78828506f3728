// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/dbus/introspection.hpp"

#include <algorithm>
#include <stdexcept>

namespace netperfd::bus_fuzz {
namespace {

// The value of `name="..."` in the text of a tag; empty if it has none.
std::string attribute(std::string_view tag, std::string_view name) {
  const std::string begin = " " + std::string(name) + "=\"";
  const auto at = tag.find(begin);
  if (at == std::string_view::npos) return {};
  tag.remove_prefix(at + begin.size());
  return std::string(tag.substr(0, tag.find('"')));
}

}  // namespace

Described read_introspection(std::string_view xml, const std::string& path) {
  Described found;
  std::string interface;
  std::string* arguments = nullptr;  // of the method or signal that was begun
  for (auto at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    const std::string_view tag = xml.substr(at, std::min(xml.find('>', at), xml.size()) - at);
    const std::string name = attribute(tag, "name");
    if (tag.starts_with("<interface")) {
      interface = name;
    } else if (tag.starts_with("<method")) {
      if (interface.empty()) throw std::runtime_error("a method outside of an interface: " + name);
      arguments = &found.methods.emplace_back(Method{path, interface, name, {}}).signature;
    } else if (tag.starts_with("<signal")) {
      arguments = &found.signals.emplace_back(Signal{path, interface, name, {}}).signature;
    } else if (tag.starts_with("<arg") && arguments != nullptr && attribute(tag, "direction") != "out") {
      *arguments += attribute(tag, "type");
    } else if (tag.starts_with("<property")) {
      found.properties.push_back({path, interface, name, attribute(tag, "type")});
    }
  }
  return found;
}

}  // namespace netperfd::bus_fuzz
