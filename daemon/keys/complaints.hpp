// SPDX-License-Identifier: GPL-2.0-or-later
// Gathers all errors of one YAML text, so that its author sees them all at once.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/model/wording.hpp"  // in_quotes() and nearest(), for the code that complains

namespace netperfd::keys {

// Position of a key or value: in the text, or in an option that replaced a part of it.
struct Place {
  int line = 1;  // from 1, as is column; both meaningless if option is set
  int column = 1;
  std::string option;  // "--set workload.iperf3.streams", "--label"; empty: in the text
};

class Complaints {
 public:
  // `origin` is what messages call the text: its path, or a word if the text is not a file.
  explicit Complaints(std::string origin);

  // `key` is a full path such as workload.iperf3.streams or, in a list, trace.events[0].name; empty for the
  // text as a whole.
  void add(const Place& place, std::string key, std::string message);
  // Suppresses complaints about `key` that would only follow from another one.
  void silence(std::string key) { silenced_.push_back(std::move(key)); }
  // Whether `key`, or a mapping or list above it, has a complaint or is silenced.
  [[nodiscard]] bool concern(std::string_view key) const;

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  // An invalid_argument with one line for each complaint, in the order of the text, options last.
  [[nodiscard]] Error to_error() const;

 private:
  struct Row {
    Place place;
    std::string key;
    std::string message;
  };
  [[nodiscard]] std::string line(const Row& row) const;

  std::string origin_;
  std::vector<Row> rows_;
  std::vector<std::string> silenced_;
};

}  // namespace netperfd::keys
