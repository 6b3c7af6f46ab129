/// The records of the extended headers before an entry, read from the tar itself.
///
/// libarchive gives names in the encoding of the locale, which may not have them, and times before 1970 by its own rule.
struct TarSpecialHeaders {
  /// More than libarchive goes through.
  private static let countLimit = 64

  private(set) var records = PaxRecords()
  /// Whether the entry is the rest of a file whose beginning is in another volume (`tar -M`).
  private(set) var isContinued = false
  /// Whether there was more than is kept.
  private(set) var isTooLong = false

  /// Reads from where an entry begins, up to what is no special header, or has no size.
  ///
  /// The end of another tar may be before it.
  init(_ input: TarInput, at start: Int64) {
    var position = start
    while let bytes = input.bytes(at: position, count: TarBlock.byteCount), TarBlock(bytes).isEnd {
      position += Int64(TarBlock.byteCount)
    }
    for _ in 0..<Self.countLimit {
      guard let bytes = input.bytes(at: position, count: TarBlock.byteCount) else { break }
      let block = TarBlock(bytes)
      guard "AKLVXgx".utf8.contains(block.kind) else {
        // GNU's own format has a kind for it.
        if block.kind == UInt8(ascii: "M") { isContinued = true }
        return
      }
      position += Int64(TarBlock.byteCount)
      // A volume's name has no data, whatever its size says.
      if block.kind == UInt8(ascii: "V") { continue }
      guard let count = block.dataByteCount else { return }
      if "Xgx".utf8.contains(block.kind) {
        guard let body = input.bytes(at: position, count: count) else { break }
        take(body, isGlobal: block.kind == UInt8(ascii: "g"))
      }
      position += Int64(TarBlock.padded(count))
    }
    isTooLong = true
  }

  private mutating func take(_ body: [UInt8], isGlobal: Bool) {
    guard isGlobal else { return records.append(body) }
    // GNU tar writes such a header before the first entry of a volume, if that is a rest.
    if PaxRecords(body)["GNU.volume.offset"] != nil { isContinued = true }
  }
}
