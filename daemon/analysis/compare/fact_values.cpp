// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/compare/fact_values.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_map>

#include "daemon/model/place_check.hpp"

namespace netperfd::analysis {
namespace {

struct Hash {
  std::size_t operator()(const ComparedRun* run) const {
    constexpr std::size_t kOdd = 0x9E3779B97F4A7C15U;
    std::size_t hash = run->trace ? 1 : 0;
    const auto add = [&hash](const std::string& text) {
      hash = (hash ^ std::hash<std::string>{}(text)) * kOdd;
    };
    for (const Fact& fact : run->fingerprint->facts) {
      add(fact.group);
      add(fact.key);
      add(fact.value);
    }
    for (const std::string& clause : run->fingerprint->unknown) add(clause);
    add(run->congestion);
    return hash;
  }
};

struct AreAlike {
  bool operator()(const ComparedRun* a, const ComparedRun* b) const {
    return a->trace.has_value() == b->trace.has_value() && a->fingerprint->facts == b->fingerprint->facts &&
           a->fingerprint->unknown == b->fingerprint->unknown && a->congestion == b->congestion;
  }
};

bool is_about(std::string_view clause, std::string_view group) {
  return clause.starts_with(group) && clause.substr(group.size()).starts_with(": ");
}

bool is_of_document(const Fingerprint& fingerprint) {
  return std::ranges::find(fingerprint.unknown, kAllElse) != fingerprint.unknown.end();
}

// Equal values are equal texts then. The defaults are those of fingerprint_of_document().
std::string as_documents_tell(std::string_view option, std::string_view value, std::string_view protocol) {
  if (option == "dscp") {
    // iperf3 takes these as the whole byte.
    constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
        {"lowdelay", "4"}, {"throughput", "2"}, {"reliability", "1"}};
    const auto* const type =
        std::ranges::find(kTypes, value, &std::pair<std::string_view, std::string_view>::first);
    if (type != std::end(kTypes)) return std::string(type->second);
    const auto number = dscp_of(std::string(value));
    if (!number) return std::string(value);
    return *number == 0 ? std::string(kAbsentValue) : std::to_string(*number);
  }
  const bool is_default = option == "bitrate" ? value == (protocol == "udp" ? "1048576" : "0")
                                              : protocol == "tcp" && value == "131072";
  return std::string(is_default ? kAbsentValue : value);
}

// The default length of TCP is the same everywhere: documents and runs of netperfd lack it alike.
bool has_unknown_default(std::string_view key, const Fingerprint& fingerprint) {
  const bool tcp = std::ranges::find(fingerprint.facts, Fact{std::string(kIperf3Facts), "protocol", "tcp"}) !=
                   fingerprint.facts.end();
  return key == "congestion" || key.find('.') != std::string_view::npos || (key == "length" && !tcp);
}

// A clause of Fingerprint::unknown begins with the group or its family, or covers all groups.
bool knows_all_of(const Fingerprint& fingerprint, std::string_view group) {
  return std::ranges::none_of(fingerprint.unknown, [group](std::string_view clause) {
    return clause == kAllElse || is_about(clause, group) || is_about(clause, family_of(group));
  });
}

}  // namespace

FactValues::FactValues(const std::vector<ComparedRun>& runs, bool trace_of_traced)
    : trace_of_traced_(trace_of_traced) {
  std::unordered_map<const ComparedRun*, std::size_t, Hash, AreAlike> known;
  for (const ComparedRun& run : runs) {
    if (!run.fingerprint) continue;
    const auto [found, is_new] = known.emplace(&run, alike_.size());
    if (is_new) {
      alike_.push_back(
          {.fingerprint = &*run.fingerprint, .congestion = run.congestion, .traced = run.trace.has_value()});
      for (const Fact& fact : run.fingerprint->facts)
        facts_[{fact.group, fact.key}][found->second] = fact.value;
    }
    Alike& alike = alike_[found->second];
    ++alike.runs;
    ++alike.blocks[{run.job, run.block}];
    in_blocks_ = in_blocks_ && run.block != 0;
  }
}

