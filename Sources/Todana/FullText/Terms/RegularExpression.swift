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
}
