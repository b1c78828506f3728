# cmake -DMIGRATIONS=FOLDER -DOUTPUT=FILE.cpp -P embed_migrations.cmake
# Writes the migrations as a table of C++ raw strings. The number in a file's name is the version it leads to.
# The first one makes the schema of the first release, whatever its number; from there on, a gap or a repeated
# number stops the build.
file(GLOB files "${MIGRATIONS}/*.sql")
list(SORT files)
set(rows "")
set(expected "")
foreach(path IN LISTS files)
  get_filename_component(file "${path}" NAME)
  if(NOT file MATCHES "^([0-9][0-9][0-9][0-9])_[a-z0-9_]+\\.sql$")
    message(FATAL_ERROR "${path}: a migration is named NNNN_what_it_does.sql")
  endif()
  math(EXPR version "1${CMAKE_MATCH_1} - 10000")
  if(expected AND NOT version EQUAL expected)
    message(FATAL_ERROR "${path}: version ${expected} was expected here")
  endif()
  file(READ "${path}" sql)
  string(APPEND rows "    {${version}, \"${file}\", R\"migration(${sql})migration\"},\n")
  math(EXPR expected "${version} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made from schema/migrations at build.
#include \"daemon/store/migrations.hpp\"

namespace netperfd::store {

std::span<const Migration> embedded_migrations() {
  static constexpr Migration kMigrations[] = {
${rows}  };
  return kMigrations;
}

}  // namespace netperfd::store
")
