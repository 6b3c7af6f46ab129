import Foundation

/// A kind of damage to a file.
public enum FileDamage: CaseIterable, Sendable {
  case flippedBit, zeroedPage, garbage, cut

  /// Damages the file at a random place; an empty file is left unchanged.
  ///
  /// - Throws: An error if the file cannot be read or written.
  public func apply(to file: String, _ random: inout SeededGenerator) throws {
    var bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: bytes.indices, using: &random)
    switch self {
    case .flippedBit: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case .zeroedPage:
      for index in (place & ~4095)..<min(bytes.count, (place & ~4095) + 4096) { bytes[index] = 0 }
    case .garbage:
      for index in place..<min(bytes.count, place + 100) { bytes[index] = UInt8.random(in: 0...255, using: &random) }
    case .cut: bytes.removeSubrange(place...)
    }
    try Data(bytes).write(to: URL(filePath: file))
  }
}
