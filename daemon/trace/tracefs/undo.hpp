// SPDX-License-Identifier: GPL-2.0-or-later
// Undoes the changes in a journal, both for a session that ends and for one that died.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "daemon/trace/tracefs/journal.hpp"
#include "daemon/trace/tracefs/tracefs.hpp"

namespace netperfd::trace {

struct Undone {
  std::vector<std::string> done;    // a clause each
  std::vector<std::string> failed;  // steps that the kernel refused; the others were still done

  void add(const Undone& from);
};

// unsupported if the journal has changes and tracefs is not visible, for example because it is not mounted or
// a sandbox hides it: then nothing can be restored, but nothing is lost.
[[nodiscard]] Status check_visible(Tracefs& tracefs, const Journal& journal);

// Undoes everything in `journal.changes()`, the last change first. But the top instance's tracing and tracer
// come before all else: emptying a filter under a running function tracer means "every function". Undone
// changes leave the journal; those that stay in changes() could not be undone and may be tried again.
//
// A setting that has neither its original text nor the session's was changed by somebody else meanwhile. It
// stays as it is, which is reported in `done`. Lists are always restored, since the kernel itself changes
// them when tasks end and modules go. `proc` is used to find the holders of a busy instance.
[[nodiscard]] Undone undo(Tracefs& tracefs, Journal& journal, const std::string& proc);

// Turns tracing and the tracer off, then removes the instance, even with events, filters and triggers set:
// the kernel removes those itself. Busy, with its holders, while a process has one of its files open.
[[nodiscard]] Undone remove_instance(Tracefs& tracefs, const std::string& directory, const std::string& proc);

// The text to write into a setting so that it reads as `before` again; empty: there is none.
[[nodiscard]] std::string text_to_restore(std::string_view path, std::string_view before);

// The items of a list's text in the form in which they are written: "f [m]" is "f:mod:m" for a function
// filter.
[[nodiscard]] std::vector<std::string> list_items(std::string_view path, std::string_view text);

// Whether a function list, a trigger file or a setting has the same contents, ignoring what the kernel adds
// on its own.
[[nodiscard]] bool reads_the_same(std::string_view path, std::string_view one, std::string_view other);

}  // namespace netperfd::trace
