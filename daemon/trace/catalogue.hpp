// What this kernel offers to trace, read from tracefs and /proc, and the doctor's answers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/core/trace_ports.hpp"
#include "daemon/trace/catalogue_settings.hpp"
#include "daemon/trace/doctor.hpp"
#include "daemon/trace/functions.hpp"
#include "daemon/trace/modules.hpp"
#include "daemon/trace/reasons.hpp"
#include "daemon/trace/tracefs.hpp"

namespace netperfd::trace {

class KernelCatalogue final : public core::Catalogue {
 public:
  // `tracefs` must outlive it. Nothing is read before it is asked for.
  KernelCatalogue(Tracefs& tracefs, CatalogueSettings settings);
  KernelCatalogue(const KernelCatalogue&) = delete;
  KernelCatalogue& operator=(const KernelCatalogue&) = delete;

  [[nodiscard]] std::vector<core::Capability> capabilities(bool fresh) override;
  // Without a pattern those that are loaded or have traceable functions; with one also those that are built
  // in or could be loaded.
  [[nodiscard]] Result<std::vector<core::ModuleRow>> modules(const std::string& pattern) override;
  // A module that has no functions of its own is an error that says why: not_found where it is not loaded or
  // not known, with the nearest names, invalid_argument where it is built in.
  [[nodiscard]] Result<Functions> functions(const core::FunctionFilter& filter, std::uint64_t offset,
                                            std::uint32_t limit) override;
  // A pattern without a colon also fits an event's name without its system.
  [[nodiscard]] Result<std::vector<core::EventRow>> events(const std::string& pattern) override;
  [[nodiscard]] Result<core::EventDetails> event(const std::string& name) override;
  [[nodiscard]] Result<std::vector<core::TracerRow>> tracers() override;

  // The list is kept until a module comes or goes; valid until the next call of this. unsupported or
  // access_denied where the kernel does not show it.
  [[nodiscard]] Result<const FunctionList*> function_list();
  // The list is read anew when it is next asked for: a module may have been replaced by one that lies at the
  // same place.
  void forget_functions() { functions_.reset(); }
  // An error where this module has no functions to trace, as functions() gives it.
  [[nodiscard]] Status check_module(const std::string& name);
  // Names of events like this one.
  [[nodiscard]] std::vector<std::string> nearest_events(const std::string& name);
  [[nodiscard]] const CatalogueSettings& settings() const { return settings_; }

 private:
  struct KeptFunctions {
    std::string modules_key;
    FunctionList list;
  };

  // Why something in tracefs could not be read; `subject` is what was asked for, as a sentence begins.
  [[nodiscard]] std::unexpected<Error> refuse(const std::string& subject, const Error& error);

  Tracefs& tracefs_;
  CatalogueSettings settings_;
  Reasons reasons_;
  Doctor doctor_;
  std::optional<KeptFunctions> functions_;
};

}  // namespace netperfd::trace
