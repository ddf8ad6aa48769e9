// Runs a fuzzer where the compiler has no libFuzzer: its seeds, and then mutations and crosses of them by a random
// generator, blindly. Takes libFuzzer's arguments that run.sh uses; the others are left out of account.
//
//   FUZZER [-max_total_time=SECONDS] [-max_len=BYTES] [-seed=N] [-artifact_prefix=PATH] FILE|FOLDER...
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* count, char*** words);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr unsigned kSecondsOfOne = 10;

std::string current;  // what runs now
std::string artifact = "crash-input";

void keep() {
  std::ofstream(artifact, std::ios::binary) << current;
  std::fprintf(stderr, "the input is in %s\n", artifact.c_str());
}

[[noreturn]] void die(int number) {
  std::fprintf(stderr, number == SIGALRM ? "an input takes more than %u s\n" : "ended by a signal\n", kSecondsOfOne);
  keep();
  std::_Exit(77);
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::size_t most) : random_(seed), most_(most) {}

  std::string next(const std::vector<std::string>& corpus) {
    std::string text = corpus[random_() % corpus.size()];
    for (std::uint64_t steps = 1 + random_() % 6; steps > 0; --steps) step(text, corpus[random_() % corpus.size()]);
    if (text.size() > most_) text.resize(most_);
    return text;
  }

 private:
  std::size_t place(const std::string& text) { return random_() % (text.size() + 1); }

  void step(std::string& text, const std::string& other) {
    static const char* const kTexts[] = {"-1",
                                         "0",
                                         "9223372036854775807",
                                         "-9223372036854775808",
                                         "18446744073709551616",
                                         "1e400",
                                         "2562047h",
                                         "0.0000000001",
                                         "null",
                                         "[]",
                                         "{}",
                                         "\"\"",
                                         "\\ud800",
                                         "%2f",
                                         "//",
                                         "\xe2\x80\xae",
                                         "\x00",
                                         "\n",
                                         ",",
                                         ": ",
                                         "- ",
                                         "1700-01-01T00:00:00Z",
                                         "9999-12-31T23:59:59Z",
                                         "&a [*a,*a]",
                                         "!!binary ",
                                         "*",
                                         "NaN",
                                         "+Inf"};
    const std::size_t at = place(text), size = std::min<std::size_t>(random_() % 24, text.size() - at);
    switch (random_() % 9) {
      case 0:
        text.erase(at, size);
        break;
      case 1:
        text.insert(at, kTexts[random_() % std::size(kTexts)]);
        break;
      case 2:
        text.replace(at, size, kTexts[random_() % std::size(kTexts)]);
        break;
      case 3:
        text.insert(at, text.substr(place(text), random_() % 200));
        break;
      case 4:
        if (at < text.size()) text[at] = static_cast<char>(random_());
        break;
      case 5:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random_() % 8));
        break;
      case 6:
        replace_number(text, at);
        break;
      case 7:
        text = text.substr(0, at) + other.substr(place(other));
        break;
      default:
        text.insert(at, other.substr(place(other), random_() % 400));
    }
  }

  void replace_number(std::string& text, std::size_t at) {
    const std::size_t begin = text.find_first_of("0123456789", at);
    if (begin == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", begin), text.size());
    const std::uint64_t value = random_() >> random_() % 64;
    text.replace(begin, end - begin, std::to_string(value));
  }

  std::mt19937_64 random_;
  const std::size_t most_;
};

void run(const std::string& text) {
  current = text;
  ::alarm(kSecondsOfOne);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  ::alarm(0);
}

void add(const std::filesystem::path& path, std::size_t most, std::vector<std::string>& corpus) {
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      if (entry.is_regular_file()) add(entry.path(), most, corpus);
    return;
  }
  std::ifstream in(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (text.size() > most) text.resize(most);
  corpus.push_back(std::move(text));
}

}  // namespace

int main(int argc, char** argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  std::uint64_t seconds = 60, seed = 1;
  std::size_t most = 65536;
  std::vector<std::string> corpus;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i], value = argument.substr(argument.find('=') + 1);
    if (argument.starts_with("-max_total_time=")) seconds = std::stoull(value);
    else if (argument.starts_with("-max_len=")) most = std::stoull(value);
    else if (argument.starts_with("-seed=")) seed = std::stoull(value);
    else if (argument.starts_with("-artifact_prefix=")) artifact = value + "crash";
    else if (!argument.starts_with("-")) add(argument, most, corpus);
  }
  corpus.emplace_back();
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) std::signal(number, die);
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep);
  const auto begun = std::chrono::steady_clock::now();
  const auto is_over = [&] { return std::chrono::steady_clock::now() - begun >= std::chrono::seconds(seconds); };
  std::uint64_t units = 0;
  for (const std::string& text : corpus) run(text), ++units;
  std::vector<std::string> short_ones;  // long ones are mutated seldom: most of their time is reading
  for (const std::string& text : corpus)
    if (text.size() <= 4096) short_ones.push_back(text);
  for (Mutator mutator(seed, most); !is_over(); ++units) run(mutator.next(units % 16 == 0 ? corpus : short_ones));
  std::fprintf(stderr, "Done %llu runs of %zu seeds, seed %llu\nstat::number_of_executed_units: %llu\n",
               static_cast<unsigned long long>(units), corpus.size(), static_cast<unsigned long long>(seed),
               static_cast<unsigned long long>(units));
  return 0;
}
