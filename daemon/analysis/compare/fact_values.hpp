// SPDX-License-Identifier: GPL-2.0-or-later
// Which values of the environment's facts the runs of a side have, and how many runs have each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/analysis/compare/comparison.hpp"

namespace netperfd::analysis {

using FactKey = std::pair<std::string, std::string>;  // group, key
using Values = std::map<std::string, std::uint32_t>;  // and how many runs have each
using BlockKey = std::pair<JobId, std::uint32_t>;

// "nic" of the group "nic:eth0".
[[nodiscard]] inline std::string_view family_of(std::string_view group) {
  return group.substr(0, group.find(':'));
}

// A side of hundreds of runs has few different fingerprints, so each is looked at once. The runs must outlive
// it.
class FactValues {
 public:
  // `trace_of_traced`: take the trace facts from the traced runs only, however many plain runs there are.
  FactValues(const std::vector<ComparedRun>& runs, bool trace_of_traced);

  [[nodiscard]] bool has_fingerprint() const { return !alike_.empty(); }
  // Whether each run with a fingerprint belongs to a block.
  [[nodiscard]] bool in_blocks() const { return in_blocks_; }
  void add_keys(std::set<FactKey>& keys) const;

  // Empty if no run knows it: its fingerprint lacks the fact and does not know the whole group.
  [[nodiscard]] Values values(const FactKey& key) const;
  [[nodiscard]] std::map<BlockKey, Values> values_by_block(const FactKey& key) const;
  // From now on, the values of `key` are what `shorter` makes of them. Fingerprints whose value becomes empty
  // lack the fact.
  void shorten(const FactKey& key, const std::function<std::string(std::string_view)>& shorter);

  [[nodiscard]] bool has_document() const;
  // From now on, an option of iperf3 has the value that an imported document would have of it: kAbsentValue
  // for its default, a number for a DSCP, and the congestion control that was used.
  void tell_options_as_documents();
  // Whether a run of netperfd did not give iperf3 the option.
  [[nodiscard]] bool leaves_to_default(const FactKey& key) const;
  // Whether an imported document of iperf3 has a value that iperf3 or the kernel may have chosen. A run of
  // netperfd has the fact only if it gave the option, and else the default, which nobody recorded.
  [[nodiscard]] bool tells_a_default(const FactKey& key) const;
  // From now on, fingerprints that lack `key` do not know it.
  void take_lack_as_unknown(const FactKey& key) { open_.insert(key); }

 private:
  // Runs whose fingerprints are the same, but for the boot.
  struct Alike {
    const Fingerprint* fingerprint = nullptr;
    std::string_view congestion = {};
    bool traced = false;
    std::uint32_t runs = 0;
    std::map<BlockKey, std::uint32_t> blocks = {};  // and how many of the runs each has
  };
  // By the number of the Alike. The values are those of the fingerprints, or of `shortened_`.
  using ValueOf = std::map<std::size_t, std::string_view>;

  // Of the Alike of that number, where `of_key` are the values that the fingerprints have.
  [[nodiscard]] std::optional<std::string_view> value_of(std::size_t alike, const FactKey& key,
                                                         const ValueOf* of_key) const;
  [[nodiscard]] const ValueOf* find(const FactKey& key) const;
  [[nodiscard]] const ValueOf* protocols_of_iperf3() const;
  void set(std::string_view& value, std::string text);

  std::vector<Alike> alike_;
  std::map<FactKey, ValueOf> facts_;
  std::set<FactKey> open_;
  std::vector<std::unique_ptr<std::string>> shortened_;
  bool trace_of_traced_;
  bool in_blocks_ = true;
};

}  // namespace netperfd::analysis
