// SPDX-License-Identifier: GPL-2.0-or-later
// What an object says of itself in its introspection.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace netperfd::bus_fuzz {

struct Method {
  std::string path, interface, name;
  std::string signature;  // of its arguments
};

struct Signal {
  std::string path, interface, name, signature;
};

struct Property {
  std::string path, interface, name, type;
};

struct Described {
  std::vector<Method> methods;
  std::vector<Property> properties;
  std::vector<Signal> signals;
};

// Reads the elements interface, method, signal, arg and property of the XML of the object at `path`; throws
// for a name outside of an interface.
[[nodiscard]] Described read_introspection(std::string_view xml, const std::string& path);

}  // namespace netperfd::bus_fuzz
