// SPDX-License-Identifier: GPL-2.0-or-later
// The core's port to the output of netperfd's own iperf3. All parsing happens in a child without privileges,
// as for imported files: the far side of a test has a say in what the output holds.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/job_spec.hpp"
#include "daemon/model/run_record.hpp"

namespace netperfd::core {

class ReportReading {
 public:
  virtual ~ReportReading() = default;
  using Done = std::function<void(Result<ParsedReport>)>;
  // Reads the output of an iperf3 client that ran for `asked`, in bounded memory and time, and calls `done`
  // once, later and from the loop: with the report, or with the reason why there is none. Both texts are used
  // only within this call. Destroying the result ends the reading and drops `done`, even from inside it.
  [[nodiscard]] virtual Result<std::shared_ptr<void>> read(const std::string& client_stdout,
                                                           const std::string& client_stderr,
                                                           const TestSpec& asked, Done done) = 0;
};

}  // namespace netperfd::core
