// What remarks say: rows of a table, from which their sentences, hints and JSON follow.
#include "report/core/remarks.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include <apf/report_words.h>
#include <fmt/core.h>

#include "base/remark_names.h"
#include "report/core/units.h"

namespace apf {

namespace {

using R = const Remark&;

// Where a remark has a value, and what kind of value that is.
enum class RemarkField : std::uint8_t {
  count,
  total,
  other,
  thousandths,  // other, in thousandths
  time,
  second_duration,  // time, which is no instant
  duration,
  offset,  // duration, by which a clock is behind another one
  name,
  detail,
};

struct RemarkValue {
  RemarkField field;
  std::string_view name;           // what it is, for the sentence and the manual
  const char* json_key = nullptr;  // if it is not the field's
};

// The sentence and the hint are texts with values in braces:
//
//   {NAME}                   the value: 1,200 or 1.23s or a text; or a phrase, see below
//   {NAME?A|B}               A if the remark has the value, else B
//   {NAME=WORD?A|B}          A if the value is shown as WORD, else B
//   {NAME:A|B}               A if it is 1, else B
//
// A and B may have values in braces, and # is the value that decides between them.
struct RemarkRow {
  std::string_view name;  // as to_string() has it
  RemarkValue values[7];
  std::string_view sentence;
  std::string_view manual;  // for tools/docs/remarks.py
  std::string_view hint = {};
};

namespace remark_rows {
using enum RemarkField;
constexpr RemarkRow kRemarkRows[] = {
#include "report/core/remarks.inc"
};
}  // namespace remark_rows
using remark_rows::kRemarkRows;

constexpr const RemarkRow& row_of(RemarkKind kind) { return kRemarkRows[static_cast<std::size_t>(kind)]; }

constexpr const RemarkValue* find_value(const RemarkRow& row, std::string_view name) {
  for (const RemarkValue& value : row.values)
    if (value.name == name) return &value;
  return nullptr;
}

// What follows from several values, or is not a text of its own.
struct RemarkPhrase {
  std::string_view name;
  std::string (*words)(R);
};

std::string share_refused(R r) { return human_percent(r.count.value_or(0), r.total.value_or(0)); }

constexpr RemarkPhrase kRemarkPhrases[] = {{"share refused", share_refused}};

constexpr const RemarkPhrase* find_phrase(std::string_view name) {
  for (const RemarkPhrase& phrase : kRemarkPhrases)
    if (phrase.name == name) return &phrase;
  return nullptr;
}

// What stands in braces.
struct RemarkChoice {
  std::string_view name;
  char sign = '}';        // what follows the name: one of } ? = :
  std::string_view word;  // behind =
  std::string_view yes, no;
  std::size_t size = 0;  // with the closing brace
};

// `text` begins behind the opening brace.
constexpr RemarkChoice read_choice(std::string_view text) {
  RemarkChoice out;
  std::size_t at = text.find_first_of("}?=:");
  out.name = text.substr(0, at);
  out.sign = text[at];
  if (out.sign == '=') {
    const std::size_t word = at + 1;
    at = text.find('?', word);
    out.word = text.substr(word, at - word);
  }
  std::size_t end = at, bar = 0;
  for (int depth = 0; depth > 0 || text[end] != '}'; ++end) {
    depth += (text[end] == '{') - (text[end] == '}');
    if (depth == 0 && text[end] == '|') bar = end;
  }
  out.size = end + 1;
  if (bar == 0) return out;
  out.yes = text.substr(at + 1, bar - at - 1);
  out.no = text.substr(bar + 1, end - bar - 1);
  return out;
}

// All that stands in braces is a value of the row or a phrase, and decides between two texts unless it is one itself.
constexpr bool names_its_values(const RemarkRow& row, std::string_view text) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const RemarkChoice choice = read_choice(text.substr(at + 1));
    const bool is_shown = choice.sign == '}', decides = choice.yes.data() != nullptr;
    if (is_shown == decides || !(find_value(row, choice.name) || (is_shown && find_phrase(choice.name)))) return false;
  }
  return true;
}
static_assert(std::equal(std::begin(kRemarkRows), std::end(kRemarkRows), kRemarkNames.begin(), kRemarkNames.end(),
                         [](const RemarkRow& row, const RemarkName& name) { return row.name == name.view(); }),
              "run tools/docs/remarks.py");

static_assert(std::all_of(std::begin(kRemarkRows), std::end(kRemarkRows), [](const RemarkRow& row) {
  return names_its_values(row, row.sentence) && names_its_values(row, row.hint);
}));

// How each field is kept, called in JSON, and shown.
struct RemarkFieldRow {
  const char* json_key;
  std::optional<std::uint64_t> Remark::*number = nullptr;
  std::string (*show_number)(std::uint64_t) = nullptr;
  std::optional<Nanos> Remark::*nanos = nullptr;
  std::string (*show_nanos)(Nanos) = nullptr;
  std::string Remark::*text = nullptr;
};

std::string of_a_thousand(std::uint64_t number) { return decimals(static_cast<double>(number) / 1000, 2); }

std::string behind_or_ahead(Nanos offset) {
  return human_duration(std::abs(offset)) + (offset > 0 ? " behind" : " ahead of");
}

