// What is asked of the stored function profiles; core::RunQueries says what the call means.
#pragma once

#include "daemon/core/ports.hpp"
#include "daemon/store/sqlite.hpp"

namespace netperfd::store {

class ProfileReader {
 public:
  explicit ProfileReader(Connection& connection) : connection_(connection) {}

  [[nodiscard]] Result<FunctionProfile> profile(RunId run, const core::ProfileParts& parts);

 private:
  [[nodiscard]] Status expect_profile(RunId run);
  [[nodiscard]] Status read_scalars(RunId run, FunctionProfile& profile);
  [[nodiscard]] Status read_functions(RunId run, const core::ProfileParts& parts, FunctionProfile& profile);
  [[nodiscard]] Status read_calls(RunId run, const core::ProfileParts& parts, FunctionProfile& profile);

  Connection& connection_;
};

}  // namespace netperfd::store
