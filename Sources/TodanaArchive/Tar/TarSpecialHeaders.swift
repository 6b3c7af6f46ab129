/// The records of the extended headers before an entry, read from the tar itself.
///
/// libarchive's parsed names depend on the encoding of the locale, which may lack their characters. It also reads
/// fractional times before 1970 differently (``PaxTime``).
struct TarSpecialHeaders {
  /// The maximum number of headers, which is more than libarchive accepts.
  private static let countLimit = 64

  private(set) var records = PaxRecords()
  /// Whether the entry is the rest of a file whose beginning is in another volume (`tar -M`).
  private(set) var isContinued = false
  /// Whether there were more headers than are kept.
  private(set) var isTooLong = false

  /// Reads from the offset of an entry up to the first header that is not special, or has no valid size.
  ///
  /// The end mark of a preceding tar is skipped.
  init(_ input: TarInput, at start: Int64) {
    var position = start
    while let bytes = input.bytes(at: position, count: TarBlock.byteCount), TarBlock(bytes).isEnd {
      position += Int64(TarBlock.byteCount)
    }
    for _ in 0..<Self.countLimit {
      guard let bytes = input.bytes(at: position, count: TarBlock.byteCount) else { break }
      let block = TarBlock(bytes)
      guard "AKLVXgx".utf8.contains(block.kind) else {
        // GNU's own format has a header type for a continued file.
        if block.kind == UInt8(ascii: "M") { isContinued = true }
        return
      }
      position += Int64(TarBlock.byteCount)
      // A volume name has no data, regardless of its size field.
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
    // GNU tar writes a global header with this record before the first entry of a volume if the entry is continued.
    if PaxRecords(body)["GNU.volume.offset"] != nil { isContinued = true }
  }
}
