// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/system/harness/lab.hpp"

namespace netperfd::system_test {

// The tests of a suite share one Lab, created in SetUpTestSuite() by set_up(). Every test begins and ends
// with a running, idle daemon: remaining jobs are stopped, and none of their processes may be left.
class SystemTest : public testing::Test {
 protected:
  static void set_up(LabOptions options);
  static void TearDownTestSuite();
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] static Lab& lab() { return *shared_lab; }

 private:
  static std::unique_ptr<Lab> shared_lab;
};

}  // namespace netperfd::system_test
