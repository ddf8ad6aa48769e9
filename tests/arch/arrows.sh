#!/bin/bash
# The shape of the tree: which folder may include which, what the library must not do, and that every
# subcommand has its man page and its golden tests. Last line: "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 2

passed=0 failed=0
verdict() {  # verdict NAME FOUND: passes when FOUND is empty
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s\n%s\n' "$1" "$2"
  fi
}

# --- which module may include which --------------------------------------------------------------

modules=
declare -A may home  # home: of each public header, the module it belongs to
while IFS='|' read -r module layer to headers; do
  read -r module <<<"$module"
  case $module in '' | '#'* | layer*) continue ;; esac
  modules+=" $module" may[$module]="base $to $module"
  for header in $headers; do home[$header]=$module; done
done <tests/arch/modules.txt
declare -A used  # "FROM TO": some file of FROM includes one of TO
# The module of a file or header below libapf/src: "report/core/units.h" is of report/core, "lint/reach/box.h" of lint.
module_of() {
  of=${1%/*}
  while [ -z "${may[$of]:-}" ] && [[ $of == */* ]]; do of=${of%/*}; done
}
includes() { grep -Hn '^ *# *include' "$@" 2>/dev/null; }
allowed() {
  used["$1 $2"]=yes
  case " ${may[$1]} " in *" $2 "*) return 0 ;; esac
  return 1
}

for header in libapf/include/apf/*.h; do
  name=$(basename "$header" .h)
  [ -n "${home[$name]:-}" ] || verdict "public headers" "$header: give it a module in tests/arch/modules.txt"
done
found=
for header in libapf/include/apf/*.h; do
  name=$(basename "$header" .h)
  for source in libapf/src/*/"$name.cc" libapf/src/report/*/"$name.cc"; do
    grep -m1 '^ *# *include' "$source" 2>/dev/null | grep -qF "<apf/$name.h>" || continue
    case $source in libapf/src/"${home[$name]:-}"/*) ;; *) found+="$source implements $header of ${home[$name]:-}"$'\n' ;; esac
  done
done
verdict "public headers are implemented in their module" "$found"
found=
for dir in libapf/src/*/ libapf/src/report/*/; do
  module=${dir#libapf/src/} module=${module%/}
  [ -n "${may[$module]:-}" ] || [ "$module" = report ] || found+="$dir is none of: $modules"$'\n'
done
verdict "each folder is a module" "$found$(find libapf/src/report -maxdepth 1 -type f)"
for module in $modules; do
  dir=libapf/src/$module
  found=
  while IFS=: read -r file line text; do
    case $text in
      *'"'*'"'*)
        target=${text#*\"} target=${target%%\"*}
        module_of "$target"
        { [ -f "libapf/src/$target" ] && allowed "$module" "$of"; } || found+="$file:$line: $text"$'\n'
        ;;
      *'<apf/'*)
        target=${text#*<apf/} target=${target%%.h>*}
        { [ -n "${home[$target]:-}" ] && allowed "$module" "${home[$target]}"; } || found+="$file:$line: $text"$'\n'
        ;;
    esac
  done < <(find "$dir" -name '*.h' -o -name '*.cc' | sort | xargs grep -Hn '^ *# *include')
  verdict "includes of $module (may: $(echo ${may[$module]}))" "$found"
done
found=
while IFS=: read -r file line text; do
  from=${file##*/} from=${home[${from%.h}]:-report/advise}
  case $text in
    *'<apf/'*)
      to=${text#*<apf/} to=${home[${to%%.h>*}]:-}
      [ -n "$to" ] && allowed "$from" "$to" || found+="$file:$line: $text"$'\n'
      ;;
    *'"'*) found+="$file:$line: $text"$'\n' ;;
  esac
done < <(includes libapf/include/apf/*.h)
verdict "includes of public headers" "$found"
found=
for module in $modules; do
  for to in ${may[$module]}; do
    [ "$module" = "$to" ] || [ "$to" = base ] || [ -n "${used[$module $to]:-}" ] || found+="$module may include $to, but no file does"$'\n'
  done
done
verdict "every allowed arrow is used" "$found"

# --- floors of replay ----------------------------------------------------------------------------

floors="prepare store books stages observers clients engine passes"
found=$(find libapf/src/replay -maxdepth 1 -type f)
below=
for floor in $floors; do
  below+="${below:+|}$floor"
  found+=$(grep -HnE '#include "replay/' -r "libapf/src/replay/$floor" | grep -vE "#include \"replay/($below)/")
done
for dir in libapf/src/replay/*/; do
  case " $floors " in *" $(basename "$dir") "*) ;; *) found+="$dir is none of: $floors" ;; esac
done
verdict "in replay/ a folder includes its own files and those of folders before it: $floors" "$found"

found=$(grep -HnE '#include "(flags|commands)/' -r tools/apfctl/shared)
found+=$(grep -HnE '#include "commands/' -r tools/apfctl/flags)
verdict "in tools/apfctl/ commands include flags and shared, flags include shared" "$found"

# --- no circles of units -------------------------------------------------------------------------

verdict "units of the library include each other in no circle" "$(python3 tests/arch/circles.py libapf/src)"
verdict "units of the tool include each other in no circle" "$(python3 tests/arch/circles.py tools/apfctl)"
made=$(mktemp -d)
mkdir "$made/m"
echo '#include "m/b.h"' >"$made/m/a.h"
echo '#include "m/c.h"' >"$made/m/b.cc"
echo '#include "m/a.h"' >"$made/m/c.h"
touch "$made/m/b.h"
[ "$(python3 tests/arch/circles.py "$made")" = "m/a -> m/b -> m/c -> m/a" ] || verdict "a circle is found" "$made"
rm -r "$made"

