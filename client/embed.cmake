# SPDX-License-Identifier: GPL-2.0-or-later
# cmake -DFOLDER=FOLDER -DOUTPUT=FILE.cpp -P embed.cmake
# Writes FOLDER/script.js and FOLDER/style.css as C++ raw strings, with the hash of each for a page's security policy. Both may
# stand in CDATA sections of SVG and in elements of HTML.
get_filename_component(room "${FOLDER}" NAME)
foreach(part script.js style.css)
  file(READ "${FOLDER}/${part}" text)
  if(text MATCHES "\\]\\]>" OR text MATCHES "\\)embedded" OR text MATCHES "</" OR text MATCHES "<!--")
    message(FATAL_ERROR "${FOLDER}/${part}: it may not contain the end of a CDATA section, of an element or of its raw string")
  endif()
  string(REGEX REPLACE "\\..*" "" name "${part}")
  string(SHA256 hash "${text}")
  string(APPEND parts "
std::string_view embedded_${name}() {
  return R\"embedded(${text})embedded\";
}
std::string_view embedded_${name}_sha256() {
  return \"${hash}\";
}
")
endforeach()
file(WRITE "${OUTPUT}" "// Made from client/${room} at build.
#include \"client/${room}/embedded.hpp\"

namespace netperfctl::${room} {
${parts}
}  // namespace netperfctl::${room}
")
