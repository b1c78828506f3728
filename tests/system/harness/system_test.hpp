#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/system/harness/lab.hpp"

namespace netperfd::system_test {

// The tests of a suite share one Lab, made by SetUpTestSuite() through set_up(). Every test begins with an
// idle daemon that runs, and ends with one: jobs that are left are stopped, and no process of theirs may
// remain.
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