# --- the tool sees <apf/…> only -------------------------------------------------------------------

found=
while IFS=: read -r file line text; do
  case $text in
    *'"'*'"'*)
      target=${text#*\"} target=${target%%\"*}
      [ -f "tools/apfctl/$target" ] || found+="$file:$line: $text"$'\n'
      ;;
    *libapf*) found+="$file:$line: $text"$'\n' ;;
  esac
done < <(find tools -name '*.h' -o -name '*.cc' | sort | xargs -r grep -Hn '^ *# *include')
verdict "tools include <apf/…> and their own headers only" "$found"

# --- the KEP's dialect is reached through one seam ---------------------------------------------------

seam='^libapf/src/(([a-z]+/)*kep/|config/dialect\.cc|classify/dialect\.cc|lint/rules/kep_)'
found=$(grep -nE '#include "([a-z]+/)*kep/' -r libapf/src | grep -vE "$seam")
found+=$(grep -nE '[.>]kep\b|\bis_kep\(' -r libapf/src --include='*.cc' --include='*.h' | grep -vE "$seam")
verdict "the KEP's dialect: only config/dialect.cc, classify/dialect.cc and its own files know it" "$found"

# --- public headers stand alone -------------------------------------------------------------------

found=
for header in libapf/include/apf/*.h; do
  errors=$(g++ -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Ilibapf/include -x c++ - <<<"#include <apf/$(basename "$header")>" 2>&1) ||
    found+="$header: $errors"$'\n'
  grep -q '^#pragma once' "$header" || found+="$header: no #pragma once"$'\n'
  grep -nE '#include <(yaml-cpp|re2|fmt|simdjson|openssl|zlib|zstd|CLI)' "$header" && found+="$header: a library's header"$'\n'
done
verdict "public headers compile on their own and need no other library" "$found"

# --- library manners ------------------------------------------------------------------------------

# Comments and string literals are blanked first, raw strings of several lines too.
code=$(find libapf -name '*.h' -o -name '*.cc' | sort | xargs perl -0777 -ne '
  s/R"\((.*?)\)"/"\"\"" . ($1 =~ s{[^\n]}{}gr)/gse;
  my $n = 0;
  for (split /\n/) { ++$n; s/"([^"\\]|\\.)*"/""/g; s{//.*}{}; print "$ARGV:$n:$_\n" if length }')
forbid() { verdict "the library does not $1" "$(grep -E "$2" <<<"$code" | grep -vE "${3:-^$}" | head -20)"; }
forbid "print" '\b(std::(cout|cerr|clog|puts)|fmt::print|v?f?printf|f?puts|putchar|perror)\b|\bfwrite\([^)]*std(out|err)'
forbid "end the program" '\b(exit|_exit|quick_exit|abort|terminate)[ ]*\('
forbid "read the environment or the wall clock" '\b(getenv|setenv|putenv|system_clock|gettimeofday|clock_gettime|localtime|std::time|setlocale)\b'
# A header says it for the file that implements it.
says() { [ -f "$1" ] && read -r first <"$1" && [[ $first == //* ]]; }
found=$(find libapf tools -name '*.cc' -o -name '*.h' | sort | while read -r file; do
  name=${file##*/}
  says "$file" || says "${file%.cc}.h" || says "libapf/include/apf/${name%.cc}.h" ||
    echo "$file: neither it nor its header starts with a comment on what it is for"
done)
verdict "files start with what they are for" "$found"
verdict "no file includes a header twice" "$(find libapf tools tests examples -name '*.h' -o -name '*.cc' | sort | \
  xargs awk '/^ *# *include/ && seen[FILENAME, $0]++ { print FILENAME ": " $0 }')"

found=$(grep -E '\bminor\b' <<<"$code" | grep -vE '^libapf/(src/base/(releases|kube_version)|include/apf/version)\.' | head -20)
found+=$(grep -nE '[.>]minor\b' -r tools --include='*.cc' --include='*.h' | head -20)
verdict "what differs by release is a row of base/releases.cc: nothing else looks at minor numbers" "$found"

verdict "comments name files that are there" "$(python3 tests/arch/comments.py)"

# --- what belongs together ------------------------------------------------------------------------

commands=0 found=
for source in tools/apfctl/commands/cmd_*.cc; do
  [ -f "$source" ] || continue
  commands=$((commands + 1))
  name=$(basename "$source" .cc)
  name=${name#cmd_}
  [ -f "man/apfctl-$name.1" ] || found+="$source: no man/apfctl-$name.1"$'\n'
  [ -n "$(ls "tests/golden/$name" 2>/dev/null)" ] || found+="$source: no tests/golden/$name/"$'\n'
done
[ "$commands" -gt 0 ] || found="tools/apfctl/commands/ has no cmd_*.cc"
verdict "every subcommand has its man page and its golden tests" "$found"

found=$(for entry in $(ls -A | grep -vxE 'build|\.git'); do
  case $entry in
    Makefile | README.md | tools | libapf | schemas | examples | tests | man) ;;
    .ci | .gitignore | .clang-format | .clang-tidy | .editorconfig | .pre-commit-hooks.yaml | .cache) ;;
    *) echo "$entry" ;;
  esac
done)
verdict "nothing new at the top level" "$found"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
