import CRegularExpressions

/// A compiled regular expression in the syntax of RE2, in which case does not count.
///
/// Safe to share: RE2 locks what matching changes.
@safe
final class RegularExpression: @unchecked Sendable {
  /// The reason why an expression is invalid.
  struct Invalid: Error {
    let reason: String
  }

  private let expression: OpaquePointer
  private let pattern: String

  init(_ pattern: String) throws(Invalid) {
    var message = [CChar](repeating: 0, count: 256)
    var pattern = pattern
    let compiled = pattern.withUTF8 { bytes in
      unsafe tdr_compile(bytes.baseAddress, bytes.count, &message, message.count)
    }
    guard let compiled = unsafe compiled else {
      throw Invalid(reason: String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
    unsafe expression = compiled
    self.pattern = pattern
  }

  deinit { unsafe tdr_free(expression) }

  /// Returns the first match in a text in UTF-8, as a range of bytes, from a position on.
  func firstMatch(in text: UnsafeRawBufferPointer, from position: Int = 0) -> Range<Int>? {
    var start = 0
    var end = 0
    let bytes = unsafe text.bindMemory(to: UInt8.self)
    let isFound = unsafe tdr_find(expression, bytes.baseAddress, bytes.count, position, &start, &end)
    return isFound ? start..<end : nil
  }

  /// Returns parts of folded texts without which there is no match: a text has all parts of one alternative at least.
  ///
  /// - Returns: The alternatives; none if a text without such parts may match.
  func requiredParts() -> [[[UInt8]]] {
    let literals = Literals()
    var pattern = pattern
    let isDone = pattern.withUTF8 { bytes in
      let context = unsafe Unmanaged.passUnretained(literals).toOpaque()
      return unsafe tdr_find_literals(
        bytes.baseAddress, bytes.count,
        { context, alternative, bytes, count in
          // The context is the list, which lives during the call.
          let literals = unsafe Unmanaged<Literals>.fromOpaque(context).takeUnretainedValue()
          unsafe literals.add(Array(UnsafeBufferPointer(start: bytes, count: count)), to: alternative)
        }, context)
    }
    return isDone && !literals.alternatives.contains(where: \.isEmpty) ? literals.alternatives : []
  }

  /// The literals that RE2 finds in an expression, as far as folded texts have them.
  private final class Literals {
    private(set) var alternatives: [[[UInt8]]] = []

    func add(_ literal: [UInt8], to alternative: Int) {
      while alternatives.count <= alternative { alternatives.append([]) }
      // RE2 finds lower case in a text in lower case; folded texts are folded in further ways.
      let text = String(decoding: literal, as: UTF8.self)
      let folded = AnalyzedText.with(text, trims: false) { text in unsafe Array(text.bytes) }
      if folded == literal { alternatives[alternative].append(literal) }
    }
  }
}