constexpr RemarkFieldRow kRemarkFields[] = {
    // as in RemarkField
    {.json_key = "count", .number = &Remark::count, .show_number = grouped},
    {.json_key = "total", .number = &Remark::total, .show_number = grouped},
    {.json_key = "other", .number = &Remark::other, .show_number = grouped},
    {.json_key = "other", .number = &Remark::other, .show_number = of_a_thousand},
    {.json_key = "timeNs", .nanos = &Remark::time, .show_nanos = format_rfc3339},
    {.json_key = "timeNs", .nanos = &Remark::time, .show_nanos = human_duration},
    {.json_key = "durationNs", .nanos = &Remark::duration, .show_nanos = human_duration},
    {.json_key = "durationNs", .nanos = &Remark::duration, .show_nanos = behind_or_ahead},
    {.json_key = "name", .text = &Remark::name},
    {.json_key = "detail", .text = &Remark::detail},
};

// One of each that are kept in the same member.
constexpr RemarkField kRemarkMembers[] = {RemarkField::count, RemarkField::total,    RemarkField::other,
                                          RemarkField::time,  RemarkField::duration, RemarkField::name,
                                          RemarkField::detail};

const RemarkFieldRow& row_of(RemarkField field) { return kRemarkFields[static_cast<std::size_t>(field)]; }

bool is_there(R r, const RemarkFieldRow& field) {
  if (field.number) return (r.*field.number).has_value();
  return field.nanos ? (r.*field.nanos).has_value() : !(r.*field.text).empty();
}

std::string shown(R r, const RemarkFieldRow& field) {
  if (field.number) return field.show_number((r.*field.number).value_or(0));
  return field.nanos ? field.show_nanos((r.*field.nanos).value_or(0)) : r.*field.text;
}

// `decided`: what # stands for.
std::string in_words(R r, std::string_view text, const std::string& decided = {}) {
  std::string out;
  for (std::size_t at; (at = text.find_first_of("{#")) != std::string_view::npos;) {
    out += text.substr(0, at);
    const bool is_decided = text[at] == '#';
    text.remove_prefix(at + 1);
    if (is_decided) {
      out += decided;
      continue;
    }
    const RemarkChoice choice = read_choice(text);
    text.remove_prefix(choice.size);
    if (const RemarkPhrase* phrase = find_phrase(choice.name)) {
      out += phrase->words(r);
      continue;
    }
    const RemarkFieldRow& field = row_of(find_value(row_of(r.kind), choice.name)->field);
    const std::string value = shown(r, field);
    const bool yes = choice.sign == '?' ? is_there(r, field) : value == (choice.sign == '=' ? choice.word : "1");
    out += choice.sign == '}' ? value : in_words(r, yes ? choice.yes : choice.no, value);
  }
  return out += text;
}

}  // namespace

std::string sentence_of(const Remark& remark) { return in_words(remark, row_of(remark.kind).sentence); }

std::string hint_of(const Remark& remark) { return in_words(remark, row_of(remark.kind).hint); }

void add_hints(std::vector<Remark>& remarks) {
  for (Remark& remark : remarks)
    if (std::string hint = hint_of(remark); !hint.empty()) remark.hint = std::move(hint);
}

void warn_of_seats(int assumed, std::vector<Remark>& remarks) {
  remarks.push_back({.kind = RemarkKind::seats_assumed, .count = static_cast<std::uint64_t>(assumed)});
  add_hints(remarks);
}

std::string render_text(const Remark& remark) {
  std::string out = sentence_of(remark);
  if (remark.hint.empty()) return out;
  const bool ends = out.ends_with('.');
  if (ends) out.pop_back();
  return out + " (" + remark.hint + (ends ? ")." : ")");
}

std::vector<std::string> texts_of(const std::vector<Remark>& remarks) {
  std::vector<std::string> out;
  for (const Remark& remark : remarks) out.push_back(render_text(remark));
  return out;
}

void write_remark_fields(JsonWriter& json, const Remark& remark) {
  json.field("kind", to_string(remark.kind)).field("message", sentence_of(remark));
  if (!remark.hint.empty()) json.field("hint", remark.hint);
  const auto write = [&](const RemarkFieldRow& field, const char* key) {
    if (!is_there(remark, field)) return;
    if (field.number) json.field(key, *(remark.*field.number));
    else if (field.nanos) json.field(key, *(remark.*field.nanos));
    else json.field(key, remark.*field.text);
  };
  const auto& values = row_of(remark.kind).values;
  for (const RemarkValue& value : values) {
    const RemarkFieldRow& field = row_of(value.field);
    if (!value.name.empty()) write(field, value.json_key ? value.json_key : field.json_key);
  }
  // A value that the row does not name is not lost. In results of ours there is none: tests/schema/check.py looks.
  for (const RemarkField member : kRemarkMembers) {
    const RemarkFieldRow& field = row_of(member);
    const auto is_named = [&](const RemarkValue& value) {
      return !value.name.empty() && std::string_view(row_of(value.field).json_key) == field.json_key;
    };
    if (std::none_of(std::begin(values), std::end(values), is_named)) write(field, field.json_key);
  }
}

void write_remarks(JsonWriter& json, const char* key, const std::vector<Remark>& remarks) {
  json.key(key).begin_array();
  for (const Remark& remark : remarks) {
    json.begin_object();
    write_remark_fields(json, remark);
    json.end_object();
  }
  json.end_array();
}

std::string first_in_words(Nanos first, const std::vector<Remark>& warnings) {
  const std::string time = format_rfc3339(first);
  const bool assumed = std::any_of(warnings.begin(), warnings.end(),
                                   [](const Remark& remark) { return remark.kind == RemarkKind::log_year_unknown; });
  return assumed ? time.substr(time.find('-') + 1) + " of a year that the log does not say" : time;
}

}  // namespace apf
