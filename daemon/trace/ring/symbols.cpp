// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/trace/ring/symbols.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "daemon/base/fd.hpp"
#include "daemon/trace/ring/keyed_hash.hpp"

namespace netperfd::trace {
namespace {

// No function is this long: an address farther above the nearest symbol is in no known code.
constexpr std::uint64_t kLongestFunction = std::uint64_t{1} << 20;
// Three times as many as the largest kernels have; a longer text is not kallsyms.
constexpr std::size_t kMostSymbols = 2'000'000;
constexpr std::size_t kLongestName = 511;  // KSYM_NAME_LEN without its NUL

bool is_code(char type, std::string_view name) {
  if (type != 't' && type != 'T' && type != 'w' && type != 'W') return false;
  // They have type T, but no code is above them.
  return name != "_etext" && name != "_einittext";
}

struct Line {
  std::uint64_t address = 0;
  char type = 0;
  std::string_view name;
  std::string_view module;
};

// "ffffffffc0a01230 t hsr_xmit\t[hsr]"; an address of 0 if it is not such a line.
Line parse_line(std::string_view text) {
  Line line;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), line.address, 16);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc{} || text.size() < 4 || text[0] != ' ' || text[2] != ' ') return {};
  line.type = text[1];
  text.remove_prefix(3);
  const auto name_end = text.find('\t');
  line.name = text.substr(0, name_end);
  if (name_end == std::string_view::npos) return line;
  const auto open = text.find('[', name_end);
  const auto close = text.find(']', name_end);
  if (open < close && close != std::string_view::npos) line.module = text.substr(open + 1, close - open - 1);
  return line;
}

}  // namespace

Symbols Symbols::parse(std::string_view kallsyms, std::uint64_t key) {
  Symbols symbols(key);
  symbols.add_lines(kallsyms);
  symbols.put_in_order();
  return symbols;
}

// Read in pieces: the text is four times as large as the part that is kept.
Result<Symbols> Symbols::load(const std::string& path, std::uint64_t key) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail_errno("open " + path, errno);
  Symbols symbols(key);
  std::vector<char> piece(std::size_t{256} * 1024);
  std::size_t held = 0;  // bytes of an incomplete line
  while (true) {
    const auto got = ::read(file.get(), piece.data() + held, piece.size() - held);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("read " + path, errno);
    if (got == 0) break;
    const std::string_view bytes(piece.data(), held + static_cast<std::size_t>(got));
    const auto lines_end = bytes.rfind('\n') + 1;  // 0 if there is none
    symbols.add_lines(bytes.substr(0, lines_end));
    held = bytes.size() - lines_end;
    if (held == piece.size()) return fail(ErrorKind::io, "read " + path + ": a line without an end");
    std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(lines_end), bytes.end(), piece.begin());
  }
  symbols.add_lines({piece.data(), held});
  symbols.put_in_order();
  return symbols;
}

void Symbols::add_lines(std::string_view lines) {
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    add_line(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

void Symbols::add_line(std::string_view text) {
  const auto line = parse_line(text);
  if (line.address == 0 || line.name.empty() || line.name.starts_with("__pfx_")) return;
  if (symbols_.size() >= kMostSymbols || std::max(line.name.size(), line.module.size()) > kLongestName)
    return;
  if (!is_code(line.type, line.name)) {
    symbols_.push_back({line.address, 0, 0});
    return;
  }
  const auto module = module_name(line.module);
  symbols_.push_back({line.address, keep(line.name), module});
}

std::uint32_t Symbols::keep(std::string_view name) {
  const auto offset = static_cast<std::uint32_t>(names_.size());
  // A module or a damaged file may contain any function names.
  names_.append(safe_text(name));
  names_.push_back('\0');
  return offset;
}

std::uint32_t Symbols::module_name(std::string_view name) {
  if (name.empty()) return 0;
  if (last_module_ == 0 || safe_text(name) != names_.c_str() + last_module_) last_module_ = keep(name);
  return last_module_;
}

void Symbols::put_in_order() {
  // If an address has several names, the kernel prints the first in its table; code symbols come before
  // others.
  std::stable_sort(symbols_.begin(), symbols_.end(), [](const Symbol& left, const Symbol& right) {
    if (left.address != right.address) return left.address < right.address;
    return left.name != 0 && right.name == 0;
  });
  const auto last =
      std::unique(symbols_.begin(), symbols_.end(), [](const Symbol& left, const Symbol& right) {
        return left.address == right.address || (left.name == 0 && right.name == 0);
      });
  symbols_.erase(last, symbols_.end());
  symbols_.shrink_to_fit();
  names_.shrink_to_fit();
  functions_ = static_cast<std::size_t>(
      std::count_if(symbols_.begin(), symbols_.end(), [](const Symbol& symbol) { return symbol.name != 0; }));
}

const Symbols::Symbol* Symbols::find(std::uint64_t address) const {
  const auto above =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](std::uint64_t wanted, const Symbol& symbol) { return wanted < symbol.address; });
  if (above == symbols_.begin()) return nullptr;
  const auto& symbol = *std::prev(above);
  return symbol.name == 0 || address - symbol.address >= kLongestFunction ? nullptr : &symbol;
}

std::string Symbols::code(std::uint64_t address) const {
  const auto* symbol = find(address);
  if (symbol == nullptr) return token(address);
  const auto text = fmt::format("{}+{:#x}", names_.c_str() + symbol->name, address - symbol->address);
  return symbol->module == 0 ? text : fmt::format("{} [{}]", text, names_.c_str() + symbol->module);
}

std::string Symbols::token(std::uint64_t address) const {
  return fmt::format("p:{:08x}", keyed_hash(address, {key_, ~key_}) & 0xffffffff);
}

std::string Symbols::function(std::uint64_t address) const {
  const auto* symbol = find(address);
  return symbol == nullptr ? std::string() : std::string(names_.c_str() + symbol->name);
}

std::optional<Symbols::Function> Symbols::find_function(std::uint64_t address) const {
  const auto* symbol = find(address);
  return symbol == nullptr ? std::nullopt : std::optional(described(*symbol));
}

}  // namespace netperfd::trace
