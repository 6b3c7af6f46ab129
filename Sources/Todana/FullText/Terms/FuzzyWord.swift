/// A word that a text may have with a number of changes.
struct FuzzyWord: Sendable {
  private let scalars: [UInt32]
  private let letters: UInt64
  /// The most changes: always fewer than the word has letters, so that it does not equal every short word.
  let edits: Int

  init(_ bytes: [UInt8], edits: Int) {
    scalars = unsafe bytes.withUnsafeBytes { unsafe Self.scalars(of: $0) }
    letters = scalars.reduce(0) { $0 | Self.bit(of: $1) }
    self.edits = min(edits, scalars.count - 1)
  }

  /// Tests whether a word of a text, in UTF-8, is the word with at most so many changes.
  func matches(_ word: UnsafeRawBufferPointer) -> Bool {
    // A scalar has at most four bytes.
    guard word.count <= 4 * (scalars.count + edits) else { return false }
    var found: UInt64 = 0
    var isASCII = true
    for index in 0..<word.count {
      let byte = unsafe word[index]
      found |= Self.bit(of: UInt32(byte))
      isASCII = isASCII && byte < 0x80
    }
    if isASCII {
      // A change adds at most one letter to each word that the other one does not have.
      guard abs(word.count - scalars.count) <= edits, (letters & ~found).nonzeroBitCount <= edits,
        (found & ~letters).nonzeroBitCount <= edits
      else { return false }
    }
    return EditDistance.isWithin(edits, scalars, unsafe Self.scalars(of: word))
  }

  private static func bit(of scalar: UInt32) -> UInt64 { 1 << UInt64(scalar & 63) }

  /// Returns the Unicode scalars of a text in UTF-8.
  private static func scalars(of bytes: UnsafeRawBufferPointer) -> [UInt32] {
    unsafe String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value)
  }
}
