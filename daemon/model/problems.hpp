// What a check found, as it goes.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/model/job_spec.hpp"

namespace netperfd {

class Problems {
 public:
  // `others` are read with `key`; all are full paths.
  void add(std::string key, std::string message, std::initializer_list<std::string_view> others = {}) {
    found_.push_back({std::move(key), std::move(message), {others.begin(), others.end()}});
  }
  std::vector<JobProblem> take() { return std::move(found_); }

 private:
  std::vector<JobProblem> found_;
};

}  // namespace netperfd
