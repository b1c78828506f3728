// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's symbols, and the text that replaces its addresses in a record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/trace/ring/event_fields.hpp"

namespace netperfd::trace {

// From the text of /proc/kallsyms: only functions, without the __pfx_ ones. All names are printable.
class Symbols final : public AddressNames {
 public:
  // For parse() and load(): use a new one for each run.
  [[nodiscard]] static std::uint64_t random_key();
  // `key` determines the tokens of one run; use a random number. Text whose addresses are all 0 (a reader
  // without CAP_SYSLOG) gives no symbols: every address then becomes a token.
  [[nodiscard]] static Symbols parse(std::string_view kallsyms, std::uint64_t key);
  [[nodiscard]] static Result<Symbols> load(const std::string& path, std::uint64_t key);

  [[nodiscard]] std::string code(std::uint64_t address) const override;
  [[nodiscard]] std::string token(std::uint64_t address) const override;
  // Only the function, without offset; empty if it is unknown.
  [[nodiscard]] std::string function(std::uint64_t address) const;
  // Number of functions, one for each address.
  [[nodiscard]] std::size_t size() const { return functions_; }

  // Points into this object.
  struct Function {
    std::uint64_t address = 0;  // address of its first byte
    std::string_view name;
    std::string_view module;  // empty: the kernel itself
  };
  [[nodiscard]] std::optional<Function> find_function(std::uint64_t address) const;
  // In order of address.
  template <class Visit>
  void each_function(Visit visit) const {
    for (const Symbol& symbol : symbols_) {
      if (symbol.name != 0) visit(described(symbol));
    }
  }

 private:
  struct Symbol {
    std::uint64_t address = 0;
    std::uint32_t name = 0;    // offset into names_, up to its NUL; 0 is the empty name: code ends here
    std::uint32_t module = 0;  // the same; 0: the kernel itself
  };
  explicit Symbols(std::uint64_t key) : key_(key) {}
  void add_lines(std::string_view lines);
  void add_line(std::string_view line);
  [[nodiscard]] std::uint32_t keep(std::string_view name);
  [[nodiscard]] std::uint32_t module_name(std::string_view name);
  void put_in_order();
  [[nodiscard]] Function described(const Symbol& symbol) const {
    return {symbol.address, names_.c_str() + symbol.name, names_.c_str() + symbol.module};
  }
  [[nodiscard]] const Symbol* find(std::uint64_t address) const;

  std::vector<Symbol> symbols_;  // by address
  std::string names_ = std::string(1, '\0');
  std::uint32_t last_module_ = 0;  // while lines are added: symbols of a module are adjacent
  std::size_t functions_ = 0;
  std::uint64_t key_ = 0;
};

}  // namespace netperfd::trace
