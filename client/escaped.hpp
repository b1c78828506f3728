// What the daemon sent made fit for a terminal, once for a whole row, so that no renderer can forget a
// string.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "client/fields.hpp"
#include "client/text.hpp"

namespace netperfctl {

// A copy of `row` with printable() strings. Errors and flags may have several lines and keep their line
// feeds.
template <class Row>
[[nodiscard]] Row escaped(Row row) {
  each_field(row, [](std::string_view key, auto& member, const char* = "") {
    using Member = std::remove_cvref_t<decltype(member)>;
    const std::string_view keep = key == "error" || key == "message" ? "\n" : "";
    if constexpr (std::is_same_v<Member, std::string>) {
      member = printable(member, keep);
    } else if constexpr (std::is_same_v<Member, std::optional<std::string>>) {
      if (member) member = printable(*member, keep);
    } else if constexpr (std::is_same_v<Member, std::optional<std::vector<std::string>>>) {
      if (!member) return;
      for (std::string& text : *member) text = printable(text);
    }
  });
  return row;
}

template <class Row>
[[nodiscard]] std::vector<Row> escaped(std::vector<Row> rows) {
  for (Row& row : rows) row = escaped(std::move(row));
  return rows;
}

[[nodiscard]] inline RunDetails escaped(RunDetails details) {
  return {escaped(std::move(details.run)), escaped(std::move(details.sums)),
          escaped(std::move(details.flags))};
}

[[nodiscard]] inline JobDetails escaped(JobDetails details) {
  return {escaped(std::move(details.job)), escaped(std::move(details.spreads))};
}

}  // namespace netperfctl
