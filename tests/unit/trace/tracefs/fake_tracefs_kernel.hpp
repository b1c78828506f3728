// SPDX-License-Identifier: GPL-2.0-or-later
// The initial contents of the fake's files, for both parts of the fake.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/unit/trace/tracefs/fake_tracefs.hpp"

namespace netperfd::trace {

// `file` of a trace directory; `directory` is "" for the top.
[[nodiscard]] std::string below(const std::string& directory, const std::string& file);

// The files of a new trace directory, by name below it.
[[nodiscard]] std::map<std::string, std::string> new_files(const FakeKernel& kernel, bool top);
// The files that only the top instance has.
[[nodiscard]] std::map<std::string, std::string> top_files(const FakeKernel& kernel);

// The format file of the event "system:name" with these fields, which are numbers except for skbaddr and
// location.
[[nodiscard]] std::string format_of(const std::string& name, const std::vector<std::string>& fields);

// The text of an empty list.
[[nodiscard]] std::string nothing_in(const std::string& file);
[[nodiscard]] bool is_function_list(const std::string& file);

// "skb:kfree_skb" for "events/skb/kfree_skb/FILE"; otherwise empty.
[[nodiscard]] std::string event_of(const FakePlace& place);

}  // namespace netperfd::trace
