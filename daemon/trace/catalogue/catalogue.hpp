// SPDX-License-Identifier: GPL-2.0-or-later
// The functions, events and modules that this kernel can trace, read from tracefs and /proc, and the doctor's
// answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/core/ports/catalogue.hpp"
#include "daemon/trace/catalogue/catalogue_settings.hpp"
#include "daemon/trace/catalogue/doctor.hpp"
#include "daemon/trace/catalogue/functions.hpp"
#include "daemon/trace/catalogue/modules.hpp"
#include "daemon/trace/catalogue/reasons.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

class KernelCatalogue final : public core::Catalogue {
 public:
  // `tracefs` must outlive this object. Nothing is read before it is asked for.
  KernelCatalogue(Tracefs& tracefs, CatalogueSettings settings);
  KernelCatalogue(const KernelCatalogue&) = delete;
  KernelCatalogue& operator=(const KernelCatalogue&) = delete;

  [[nodiscard]] std::vector<core::Capability> capabilities(bool fresh) override;
  // Without a pattern, modules that are loaded or have traceable functions; with one, also those that are
  // built in or could be loaded.
  [[nodiscard]] Result<std::vector<core::ModuleRow>> modules(const std::string& pattern) override;
  // For a module without functions of its own, the error says why: not_found if it is not loaded or unknown,
  // with the nearest names; invalid_argument if it is built in.
  [[nodiscard]] Result<Functions> functions(const core::FunctionFilter& filter, std::uint64_t offset,
                                            std::uint32_t limit) override;
  // A pattern without a colon also matches an event's name without its system.
  [[nodiscard]] Result<std::vector<core::EventRow>> events(const std::string& pattern) override;
  [[nodiscard]] Result<core::EventDetails> event(const std::string& name) override;
  [[nodiscard]] Result<std::vector<core::TracerRow>> tracers() override;

  // The list is kept until a module comes or goes; the pointer is valid until the next call. unsupported or
  // access_denied if the kernel does not show it.
  [[nodiscard]] Result<const FunctionList*> function_list();
  // Makes the next request read the list again: a module may have been replaced by one at the same address.
  void forget_functions() { functions_.reset(); }
  // An error, as from functions(), if this module has no functions to trace.
  [[nodiscard]] Status check_module(const std::string& name);
  // Names of events similar to this one.
  [[nodiscard]] std::vector<std::string> nearest_events(const std::string& name);
  [[nodiscard]] const CatalogueSettings& settings() const { return settings_; }

 private:
  struct KeptFunctions {
    std::string modules_key;
    FunctionList list;
  };

  // The error for something in tracefs that could not be read; `subject` is what was asked for, as the start
  // of a sentence.
  [[nodiscard]] std::unexpected<Error> refuse(const std::string& subject, const Error& error);

  Tracefs& tracefs_;
  CatalogueSettings settings_;
  Reasons reasons_;
  Doctor doctor_;
  std::optional<KeptFunctions> functions_;
};

}  // namespace netperfd::trace
