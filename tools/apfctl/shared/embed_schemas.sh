#!/bin/sh
# Writes C++ that holds the given schema files as text, sorted by name: the table behind `apfctl schema`.
#   tools/apfctl/shared/embed_schemas.sh FILE...
set -eu
echo '#include "shared/schemas.h"'
echo 'namespace apfctl {'
echo 'namespace {'
echo 'using namespace std::string_view_literals;  // lengths that the compiler need not count'
echo 'constexpr Schema kSchemas[] = {'
for file in "$@"; do
  name=${file##*/}
  printf '{"%s", R"schema(' "${name%.schema.json}"
  cat "$file"
  echo ')schema"sv},'
done
echo '};'
echo '}  // namespace'
echo 'std::span<const Schema> schemas() { return kSchemas; }'
echo '}  // namespace apfctl'
