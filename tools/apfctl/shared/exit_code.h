// The exit codes of apfctl. apfctl(1) documents them.
#pragma once

namespace apfctl {

// The command ran, and the answer is no: findings, changes (--check), failed expectations (--expect), denied objects.
inline constexpr int kNotOk = 1;
inline constexpr int kUsageOrInput = 2;      // a wrong command line, or input that cannot be used
inline constexpr int kInternalFailure = 70;  // apfctl itself failed; EX_SOFTWARE of sysexits.h
inline constexpr int kInterrupted = 130;     // 128 + SIGINT

}  // namespace apfctl
