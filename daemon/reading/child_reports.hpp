// SPDX-License-Identifier: GPL-2.0-or-later
// Implements the core's ReportReading, LatencyReading and FigureReading: reads the output of iperf3, of the
// prober and of commands in processes without privileges.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/base/error.hpp"
#include "daemon/base/event_loop.hpp"
#include "daemon/confined/endings.hpp"
#include "daemon/confined/exchange.hpp"
#include "daemon/core/ports/figure_reading.hpp"
#include "daemon/core/ports/latency_reading.hpp"
#include "daemon/core/ports/report_reading.hpp"
#include "daemon/reading/reader.hpp"

namespace netperfd::reading {

// Use it only from the loop. The destructor kills all processes that it started and does not wait for their
// end; remaining handles of read() are dead then. There is one reading for each run, and its answer is
// limited by what the run was asked for.
class ChildReports final : public core::ReportReading,
                           public core::LatencyReading,
                           public core::FigureReading {
 public:
  ChildReports(EventLoop& loop, ReaderSettings settings)
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
  [[nodiscard]] Result<std::shared_ptr<void>> read_figures(const std::vector<DeclaredFigure>& figures,
                                                           const std::vector<core::FigureText>& texts,
                                                           core::FigureReading::Done done) override;

 private:
  // Starts a process for an order and a text; `decode` makes a T of its answer.
  template <class T>
  [[nodiscard]] Result<std::shared_ptr<void>> begin(
      ReaderMode mode, const std::string& order, const std::string& text, std::size_t answer_bytes,
      std::function<Result<T>(const confined::Exchange::End& end)> decode,
      std::function<void(Result<T>)> done);

  EventLoop& loop_;
  ReaderSettings settings_;
  confined::Endings endings_;
  std::vector<std::weak_ptr<confined::Exchange>> readings_;
};

}  // namespace netperfd::reading
