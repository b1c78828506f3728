// SPDX-License-Identifier: GPL-2.0-or-later
// Any text as an event's filter, against a second reader that follows kernel/trace/trace_events_filter.c: no
// filter that netperfd accepts lets the kernel compare an address with anything but 0, or a number as large
// as addresses are, and none that a member may use compares the name of a program. Up to the first NUL it is
// the filter; what follows are patterns of allowed events.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/model/event_patterns.hpp"
#include "daemon/trace/ring/event_format.hpp"
#include "daemon/trace/tracefs/filter_check.hpp"
#include "tests/fuzz/require.hpp"

namespace trace = netperfd::trace;
using netperfd::fuzz::require;

namespace {

constexpr std::string_view kFormat = R"(name: fuzzed
ID: 9
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:void * skb;	offset:8;	size:8;	signed:0;
	field:unsigned long at;	offset:16;	size:8;	signed:0;
	field:unsigned long raw;	offset:24;	size:8;	signed:0;
	field:u64 n;	offset:32;	size:8;	signed:0;
	field:int err;	offset:40;	size:4;	signed:1;
	field:char comm[16];	offset:44;	size:16;	signed:0;
	field:__data_loc char[] dev;	offset:60;	size:4;	signed:0;
	field:u32 words[4];	offset:64;	size:16;	signed:0;

print fmt: "skb=%p at=%pS raw=%lx n=%llu err=%d comm=%s dev=%s", REC->skb, REC->at, REC->raw, REC->n, REC->err, REC->comm, __get_str(dev)
)";

const trace::EventFormat& format() {
  static const trace::EventFormat parsed = [] {
    const auto format = trace::parse_event_format(kFormat);
    require(format && format->fields.size() == 8);
    return *format;
  }();
  return parsed;
}

// A comparison as the kernel would make it.
struct Predicate {
  std::string field, operation, value;
  bool is_text = false;
};

// Finds every predicate of a filter, as parse_pred() would read it from each place where a term may begin. It
// takes more texts than the kernel does.
class KernelReader {
 public:
  explicit KernelReader(std::string_view text) : text_(text) {}

  std::vector<Predicate> predicates() {
    std::vector<Predicate> found;
    for (at_ = 0; at_ < text_.size();) {
      const char c = text_[at_];
      const bool between = std::isspace(static_cast<unsigned char>(c)) != 0 || c == '(' || c == ')' ||
                           c == '!' || c == '&' || c == '|';
      if (between) {
        ++at_;
        continue;
      }
      auto one = predicate();
      if (!one) break;  // the kernel refuses the whole filter
      found.push_back(std::move(*one));
    }
    return found;
  }

 private:
  [[nodiscard]] char current() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_spaces() {
    while (std::isspace(static_cast<unsigned char>(current())) != 0) ++at_;
  }
  template <class Fits>
  std::string take_while(Fits fits) {
    const std::size_t begin = at_;
    while (fits(current())) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  static bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

  std::optional<Predicate> predicate() {
    Predicate made;
    made.field = take_while([](char c) { return is_alnum(c) || c == '_'; });
    if (made.field.empty()) return std::nullopt;
    skip_spaces();
    // In the order of the kernel's table.
    for (const std::string_view operation : {"~", "!=", "==", "<=", "<", ">=", ">", "&"}) {
      if (made.operation.empty() && text_.substr(at_).starts_with(operation)) made.operation = operation;
    }
    if (made.operation.empty()) return std::nullopt;
    at_ += made.operation.size();
    skip_spaces();
    const char quote = current();
    if (quote == '"' || quote == '\'') {
      made.is_text = true;
      const std::size_t end = text_.find(quote, at_ + 1);
      if (end == std::string_view::npos) return std::nullopt;
      made.value = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
      return made;
    }
    if (text_.substr(at_).starts_with("CPUS{")) {
      made.is_text = true;
      at_ = std::min(text_.find('}', at_), text_.size() - 1) + 1;
      return made;
    }
    if (quote != '-' && std::isdigit(static_cast<unsigned char>(quote)) == 0) return std::nullopt;
    if (quote == '-') ++at_;
    made.value = (quote == '-' ? "-" : "") + take_while(is_alnum);
    return made;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool may_hold_address(std::string_view field) {
  return field == "skb" || field == "at" || field == "raw";
}

bool is_name_of_program(std::string_view field) {
  return field == "comm" || field == "COMM" || field.ends_with("_comm");
}

void check_predicate(const Predicate& predicate) {
  if (may_hold_address(predicate.field)) {
    require(!predicate.is_text && (predicate.operation == "==" || predicate.operation == "!="));
    require(std::strtoull(predicate.value.c_str(), nullptr, 0) == 0);
  }
  require(predicate.field != "words");
  if (predicate.is_text) return;
  // As large as kernel addresses are, for a field that could hold one.
  const bool negative = predicate.value.starts_with('-');
  const auto magnitude = std::strtoull(predicate.value.c_str() + (negative ? 1 : 0), nullptr, 0);
  require(magnitude < (std::uint64_t{1} << 40U));
  if (predicate.field == "n") {
    require(predicate.operation != "&" && (!negative || magnitude <= 4095));
  }
}

std::vector<std::string> patterns_of(std::string_view bytes) {
  std::vector<std::string> patterns;
  while (!bytes.empty()) {
    bytes.remove_prefix(1);
    const std::size_t end = std::min(bytes.find('\0'), bytes.size());
    const std::string pattern(bytes.substr(0, end));
    if (netperfd::is_event_pattern(pattern)) patterns.push_back(pattern);
    bytes.remove_prefix(end);
  }
  return patterns;
}

// The patterns decide alike in any order, and one that takes the event back wins.
void check_patterns(std::vector<std::string> patterns, const std::string& event) {
  const bool fits = netperfd::fits_event(patterns, event);
  std::ranges::reverse(patterns);
  require(netperfd::fits_event(patterns, event) == fits);
  require(!fits || !patterns.empty());
  patterns.push_back("!" + event);
  require(!netperfd::fits_event(patterns, event));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string input = netperfd::fuzz::text_of(bytes, size);
  const std::size_t end = std::min(input.find('\0'), input.size());
  const netperfd::EventSpec event{.name = "net:fuzzed", .filter = input.substr(0, end), .stacktrace = false};
  auto patterns = patterns_of(std::string_view(input).substr(end));
  check_patterns(patterns, event.name);
  patterns.emplace_back("net:*");
  // A job's texts are printable before they are checked here.
  if (!netperfd::is_printable(event.filter)) return 0;
  const bool accepted = event.filter.empty() || trace::check_filter(event, format()).has_value();
  if (!accepted) {
    const std::string error = trace::check_filter(event, format()).error().message;
    netperfd::fuzz::require_printable_lines(error);
#ifdef NETPERFD_PLANTED_BUG
    if (error.find("CPUS{ without") != std::string::npos) netperfd::fuzz::read_too_far(error);
#endif
    return 0;
  }
  const auto predicates = KernelReader(event.filter).predicates();
  require(event.filter.empty() == predicates.empty());
  std::ranges::for_each(predicates, check_predicate);
  const bool names = std::ranges::any_of(predicates, is_name_of_program, &Predicate::field);
  if (names) require(!netperfd::why_not_allowed(event, patterns).empty());
  return 0;
}
