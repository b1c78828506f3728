// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/analysis/calls/function_table.hpp"

#include <algorithm>
#include <bit>

namespace netperfd::analysis {
namespace {

constexpr std::size_t kFirstFunctionSlots = 256;
constexpr std::uint32_t kFree = ~std::uint32_t{0};

}  // namespace

FunctionTable::FunctionTable(std::size_t most_functions, std::size_t most_slices)
    : most_functions_(std::max<std::size_t>(most_functions, 1)),
      most_slices_(std::max<std::size_t>(most_slices, 2)),
      slots_(kFirstFunctionSlots, kFree) {}

std::size_t FunctionTable::slot_of(std::uint64_t address) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = (address * 0x9E3779B97F4A7C15U) >> (64 - std::countr_zero(slots_.size()));
  while (slots_[slot] != kFree && functions_[slots_[slot]].address != address) slot = (slot + 1) & mask;
  return slot;
}

std::uint32_t FunctionTable::find_or_make(std::uint64_t address) {
  if (const std::uint32_t index = slots_[slot_of(address)]; index != kFree) return index;
  // One place is reserved for all functions that find no room of their own.
  if (functions_.size() + 1 < most_functions_ || (address == 0 && functions_.size() < most_functions_)) {
    return make(address);
  }
  has_others_ = true;
  const std::uint32_t others = slots_[slot_of(0)];
  return others != kFree ? others : make(0);
}

std::uint32_t FunctionTable::make(std::uint64_t address) {
  const auto index = static_cast<std::uint32_t>(functions_.size());
  functions_.emplace_back().address = address;
  if (functions_.size() * 2 > slots_.size()) {
    slots_.assign(slots_.size() * 2, kFree);
    for (std::uint32_t each = 0; each < index; ++each) slots_[slot_of(functions_[each].address)] = each;
  }
  slots_[slot_of(address)] = index;
  return index;
}

// Doubles the slice width by merging pairs of slices, until the moment lies within the table.
std::size_t FunctionTable::widen_slices(std::uint64_t since_release) {
  while (since_release >> slice_shift_ >= most_slices_) {
    ++slice_shift_;
    for (FunctionCount& function : functions_) {
      auto& slices = function.slices;
      for (std::size_t slice = 1; slice < slices.size(); ++slice) {
        const FunctionCount::Slice from = slices[slice];
        if (slice % 2 == 0) {
          slices[slice / 2] = from;
        } else {
          slices[slice / 2].hits += from.hits;
          slices[slice / 2].self_ns += from.self_ns;
        }
      }
      slices.resize((slices.size() + 1) / 2);
    }
  }
  return static_cast<std::size_t>(since_release >> slice_shift_);
}

}  // namespace netperfd::analysis
