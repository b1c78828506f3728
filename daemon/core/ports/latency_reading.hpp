// SPDX-License-Identifier: GPL-2.0-or-later
// The core's port to the output of netperfd's own prober. As iperf3's, it is parsed in a child without
// privileges: the far side of a probe has a say in what the output holds.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "daemon/base/error.hpp"
#include "daemon/model/latency.hpp"

namespace netperfd::core {

class LatencyReading {
 public:
  virtual ~LatencyReading() = default;
  using Done = std::function<void(Result<ParsedLatency>)>;
  // As ReportReading::read().
  [[nodiscard]] virtual Result<std::shared_ptr<void>> read_latency(const std::string& prober_stdout,
                                                                   const LatencyOrder& order, Done done) = 0;
};

}  // namespace netperfd::core
