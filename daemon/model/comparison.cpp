// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/model/comparison.hpp"

namespace netperfd {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::improvement:
      return "improvement";
    case Verdict::regression:
      return "regression";
    case Verdict::equivalent:
      return "equivalent";
    case Verdict::trade_off:
      return "trade-off";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::too_few:
      return "too few";
    case Verdict::refused:
      return "refused";
  }
  return "";
}

std::string_view to_string(Pairing pairing) {
  switch (pairing) {
    case Pairing::blocks:
      return "blocks";
    case Pairing::runs:
      return "runs";
    case Pairing::boots:
      return "boots";
    case Pairing::builds_of_blocks:
      return "builds of blocks";
    case Pairing::boots_of_blocks:
      return "boots of blocks";
  }
  return "";
}

std::string_view to_string(Remedy remedy) {
  switch (remedy) {
    case Remedy::declare:
      return "declare";
    case Remedy::despite:
      return "despite";
    case Remedy::none:
      return "none";
  }
  return "";
}

std::string_view to_string(Level level) {
  return level == Level::boot ? "boot" : "build";
}

std::string_view to_string(FunctionMatch match) {
  switch (match) {
    case FunctionMatch::same:
      return "same";
    case FunctionMatch::renamed:
      return "renamed";
    case FunctionMatch::only_a:
      return "only A";
    case FunctionMatch::only_b:
      return "only B";
  }
  return "";
}

std::string_view to_string(FunctionFigure figure) {
  switch (figure) {
    case FunctionFigure::cost:
      return "cost";
    case FunctionFigure::call_time:
      return "call time";
    case FunctionFigure::calls:
      return "calls";
  }
  return "";
}

std::string_view to_string(Witness witness) {
  switch (witness) {
    case Witness::agrees:
      return "agrees";
    case Witness::disagrees:
      return "disagrees";
    case Witness::compatible:
      return "compatible";
    case Witness::unseen:
      return "unseen";
  }
  return "";
}

}  // namespace netperfd
