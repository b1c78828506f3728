// SPDX-License-Identifier: GPL-2.0-or-later
// Reads values of iperf3's document by key. Only for the files that read JSON, since it includes
// nlohmann/json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace netperfd::workload {

// A missing key or null is not an error. A value of a wrong type or an impossible size is counted and stays
// absent. A number may be written as a text, as some tools do that pass documents on.
class ValueReader {
 public:
  using Json = nlohmann::json;

  [[nodiscard]] std::optional<double> number(const Json& object, const char* key);
  // cJSON writes a large count as a decimal fraction with an exponent, so a whole double is accepted as a
  // count.
  [[nodiscard]] std::optional<std::uint64_t> count(const Json& object, const char* key);
  [[nodiscard]] std::optional<std::int64_t> integer(const Json& object, const char* key);
  [[nodiscard]] std::optional<bool> boolean(const Json& object, const char* key);  // 0 and 1 are too
  // Without blanks around it. Empty if it is long or not printable: these texts reach terminals and the bus.
  [[nodiscard]] std::string text(const Json& object, const char* key);
  // The object or array under `key`, or an empty value, which all other functions here treat as an empty
  // object.
  [[nodiscard]] const Json& part(const Json& object, const char* key);

  [[nodiscard]] std::size_t unreadable_values() const { return unreadable_; }
  [[nodiscard]] const std::string& first_unreadable() const { return first_; }

 private:
  std::nullopt_t unreadable(const char* key);

  std::size_t unreadable_ = 0;
  std::string first_;
};

}  // namespace netperfd::workload
