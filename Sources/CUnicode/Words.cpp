#include "Words.h"

#include "Tables.h"
#include "Utf8.h"

namespace todana::unicode {

namespace {

using B = WordBreak;

bool isNewline(WordBreak value) { return value == B::cr || value == B::lf || value == B::newline; }
// Rule WB4 passes over these after anything but a newline.
bool isPassedOver(WordBreak value) { return value == B::extend || value == B::format || value == B::zwj; }
bool isLetter(WordBreak value) { return value == B::aLetter || value == B::hebrewLetter; }
bool isMidLetter(WordBreak value) { return value == B::midLetter || value == B::midNumLet || value == B::singleQuote; }
bool isMidNumber(WordBreak value) { return value == B::midNum || value == B::midNumLet || value == B::singleQuote; }

bool isASCIILetter(uint8_t byte) { return static_cast<uint8_t>((byte | 0x20) - 'a') < 26; }

class Segmenter {
 public:
  Segmenter(const uint8_t *text, size_t count, Segmentation segmentation, std::vector<Segment> &segments)
      : text_(text), count_(count), findsAll_(segmentation == Segmentation::all), segments_(segments) {}

  void run() {
    size_t offset = 0;
    while (offset < count_) {
      if (raw_ == B::aLetter && isASCIILetter(text_[offset])) {
        offset = endOfLetters(offset);
        continue;
      }
      const Scalar scalar = decode(text_, count_, offset);
      const Property &own = property(scalar.value);
      if (offset > 0 && isBreak(own, offset + scalar.length)) finish(offset);
      isWord_ |= own.isOfWord();
      advance(own.wordBreak());
      offset += scalar.length;
    }
    if (count_ > start_) finish(count_);
  }

 private:
  void finish(size_t offset) {
    if (isWord_ || findsAll_) segments_.push_back({static_cast<uint32_t>(start_), static_cast<uint32_t>(offset)});
    start_ = offset;
    isWord_ = false;
  }

  // Moves over letters after a letter, between which rule WB5 allows no boundary.
  size_t endOfLetters(size_t offset) {
    do offset++;
    while (offset < count_ && isASCIILetter(text_[offset]));
    beforeLast_ = last_;
    return offset;
  }

  // Returns the value of the next scalar that rule WB4 does not pass over.
  WordBreak next(size_t offset) const {
    while (offset < count_) {
      const Scalar scalar = decode(text_, count_, offset);
      const WordBreak value = property(scalar.value).wordBreak();
      if (!isPassedOver(value)) return value;
      offset += scalar.length;
    }
    return B::other;
  }

  void advance(WordBreak value) {
    raw_ = value;
    if (isPassedOver(value) && hasLast_ && !isNewline(last_)) return;
    beforeLast_ = last_;
    last_ = value;
    hasLast_ = true;
    flagCount_ = value == B::regionalIndicator ? flagCount_ + 1 : 0;
  }

  // Tests whether there is a boundary before a scalar, which ends at `end`. The comments name the rules.
  bool isBreak(const Property &scalar, size_t end) const {
    const WordBreak own = scalar.wordBreak();
    if (raw_ == B::cr && own == B::lf) return false;  // WB3
    if (isNewline(raw_) || isNewline(own)) return true;  // WB3a, WB3b
    if (raw_ == B::zwj && scalar.isPictographic()) return false;  // WB3c
    if (raw_ == B::wSegSpace && own == B::wSegSpace) return false;  // WB3d
    if (isPassedOver(own)) return false;  // WB4
    if (isLetter(last_)) {
      if (isLetter(own)) return false;  // WB5
      if (isMidLetter(own) && isLetter(next(end))) return false;  // WB6
      if (last_ == B::hebrewLetter && own == B::singleQuote) return false;  // WB7a
      if (last_ == B::hebrewLetter && own == B::doubleQuote && next(end) == B::hebrewLetter) return false;  // WB7b
      if (own == B::numeric) return false;  // WB9
    }
    if (isMidLetter(last_) && isLetter(beforeLast_) && isLetter(own)) return false;  // WB7
    if (last_ == B::doubleQuote && beforeLast_ == B::hebrewLetter && own == B::hebrewLetter) return false;  // WB7c
    if (last_ == B::numeric) {
      if (own == B::numeric || isLetter(own)) return false;  // WB8, WB10
      if (isMidNumber(own) && next(end) == B::numeric) return false;  // WB12
    }
    if (isMidNumber(last_) && beforeLast_ == B::numeric && own == B::numeric) return false;  // WB11
    if (findsAll_ && last_ == B::katakana && own == B::katakana) return false;  // WB13
    const auto joins = [&](WordBreak value) {
      return isLetter(value) || value == B::numeric || (findsAll_ && value == B::katakana);
    };
    if (own == B::extendNumLet && (joins(last_) || last_ == B::extendNumLet)) return false;  // WB13a
    if (last_ == B::extendNumLet && joins(own)) return false;  // WB13b
    if (last_ == B::regionalIndicator && own == B::regionalIndicator) return flagCount_ % 2 == 0;  // WB15, WB16
    return true;  // WB999
  }

  const uint8_t *const text_;
  const size_t count_;
  const bool findsAll_;
  std::vector<Segment> &segments_;
  size_t start_ = 0;
  bool isWord_ = false;
  WordBreak raw_ = B::other;
  // The last two values that rule WB4 does not pass over.
  WordBreak last_ = B::other, beforeLast_ = B::other;
  bool hasLast_ = false;
  size_t flagCount_ = 0;
};

}  // namespace

void findSegments(const uint8_t *text, size_t count, Segmentation segmentation, std::vector<Segment> &segments) {
  Segmenter(text, count, segmentation, segments).run();
}

}  // namespace todana::unicode