void FactValues::shorten(const FactKey& key, const std::function<std::string(std::string_view)>& shorter) {
  const auto found = facts_.find(key);
  if (found == facts_.end()) return;
  for (auto& [number, value] : found->second) {
    set(value, shorter(value));
  }
  std::erase_if(found->second, [](const auto& each) { return each.second.empty(); });
}

void FactValues::set(std::string_view& value, std::string text) {
  shortened_.push_back(std::make_unique<std::string>(std::move(text)));
  value = *shortened_.back();
}

bool FactValues::has_document() const {
  return std::ranges::any_of(alike_, [](const Alike& alike) { return is_of_document(*alike.fingerprint); });
}

void FactValues::tell_options_as_documents() {
  for (std::size_t i = 0; i < alike_.size(); ++i) {
    if (alike_[i].congestion.empty() || is_of_document(*alike_[i].fingerprint)) continue;
    facts_[{std::string(kIperf3Facts), "congestion"}].try_emplace(i, alike_[i].congestion);
  }
  const ValueOf* const protocols = protocols_of_iperf3();
  if (protocols == nullptr) return;
  for (const char* option : {"bitrate", "dscp", "length"}) {
    const auto found = facts_.find({std::string(kIperf3Facts), option});
    if (found == facts_.end()) continue;
    for (auto& [number, value] : found->second) {
      const auto protocol = protocols->find(number);
      if (protocol != protocols->end()) set(value, as_documents_tell(option, value, protocol->second));
    }
  }
}

bool FactValues::leaves_to_default(const FactKey& key) const {
  const ValueOf* const of_key = find(key);
  const ValueOf* const protocols = protocols_of_iperf3();
  if (key.first != kIperf3Facts || protocols == nullptr) return false;
  return std::ranges::any_of(*protocols, [&](const auto& each) {
    return !is_of_document(*alike_[each.first].fingerprint) &&
           (of_key == nullptr || !of_key->contains(each.first));
  });
}

bool FactValues::tells_a_default(const FactKey& key) const {
  const ValueOf* const of_key = key.first == kIperf3Facts ? find(key) : nullptr;
  return of_key != nullptr && std::ranges::any_of(*of_key, [&](const auto& each) {
           const Fingerprint& fingerprint = *alike_[each.first].fingerprint;
           return each.second != kAbsentValue && is_of_document(fingerprint) &&
                  has_unknown_default(key.second, fingerprint);
         });
}

void FactValues::add_keys(std::set<FactKey>& keys) const {
  for (const auto& [key, values] : facts_) keys.insert(key);
}

const FactValues::ValueOf* FactValues::protocols_of_iperf3() const {
  return find({std::string(kIperf3Facts), "protocol"});
}

const FactValues::ValueOf* FactValues::find(const FactKey& key) const {
  const auto found = facts_.find(key);
  return found == facts_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> FactValues::value_of(std::size_t alike, const FactKey& key,
                                                     const ValueOf* of_key) const {
  if (trace_of_traced_ && key.first == kTraceFacts && !alike_[alike].traced) return std::nullopt;
  if (of_key != nullptr) {
    if (const auto value = of_key->find(alike); value != of_key->end()) return value->second;
  }
  if (open_.contains(key) || !knows_all_of(*alike_[alike].fingerprint, key.first)) return std::nullopt;
  return kAbsentValue;
}

Values FactValues::values(const FactKey& key) const {
  const ValueOf* const of_key = find(key);
  Values values;
  for (std::size_t i = 0; i < alike_.size(); ++i) {
    if (const auto value = value_of(i, key, of_key)) values[std::string(*value)] += alike_[i].runs;
  }
  return values;
}

std::map<BlockKey, Values> FactValues::values_by_block(const FactKey& key) const {
  const ValueOf* const of_key = find(key);
  std::map<BlockKey, Values> blocks;
  for (std::size_t i = 0; i < alike_.size(); ++i) {
    const auto value = value_of(i, key, of_key);
    if (!value) continue;
    for (const auto& [block, runs] : alike_[i].blocks) blocks[block][std::string(*value)] += runs;
  }
  return blocks;
}

}  // namespace netperfd::analysis
