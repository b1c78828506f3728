// Why this kernel refuses something, in words, and what to do about it. The doctor, the catalogue and the
// check of a job say the same of the same.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/trace/catalogue_settings.hpp"
#include "daemon/trace/kernel_config.hpp"

namespace netperfd::trace {

struct Reason {
  std::string detail;    // a clause: "the kernel refuses it even to root (EPERM); ..."
  std::string advice;    // a clause; empty where there is nothing to do
  bool lasting = false;  // until the next boot
};

class Reasons {
 public:
  explicit Reasons(const CatalogueSettings& settings);

  // Of an error of the Tracefs, by the errno in its words.
  [[nodiscard]] Reason refused(const Error& error);
  // Of something that is not there, though it belongs to these options: the first one that is not set is
  // named, or the first one where the configuration cannot be read.
  [[nodiscard]] Reason not_built(std::initializer_list<std::string_view> options);
  // The same of an option that may be a module.
  [[nodiscard]] Reason not_loaded(std::string_view option, std::string_view module);
  // Where tracefs is not there to be asked.
  [[nodiscard]] Reason not_mounted() const;
  // As the answer to a caller whose question needs the list of traceable functions.
  [[nodiscard]] Error no_function_list(const Error& error);

 private:
  // `what` the kernel refuses: "it", "the list of functions".
  [[nodiscard]] Reason refused_to_root(std::string_view what);

  std::string proc_;
  std::string sys_;
  std::string release_;
  KernelConfig config_;
};

// Whether the Tracefs's error came of this errno.
[[nodiscard]] bool is_errno(const Error& error, int error_number);

}  // namespace netperfd::trace
