#!/usr/bin/env python3
"""What only Linux has is in libapf/src/base/system.cc, and the branch for other systems works. Last line: "N passed, N failed".

It looks for names, so a function of glibc that is not listed here escapes it.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = """MADV_HUGEPAGE O_TMPFILE O_PATH O_DIRECT O_NOATIME getrandom fallocate posix_fadvise memrchr rawmemchr mempcpy strchrnul
    pipe2 accept4 dup3 epoll_create1 eventfd signalfd timerfd_create memfd_create copy_file_range splice renameat2 statx prctl
    mremap malloc_trim malloc_usable_size gettid sched_getaffinity secure_getenv get_current_dir_name canonicalize_file_name
    program_invocation_short_name st_mtim st_ctim MAP_POPULATE sigtimedwait POLLRDHUP __GLIBC__""".split()
HEADERS = r"#include <(?:linux/|asm/|endian\.h|byteswap\.h|malloc\.h|features\.h|sys/(?:epoll|prctl|random|sendfile|sysinfo|inotify)\.h)"
TRIED = r"""
#include "base/system.h"
#include <cassert>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>
int main(int, char** arguments) {
  char bytes[64] = {}, none[64] = {};
  assert(apf::random_bytes(bytes, sizeof bytes) && std::memcmp(bytes, none, sizeof bytes) != 0);
  std::string large(8u << 20, 'x');
  apf::prefer_large_pages(large.data() + (4096 - reinterpret_cast<std::size_t>(large.data()) % 4096), 4u << 20);
  assert(large == std::string(8u << 20, 'x'));
  const std::string text = "a\nb\nc";
  assert(apf::last_place_of(text.data(), '\n', text.size()) == text.data() + 3);
  assert(apf::last_place_of(text.data(), '\n', 2) == text.data() + 1);
  assert(apf::last_place_of(text.data(), 'a', text.size()) == text.data());
  assert(apf::last_place_of(text.data(), 'z', text.size()) == nullptr && apf::last_place_of(text.data(), 'a', 0) == nullptr);
  std::FILE* const file = std::fopen((std::string(arguments[1]) + "/file").c_str(), "w+");
  assert(file != nullptr && apf::reserve_space(fileno(file), 1000));
  apf::will_read_through(fileno(file));
  assert(lseek(fileno(file), 0, SEEK_END) == 0);
  if (const int nameless = apf::open_nameless_file(arguments[1]); nameless >= 0) {
    assert(write(nameless, "x", 1) == 1);
    close(nameless);
  }
  std::puts("all");
}
"""
passed = failed = 0


def verdict(name, found):
    global passed, failed
    passed, failed = (passed, failed + 1) if found else (passed + 1, failed)
    if found:
        print(f"FAILED {name}\n{found}")


sources = [path for top in ("libapf", "tools") for ending in ("*.cc", "*.h") for path in sorted((ROOT / top).rglob(ending))]
pattern = re.compile(rf"\b(?:{'|'.join(NAMES)})\b|{HEADERS}")
found = {path.relative_to(ROOT): hits for path in sources
         if (hits := pattern.findall(re.sub(r"//.*", "", path.read_text())))}
own = pathlib.Path("libapf/src/base/system.cc")
verdict("the search finds what is there", "" if len(found.get(own, [])) >= 5 else found)
verdict("what only Linux has is in one file", {str(path): hits for path, hits in found.items() if path != own})
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "tried.cc")
    source.write_text(TRIED)
    for branch in ([], ["-DAPF_PORTABLE"]):
        program = pathlib.Path(folder, "tried")
        built = subprocess.run(["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", *branch, f"-I{ROOT}/libapf/src", source, ROOT / own, "-o", program],
                               capture_output=True, text=True)
        verdict(f"the branch {branch} compiles", built.stderr or built.returncode)
        ran = subprocess.run([program, folder], capture_output=True, text=True)
        verdict(f"the branch {branch} works", "" if ran.stdout == "all\n" else ran.stderr)

print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
