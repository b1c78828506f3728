// Why a run is no measurement, in a sentence of ours before iperf3's own words.
#pragma once

#include <string>
#include <string_view>

#include "daemon/model/job_spec.hpp"

namespace netperfd::workload {

// The words by which iperf3 says that a signal ended the client.
[[nodiscard]] bool says_client_was_stopped(std::string_view words);

// What `words`, an error of iperf3, mean: `the server refused the connection (10.0.0.2 port 5201): iperf3
// says "..."`.
[[nodiscard]] std::string explain(std::string_view words, const Iperf3Spec& asked);

// `sentence: iperf3 says "words"`; the sentence alone without words. Words of any bytes become short, valid
// text.
[[nodiscard]] std::string with_words(std::string sentence, std::string_view words);

// iperf3's words among text that is no document: the rest of its first line "iperf3: ...", else of its first
// line.
[[nodiscard]] std::string words_in_text(std::string_view text);

}  // namespace netperfd::workload
