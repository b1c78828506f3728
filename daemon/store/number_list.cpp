// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/store/number_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <concepts>
#include <iterator>
#include <limits>
#include <system_error>
#include <utility>

#include "daemon/analysis/calls/histogram.hpp"

namespace netperfd::store {
namespace {

[[nodiscard]] bool append(std::string& text, std::uint64_t number) {
  char digits[20];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number).ptr;
  text.append(std::begin(digits), end);
  return std::in_range<std::int64_t>(number);
}

std::unexpected<Error> too_large(std::uint64_t number) {
  return fail(ErrorKind::invalid_argument,
              fmt::format("{} is more than the database can hold (63 bits)", number));
}

// Reads on from the current position. After false, the position is undefined.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool take(char expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  template <std::unsigned_integral Number>
  bool take_number(Number& number) {
    const auto [stop, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc{} || !std::in_range<std::int64_t>(number)) return false;
    const auto digits = static_cast<std::size_t>(stop - rest_.data());
    if (digits > 1 && rest_.front() == '0') return false;
    rest_.remove_prefix(digits);
    return true;
  }
  // `take_item` reads one item of the array.
  template <class TakeItem>
  bool take_array(TakeItem take_item) {
    if (!take('[')) return false;
    if (take(']')) return rest_.empty();
    do {
      if (!take_item()) return false;
    } while (take(','));
    return take(']') && rest_.empty();
  }

 private:
  std::string_view rest_;
};

std::unexpected<Error> damaged() {
  return fail(ErrorKind::io, "a list of numbers is damaged");
}

}  // namespace

Status write_numbers(const std::vector<std::uint64_t>& numbers, std::string& text) {
  text = '[';
  for (const std::uint64_t number : numbers) {
    if (text.size() > 1) text += ',';
    if (!append(text, number)) return too_large(number);
  }
  text += ']';
  return {};
}

Status write_pairs(const NumberPairs& pairs, std::string& text) {
  text = '[';
  for (const auto& [first, second] : pairs) {
    text += text.size() > 1 ? ",[" : "[";
    (void)append(text, first);  // 32 bits
    text += ',';
    if (!append(text, second)) return too_large(second);
    text += ']';
  }
  text += ']';
  return {};
}

Result<std::vector<std::uint64_t>> read_numbers(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  Scanner scanner{text};
  if (!scanner.take_array([&] { return scanner.take_number(numbers.emplace_back()); })) return damaged();
  return numbers;
}

Result<NumberPairs> read_pairs(std::string_view text) {
  NumberPairs pairs;
  Scanner scanner{text};
  const auto take_pair = [&] {
    auto& [first, second] = pairs.emplace_back();
    return scanner.take('[') && scanner.take_number(first) && scanner.take(',') &&
           scanner.take_number(second) && scanner.take(']');
  };
  if (!scanner.take_array(take_pair)) return damaged();
  return pairs;
}

Result<NumberPairs> read_buckets(std::string_view text) {
  auto pairs = read_pairs(text);
  if (!pairs) return pairs;
  const std::uint32_t last = analysis::bucket_of(std::numeric_limits<std::uint64_t>::max());
  std::uint32_t least = 0;
  for (const auto& [bucket, count] : *pairs) {
    if (bucket < least || bucket > last || count == 0) return damaged();
    least = bucket + 1;
  }
  return pairs;
}

}  // namespace netperfd::store
