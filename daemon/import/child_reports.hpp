// SPDX-License-Identifier: GPL-2.0-or-later
// Implements the core's ReportReading and LatencyReading: reads the output of iperf3 and of the prober in
// processes without privileges.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/confined/endings.hpp"
#include "daemon/confined/exchange.hpp"
#include "daemon/core/ports/latency_reading.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/import/child_import.hpp"

namespace netperfd::import {

// Use it only from the loop. The destructor kills all processes that it started and does not wait for their
// end; remaining handles of read() are dead then. Of the settings, those of texts, the number of reads and
// the size of an answer do not apply: there is one reading for each run, and its answer is limited by what
// the run was asked for.
class ChildReports final : public core::ReportReading, public core::LatencyReading {
 public:
  ChildReports(EventLoop& loop, ImportSettings settings)
      : loop_(loop), settings_(std::move(settings)), endings_(loop) {}
  ChildReports(const ChildReports&) = delete;
  ChildReports& operator=(const ChildReports&) = delete;
  ~ChildReports() override;

  [[nodiscard]] Result<std::shared_ptr<void>> read(const std::string& client_stdout,
                                                   const std::string& client_stderr, const TestSpec& asked,
                                                   core::ReportReading::Done done) override;
  [[nodiscard]] Result<std::shared_ptr<void>> read_latency(const std::string& prober_stdout,
                                                           const LatencyOrder& order,
                                                           core::LatencyReading::Done done) override;

 private:
  using Given = std::function<void(const confined::Exchange::End& end)>;
  // Starts a process for an order and a text, and gives its answer.
  [[nodiscard]] Result<std::shared_ptr<void>> begin(ReaderMode mode, const std::string& order,
                                                    const std::string& text, std::size_t answer_bytes,
                                                    Given given);

  EventLoop& loop_;
  ImportSettings settings_;
  confined::Endings endings_;
  std::vector<std::weak_ptr<confined::Exchange>> readings_;
};

}  // namespace netperfd::import
