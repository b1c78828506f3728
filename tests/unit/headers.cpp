// Only a translation unit for the precompiled headers.
