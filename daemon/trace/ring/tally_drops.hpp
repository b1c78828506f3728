// SPDX-License-Identifier: GPL-2.0-or-later
// Counts freed packets by reason and location.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "daemon/model/trace_record.hpp"
#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/ring/symbols.hpp"

namespace netperfd::trace {

class DropTable {
 public:
  // Keeps the first `limit` pairs of reason and location separate; the rest count as "others". `format`, of
  // skb:kfree_skb, must outlive this object; null: nothing is added.
  DropTable(std::size_t limit, const EventFormat* format);

  void add(std::span<const std::byte> record);
  // By count, then by name. If the format has no reason (before Linux 5.17), it is "unknown".
  [[nodiscard]] std::vector<DropCount> drops(const Symbols& symbols) const;

 private:
  struct Pair {
    std::uint64_t reason = 0;
    std::uint64_t location = 0;

    bool operator==(const Pair&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Pair& pair) const {
      return (pair.location * 0x9e3779b97f4a7c15 ^ pair.reason) * 0x9e3779b97f4a7c15 >> 16;
    }
  };

  std::size_t limit_;
  const FieldFormat* reason_;
  const FieldFormat* location_;
  std::unordered_map<Pair, std::uint64_t, Hash> counts_;
  std::uint64_t others_ = 0;
};

}  // namespace netperfd::trace
