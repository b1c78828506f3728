// SPDX-License-Identifier: GPL-2.0-or-later
// Whole sentences that a reader of a comparison must know, the gravest first.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace netperfd::analysis {

enum class Gravity {
  verdict,  // may have made the verdict, or its sign
  weakens,  // a figure is less certain than its interval says
  told      // for the record
};

class Caveats {
 public:
  // Ignores a sentence that was added before.
  void add(Gravity gravity, const std::string& sentence);

  // Adds those of several figures, by their names: as it is what all of them have, and with the name before
  // it what others lack.
  void add_of_figures(const std::vector<std::pair<std::string, Caveats>>& figures);

  // Adds those of a figure that has no say in the verdict, as far as none of `figures` has them: with its
  // name before what does not say it.
  void add_beside(const std::vector<std::pair<std::string, Caveats>>& figures, const std::string& name,
                  const Caveats& beside);

  // The gravest first, otherwise in the order of add().
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  [[nodiscard]] bool has(const std::string& sentence) const;

  std::vector<std::pair<Gravity, std::string>> caveats_;
};

// "nic", "nic and cpu", "nic, cpu and 3 more": at most `most` of them are named. Must not be empty.
[[nodiscard]] std::string listed(const std::vector<std::string>& words, std::size_t most = 6);

// The same, with each word once.
[[nodiscard]] std::string listed(const std::set<std::string>& words, std::size_t most = 6);

}  // namespace netperfd::analysis
