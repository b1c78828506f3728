// SPDX-License-Identifier: GPL-2.0-or-later
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <string>

#include "client/flame/embedded.hpp"
#include "client/report/embedded.hpp"
#include "client/report/parts.hpp"

namespace netperfctl::report {

// Base64 of the bytes.
std::string policy_hash(std::string_view hexadecimal) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kThree = 6;  // digits of three bytes, which are four of Base64
  std::string text = "sha256-";
  for (std::size_t i = 0; i < hexadecimal.size(); i += kThree) {
    std::string part{hexadecimal.substr(i, kThree)};
    const std::size_t missing = (kThree - part.size()) / 2;
    part.resize(kThree, '0');
    std::uint32_t bits = 0;
    std::from_chars(part.data(), part.data() + part.size(), bits, 16);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += digit + missing < 4 ? kDigits[(bits >> (18 - 6 * digit)) & 63U] : '=';
  }
  return text;
}

std::string content_security_policy() {
  return fmt::format(
      "default-src 'none'; script-src '{}' '{}'; style-src '{}' '{}'; base-uri 'none'; form-action 'none'",
      policy_hash(flame::embedded_script_sha256()), policy_hash(embedded_script_sha256()),
      policy_hash(flame::embedded_style_sha256()), policy_hash(embedded_style_sha256()));
}

}  // namespace netperfctl::report
