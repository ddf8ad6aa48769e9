// What a process may use, on machines without and with control groups of both versions.
#include "base/process_limits.h"

#include <algorithm>
#include <filesystem>

#include "catch.h"
#include "support/folder.h"

namespace {

constexpr std::uint64_t kMi = 1u << 20;

// A machine with 1 GiB free.
struct Machine {
  apf::test::Folder root{"apf-limits-"};
  Machine() {
    write("/proc/meminfo", "MemTotal:        4194304 kB\nMemFree:          131072 kB\nMemAvailable:    1048576 kB\n");
  }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root.path + path).substr(0, (root.path + path).rfind('/')));
    root.write(path, text);
  }
  std::uint64_t free() const { return apf::free_memory(root.path); }
  int processors() const { return apf::processors(root.path); }
};

std::string bytes(std::uint64_t mebibytes) { return std::to_string(mebibytes * kMi) + "\n"; }

}  // namespace

TEST_CASE("free memory is what the kernel calls available", "[base]") {
  const Machine machine;
  CHECK(machine.free() == 1024 * kMi);
  CHECK(apf::free_memory(machine.root.path + "/none") == UINT64_MAX);
}

TEST_CASE("free memory ends where the container's does", "[base]") {
  const Machine machine;
  SECTION("version 2, seen from inside") {
    machine.write("/proc/self/cgroup", "0::/\n");
    machine.write("/sys/fs/cgroup/memory.current", bytes(300));
    machine.write("/sys/fs/cgroup/memory.stat", "anon 1\ninactive_file " + bytes(100));
    machine.write("/sys/fs/cgroup/memory.max", "max\n");
    CHECK(machine.free() == 1024 * kMi);
    machine.write("/sys/fs/cgroup/memory.max", bytes(512));
    CHECK(machine.free() == 312 * kMi);  // files that are read again are no loss
    machine.write("/sys/fs/cgroup/memory.max", bytes(150));
    CHECK(machine.free() == 0);
  }
  SECTION("version 2, the tightest of a group and those around it") {
    machine.write("/proc/self/cgroup", "0::/a/b\n");
    machine.write("/sys/fs/cgroup/a/memory.max", bytes(400));
    machine.write("/sys/fs/cgroup/a/memory.current", bytes(200));
    machine.write("/sys/fs/cgroup/a/b/memory.max", bytes(350));
    machine.write("/sys/fs/cgroup/a/b/memory.current", bytes(10));
    CHECK(machine.free() == 200 * kMi);
  }
  SECTION("version 1, with a path that is the host's") {
    machine.write("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/kubepods/pod1\n0::/\n");
    machine.write("/sys/fs/cgroup/memory/memory.limit_in_bytes", bytes(512));
    machine.write("/sys/fs/cgroup/memory/memory.usage_in_bytes", bytes(100));
    machine.write("/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file " + bytes(60));
    CHECK(machine.free() == 472 * kMi);
  }
}

TEST_CASE("threads are as many as the container has processors", "[base]") {
  const Machine machine;
  const int all = machine.processors();
  CHECK(all >= 1);
  SECTION("version 2") {
    machine.write("/proc/self/cgroup", "0::/a\n");
    machine.write("/sys/fs/cgroup/cpu.max", "max 100000\n");
    machine.write("/sys/fs/cgroup/a/cpu.max", "100000000 100000\n");
    CHECK(machine.processors() == all);
    machine.write("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    CHECK(machine.processors() == 1);
    machine.write("/sys/fs/cgroup/a/cpu.max", "150000 100000\n");
    CHECK(machine.processors() == std::min(all, 2));
    machine.write("/sys/fs/cgroup/a/cpu.max", "100000 0\n");
    CHECK(machine.processors() == all);
  }
  SECTION("version 1") {
    machine.write("/proc/self/cgroup", "1:cpu,cpuacct:/host/path\n");
    machine.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    machine.write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    CHECK(machine.processors() == all);
    machine.write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "90000\n");
    CHECK(machine.processors() == 1);
  }
}
