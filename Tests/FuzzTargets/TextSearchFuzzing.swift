import Todana

/// The fuzzing of text expressions and of the texts that they search.
///
/// An input is an expression and a text, separated by a NUL; they need not be valid UTF-8.
enum TextSearchFuzzing {
  static func run(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let text = String(decoding: parts[0], as: UTF8.self)
    let entry = Entry()
    entry.title = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : text
    var expressions = [TextExpression(typed: text)]
    do throws(TextExpressionError) {
      expressions.append(try TextExpression(parsing: text))
    } catch {
      check(error, text)
    }
    do throws(TextExpressionError) {
      expressions.append(try TextExpression(dystopia: text))
    } catch {
      check(error, text)
    }
    for expression in expressions {
      let printed = "\(expression)"
      guard (try? TextExpression(parsing: printed)) == expression else { fatalError("\(printed) is read differently") }
      search(entry, expression)
    }
  }

  private static func check(_ error: TextExpressionError, _ text: String) {
    guard (0...text.unicodeScalars.count).contains(error.position), !error.message.isEmpty else {
      fatalError("an error has no place: \(error)")
    }
  }

  static let seeds: [[UInt8]] = [
    "blue gre\0Blue in Green", "\"kind of\" (blue OR green) -live\0Kind of Blue", "blu* AND *reen\0bluer, green",
    "*ee*\0Écoute, see", "blue~2 NEAR/3 green\0bleu in a green", "/ch[ao]ice/\0choice", "^\"kind of\"\0Kind of",
    "blue$ NOT red\0the blue", "[[*choice*]] && !![[draft]]\0choices", "[[[[a]] || b]]]]\0a b", "文件\0文件を開くファイル",
    "\\(\\\"\0(\"", "((((a))))\0a", "e\u{301}*\0É\u{308}e\u{301}", "👩‍👩‍👧\0👩‍👩‍👧 x", "ﬁ\0ﬁnale",
  ].map { Array($0.utf8) }

  /// Searches a text in all ways, each of which must give the same answer.
  private static func search(_ entry: Entry, _ expression: TextExpression) {
    do {
      let store = try Store(backend: KyotoBackend(.inMemory), classes: [Entry.self])
      try store.insert(entry)
      let query = Entry.where { $0.matches(expression, in: "title") }
      let hits = try? store.hits(query)
      let count: Int
      do throws(StoreError) {
        count = try store.count(Entry.where { $0.title.matches(expression) })
      } catch {
        // A regular expression may be invalid.
        guard error.code == .invalidQuery, hits == nil else { fatalError("a text is not searched: \(error)") }
        return
      }
      if let hits {
        guard hits.count == count else { fatalError("a text index gives another answer") }
        for hit in hits { check(hit, in: entry.title) }
      }
      _ = try store.count(Entry.where { $0.matches(expression, in: "english") })
      _ = try store.suggestions(for: "\(expression)", of: Entry.self, in: "title")
      try store.delete(entry)
      store.discardChanges()
    } catch {
      fatalError("a text is not searched: \(error)")
    }
  }

  private static func check(_ hit: TextHit<Entry>, in text: String) {
    guard hit.score >= 0, hit.score.isFinite else { fatalError("the score is \(hit.score)") }
    var end = text.startIndex
    for range in hit.ranges(in: \.title) {
      guard range.lowerBound >= end, range.upperBound <= text.endIndex, !range.isEmpty,
        range.lowerBound.samePosition(in: text) != nil, range.upperBound.samePosition(in: text) != nil
      else { fatalError("a match has the wrong place") }
      end = range.upperBound
    }
    for length in [0, 1, 5, 40] {
      let snippet = hit.snippet(of: \.title, open: "", close: "", length: length)
      guard snippet.count <= length + 2 else { fatalError("a snippet has \(snippet.count) characters") }
    }
  }
}

private final class Entry: StoredObject {
  var title = ""

  override class var textIndexes: [TextIndex] {
    [TextIndex(\Entry.title, name: "title"), TextIndex(\Entry.title, name: "english", language: .english)]
  }
}
