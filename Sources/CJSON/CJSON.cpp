#include "include/CJSON.h"

#include <memory>
#include <new>
#include <utility>

// An invalid state of a writer must not end the process.
#define RAPIDJSON_ASSERT(condition) static_cast<void>(0)

#include <rapidjson/error/en.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

namespace {

// Passes RapidJSON's events on.
class Handler {
 public:
  Handler(void *context, tdj_take take) : context_(context), take_(take) {}

  bool Null() { return pass(TDJ_NULL); }
  bool Bool(bool value) { return pass(value ? TDJ_TRUE : TDJ_FALSE); }
  bool RawNumber(const char *text, rapidjson::SizeType count, bool) { return take_(context_, TDJ_NUMBER, text, count); }
  bool String(const char *text, rapidjson::SizeType count, bool) { return take_(context_, TDJ_STRING, text, count); }
  bool Key(const char *text, rapidjson::SizeType count, bool) { return take_(context_, TDJ_KEY, text, count); }
  bool StartObject() { return pass(TDJ_OBJECT_START); }
  bool EndObject(rapidjson::SizeType) { return pass(TDJ_OBJECT_END); }
  bool StartArray() { return pass(TDJ_ARRAY_START); }
  bool EndArray(rapidjson::SizeType) { return pass(TDJ_ARRAY_END); }

  // Numbers are passed as texts, so these are never called.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

 private:
  bool pass(tdj_part part) { return take_(context_, part, nullptr, 0); }

  void *context_;
  tdj_take take_;
};

constexpr unsigned kParseFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag |
                                 rapidjson::kParseNumbersAsStringsFlag;

using UTF8 = rapidjson::UTF8<>;

template <class Writer> bool write(Writer &writer, tdj_part part, const char *bytes, size_t count) {
  const auto length = static_cast<rapidjson::SizeType>(count);
  const char *const text = bytes ? bytes : "";
  switch (part) {
    case TDJ_NULL: return writer.Null();
    case TDJ_FALSE: return writer.Bool(false);
    case TDJ_TRUE: return writer.Bool(true);
    case TDJ_NUMBER: return writer.RawValue(text, length, rapidjson::kNumberType);
    case TDJ_STRING: return writer.String(text, length);
    case TDJ_KEY: return writer.Key(text, length);
    case TDJ_ARRAY_START: return writer.StartArray();
    case TDJ_ARRAY_END: return writer.EndArray();
    case TDJ_OBJECT_START: return writer.StartObject();
    case TDJ_OBJECT_END: return writer.EndObject();
  }
  return false;
}

}  // namespace

struct tdj_writer {
  explicit tdj_writer(bool isPretty) : isPretty(isPretty), compact(buffer), pretty(buffer) { pretty.SetIndent(' ', 2); }

  bool isPretty;
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> compact;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> pretty;
};

tdj_outcome tdj_parse(
  const char *text, size_t count, void *context, tdj_take take, size_t *offset, const char **message) {
  rapidjson::MemoryStream stream(text ? text : "", count);
  rapidjson::EncodedInputStream<UTF8, rapidjson::MemoryStream> input(stream);
  rapidjson::Reader reader;
  Handler handler(context, take);
  try {
    const rapidjson::ParseResult result = reader.Parse<kParseFlags>(input, handler);
    *offset = result.Offset();
    if (!result.IsError()) return TDJ_PARSED;
    *message = rapidjson::GetParseError_En(result.Code());
    switch (result.Code()) {
      case rapidjson::kParseErrorTermination: return TDJ_STOPPED;
      case rapidjson::kParseErrorNumberTooBig: return TDJ_TOO_LARGE;
      default: return TDJ_INVALID;
    }
  } catch (const std::bad_alloc &) {
    *offset = 0;
    *message = "There is not enough memory.";
    return TDJ_INVALID;
  }
}

tdj_writer *tdj_writer_new(bool is_pretty) {
  try {
    return new tdj_writer(is_pretty);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void tdj_writer_free(tdj_writer *writer) { delete writer; }

bool tdj_write(tdj_writer *writer, tdj_part part, const char *bytes, size_t count) {
  try {
    return writer->isPretty ? write(writer->pretty, part, bytes, count) : write(writer->compact, part, bytes, count);
  } catch (const std::bad_alloc &) {
    return false;
  }
}

const char *tdj_written(tdj_writer *writer, size_t *count) {
  *count = writer->buffer.GetSize();
  return writer->buffer.GetString();
}
