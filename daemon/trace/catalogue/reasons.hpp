// SPDX-License-Identifier: GPL-2.0-or-later
// Explains why this kernel refuses something, and what to do about it. The doctor, the catalogue and the
// check of a job use the same words.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/base/error.hpp"
#include "daemon/trace/catalogue/catalogue_settings.hpp"
#include "daemon/trace/catalogue/kernel_config.hpp"

namespace netperfd::trace {

struct Reason {
  std::string detail;    // a clause: "the kernel refuses it even to root (EPERM); ..."
  std::string advice;    // a clause; empty if nothing can be done
  bool lasting = false;  // true: holds until the next boot
};

class Reasons {
 public:
  explicit Reasons(const CatalogueSettings& settings);

  // For an error of Tracefs, by its errno.
  [[nodiscard]] Reason refused(const Error& error);
  // For something missing that these kernel options would provide. Names the first option that is not set, or
  // the first one if the configuration cannot be read.
  [[nodiscard]] Reason not_built(std::initializer_list<std::string_view> options);
  // The same for an option that may be a module.
  [[nodiscard]] Reason not_loaded(std::string_view option, std::string_view module);
  // If tracefs is not available.
  [[nodiscard]] Reason not_mounted() const;
  // "none", "integrity" or "confidentiality"; empty if the kernel has no lockdown or it cannot be read.
  [[nodiscard]] std::string lockdown_level() const;
  // The error for a caller whose request needs the list of traceable functions.
  [[nodiscard]] Error no_function_list(const Error& error);

 private:
  // `what`: the thing that the kernel refuses, such as "it" or "the list of functions".
  [[nodiscard]] Reason refused_to_root(std::string_view what);

  std::string proc_;
  std::string sys_;
  std::string release_;
  KernelConfig config_;
};

}  // namespace netperfd::trace
