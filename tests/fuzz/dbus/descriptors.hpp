// SPDX-License-Identifier: GPL-2.0-or-later
// Descriptors as callers may pass them: files that can be imported or restored, whole, cut and changed, and
// what is no file at all.
#pragma once

#include <string>
#include <vector>

#include "daemon/base/fd.hpp"
#include "tests/fuzz/dbus/random.hpp"

namespace netperfd::bus_fuzz {

struct Descriptor {
  Fd fd;
  std::string what;  // "the first 12 bytes of iperf3/3.12/tcp-send.out"
  // The other end, if whoever reads it waits until that is closed. Whoever sends it closes this in time.
  Fd other_end = {};
};

class Descriptors {
 public:
  explicit Descriptors(Random& random);

  // Bytes that are no file of tests/data, such as a bundle.
  void add(std::string name, std::string bytes) { contents_.push_back({std::move(name), std::move(bytes)}); }

  [[nodiscard]] Descriptor any();
  // A file with one of the contents, or with what is left of it.
  [[nodiscard]] Descriptor file();
  [[nodiscard]] Descriptor file_of(const std::string& name, const std::string& bytes);
  // All of these bytes.
  [[nodiscard]] static Descriptor whole(const std::string& name, const std::string& bytes);
  // A pipe from which nothing comes until its other end is closed.
  [[nodiscard]] static Descriptor waiting();
  // An iperf3 document that can be imported.
  [[nodiscard]] Descriptor document() const { return whole(contents_.front().name, contents_.front().bytes); }

 private:
  struct Content {
    std::string name, bytes;
  };
  [[nodiscard]] Descriptor no_file();

  Random& random_;
  std::vector<Content> contents_;
};

}  // namespace netperfd::bus_fuzz
