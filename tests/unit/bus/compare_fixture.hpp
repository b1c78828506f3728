// SPDX-License-Identifier: GPL-2.0-or-later
// Stored runs of two labels, and Compare over the bus.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/bus/bus_test.hpp"

namespace netperfd::bus {

using CompareAnswer = Answered<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows>;
using Texts = std::vector<std::string>;

class Compare : public ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    if (IsSkipped()) return;
    // Runs 1 to 8 of `before`, and 11 to 18 of `after`, which are 10 % faster.
    for (RunId i = 1; i <= 8; ++i) {
      add_run(i, "before", 1e9 + 1e6 * static_cast<double>(i));
      add_run(i + 10, "after", 1.1e9 + 1e6 * static_cast<double>(i));
    }
    std::ranges::sort(queries.stored, std::greater{}, &core::RunRow::id);
  }

  void add_run(RunId id, const std::string& label, double rate, uid_t owner = ::geteuid()) {
    core::RunRow run = a_run(id);
    run.spec.name = "veth-tcp";
    run.spec.label = label;
    run.owner = owner;
    run.started = run.created + std::chrono::minutes{id};
    queries.stored.push_back(run);
    analysis::ComparedRun& compared = queries.stored_compared[id];
    compared.started = run.started;
    compared.received_bits_per_second = rate;
  }

  CompareAnswer compare(const std::string& a, const std::string& b, const dbus::Row& options = {}) {
    return client->call<dbus::Row, dbus::Rows, dbus::Rows, dbus::Rows>("Compare", a, b, options);
  }
};

}  // namespace netperfd::bus
