// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/help/shell_words.hpp"

namespace netperfctl {

std::optional<TypedWord> typed_word(std::string_view raw) {
  TypedWord word;
  std::size_t opened = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const char c = raw[i];
    if (c == '\\' && word.quote != '\'') {
      if (i + 1 < raw.size()) word.text += raw[++i];
    } else if (c == word.quote) {
      word.quote = 0;
    } else if (word.quote == 0 && (c == '\'' || c == '"')) {
      word.quote = c;
      opened = i;
    } else {
      word.text += c;
    }
  }
  if (word.quote != 0 && opened != 0) return std::nullopt;
  return word;
}

std::string for_bash(std::string_view text, char quote) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:,.-_/@%+=";
  std::string out;
  for (const char c : text) {
    const bool ascii = static_cast<unsigned char>(c) < 0x80;
    if (quote == '\'') {
      out += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
    } else if (quote == '"' && c == '!') {
      out += "\"'!'\"";
    } else if (quote == '"') {
      if (c == '"' || c == '$' || c == '`' || c == '\\') out += '\\';
      out += c;
    } else {
      if (ascii && kPlain.find(c) == std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace netperfctl
