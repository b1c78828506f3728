// SPDX-License-Identifier: GPL-2.0-or-later
// What takes the place of names, addresses and paths in a redacted bundle.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace netperfd::bundle {

// The same name has the same placeholder everywhere: host-1, netns-2.
class Names {
 public:
  // The placeholder of a whole name, which texts may have too from now on. An empty name stays empty.
  [[nodiscard]] std::string replace(std::string_view kind, const std::string& name);
  // A text with the placeholders of all names that it has as words, and of IP and MAC addresses and absolute
  // paths.
  [[nodiscard]] std::string replace_all(std::string_view text);

 private:
  [[nodiscard]] std::string word_of(std::string_view kind, const std::string& name);

  std::map<std::string, std::string, std::less<>> words_;  // name -> placeholder
  std::map<std::string, unsigned, std::less<>> counts_;    // of each kind
};

}  // namespace netperfd::bundle
