// SPDX-License-Identifier: GPL-2.0-or-later
// Facts about queueing disciplines in which older versions recorded a digest of the options,
// "pfifo options 2259d71c", where newer ones have words, "pfifo limit 7p". Both may mean the same.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace netperfd::analysis {

// Kinds of queueing disciplines in values of facts, by what is recorded of their options.
struct OptionKinds {
  std::set<std::string, std::less<>> digested, in_words;

  // Of a value such as "1 of fq_codel limit 10240p ecn 1, 2 of pfifo options 2259d71c".
  void add(std::string_view value);
  // Those whose options cannot be compared.
  [[nodiscard]] std::set<std::string, std::less<>> both() const;
};

// "1 of fq_codel, 2 of pfifo": the options of these kinds are left out.
[[nodiscard]] std::string without_options(std::string_view value,
                                          const std::set<std::string, std::less<>>& kinds);

}  // namespace netperfd::analysis
