// Writing: JSON (compact, keys in the order given, the same bytes everywhere), and files that appear under their names
// only when they are complete.
//
//   apf::JsonWriter json;
//   json.begin_object().field("name", "workload-low").key("seats").begin_array().value(1).value(2).end_array();
//   json.end_object();
//   apf::OutputFile file("report.json");
//   file.write(json.take());  // {"name":"workload-low","seats":[1,2]}
//   file.commit();            // without it nothing changes
//
// The JSON writer puts the commas; that objects and arrays are closed, and that each member has its key, is for the
// caller to see to. It throws nothing but std::bad_alloc. An OutputFile throws Error, which names the file and the
// reason. An object belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <apf/version.h>

namespace apf {

// Appends `text` as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, control
// characters, U+2028 and U+2029 are escaped.
APF_API void append_json_string(std::string& out, std::string_view text);

// Appends the shortest decimal that reads back as `value`, in JSON's grammar; null for NaN and infinities.
APF_API void append_json_double(std::string& out, double value);

// As a word of a command line that a reader is told to type: in quotes where a shell needs them.
APF_API std::string shell_word(std::string_view text);

// A writer that puts the commas: begin_object().key("a").value(1).end_object().
class APF_API JsonWriter {
 public:
  JsonWriter() = default;
  // With room for this number of bytes, more where they are needed.
  explicit JsonWriter(std::size_t expected_size) { out_.reserve(expected_size); }
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(unsigned number) { return value(static_cast<std::uint64_t>(number)); }
  JsonWriter& value(double number);
  JsonWriter& value(bool flag);
  JsonWriter& null();
  // A 64-bit number as a decimal string, because JSON readers lose digits beyond 2^53.
  JsonWriter& decimal_string(std::uint64_t number);
  // `json` is copied unchanged and must be one valid JSON value.
  JsonWriter& raw(std::string_view json);
  // Members of an object, as they stand: "a":1,"b":2.
  JsonWriter& members(std::string_view json);
  // Shorthand for key(name).value(x).
  template <class T>
  JsonWriter& field(std::string_view name, const T& x) {
    return key(name).value(x);
  }

  const std::string& str() const { return out_; }
  std::string take();

 private:
  void separate();
  std::string out_;
  bool need_comma_ = false;
};

// --- files ---
//
// An existing file keeps its mode, its owner and its other names (hard links); a new one gets the mode that the umask
// leaves. A symbolic link stays one: what it leads to is replaced. "-" and /dev/stdout mean standard output,
// /dev/stderr and /dev/fd/N that descriptor; they, pipes and devices are written to directly.

// Where replays keep what their memory does not hold, in files without names: /tmp, unless this is called before them.
// Not for two threads at once.
APF_API void set_temporary_directory(std::string path);

class APF_API OutputFile {
 public:
  // Opens a file of its own in the folder of the target. An empty path: nothing is written.
  explicit OutputFile(std::string path);
  // One without a name in the temporary directory, for what will be copied into `of`.
  static OutputFile scratch_for(const OutputFile& of);
  OutputFile(OutputFile&& other) noexcept;
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  bool active() const { return fd_ >= 0; }
  void write(std::string_view text);  // keeps up to 64 KiB back
  void flush();
  // Writes all of a scratch file.
  void append(OutputFile& scratch);
  void commit();
  // Whether what was written so far can be taken back: not from a pipe, a device or a descriptor that others share.
  bool can_begin_again() const;
  void begin_again();
  // The reader of a pipe is gone: further text is dropped.
  bool closed_pipe() const { return closed_pipe_; }

 private:
  OutputFile() = default;
  void open_target();
  void open_temporary();
  void keep_owner();
  void put_in_place();
  void copy_in_place();
  [[noreturn]] void fail() const;

  std::string path_, target_, temporary_, buffer_;
  int fd_ = -1;
  int slot_ = -1;            // among the unfinished files
  bool own_ = true;          // the descriptor is closed at the end
  bool exists_ = false;      // the target
  bool keeps_file_ = false;  // the existing file gets the text, since it has other names or another owner
  unsigned mode_ = 0, user_ = 0, group_ = 0;
  bool closed_pipe_ = false;
};

// Removes the unfinished files of all OutputFiles. For handlers of signals that end the process: it may be called at
// any time in any thread.
APF_API void remove_unfinished_files() noexcept;

}  // namespace apf
