/// The records of the extended headers before an entry, read from the tar itself.
///
/// libarchive gives names in the encoding of the locale, which may not have them, and times before 1970 by its own rule.
struct TarSpecialHeaders {
  /// More than libarchive goes through.
  private static let countLimit = 64

  private(set) var records = PaxRecords()
  /// Whether there was more than is kept.
  private(set) var isTooLong = false

  /// Reads from where an entry begins, up to what is no special header, or has no size.
  init(_ input: TarInput, at start: Int64) {
    var position = start
    for _ in 0..<Self.countLimit {
      guard let bytes = input.bytes(at: position, count: TarBlock.byteCount) else { break }
      let block = TarBlock(bytes)
      guard "AKLVXgx".utf8.contains(block.kind) else { return }
      position += Int64(TarBlock.byteCount)
      // A volume's name has no data, whatever its size says.
      if block.kind == UInt8(ascii: "V") { continue }
      guard let count = block.dataByteCount else { return }
      if "Xx".utf8.contains(block.kind) {
        guard let body = input.bytes(at: position, count: count) else { break }
        records.append(body)
      }
      position += Int64(TarBlock.padded(count))
    }
    isTooLong = true
  }
}
