/// The record of a class about itself, in row 1.
package struct BNRClassMetadata: Sendable, Equatable {
  package let lastRow: UInt32
  package let version: UInt8
  package let classID: UInt8
  /// The two words of the salt; nil in files that are older than encryption.
  package let salt: [UInt32]?

  init(_ bytes: [UInt8]) throws(LegacyError) {
    guard bytes.count == 6 || bytes.count == 14 else {
      throw LegacyError(.damaged, "the metadata of the class have \(bytes.count) bytes instead of 14 or 6")
    }
    func word(_ start: Int) -> UInt32 { bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    lastRow = word(0)
    version = bytes[4]
    classID = bytes[5]
    salt = bytes.count == 14 ? [word(6), word(10)] : nil
  }
}
