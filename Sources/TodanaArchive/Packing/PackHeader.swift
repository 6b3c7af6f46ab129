/// The header of a member of a pack: a POSIX ustar block whose every byte follows from a name, a length and a time.
///
/// A header has only one valid form, so a reader detects each changed bit. libarchive is not used here: it reads any
/// tar, and its output depends on its version.
struct PackHeader: Equatable {
  /// The name, of one or two path components.
  var name: String
  var byteCount: Int64
  /// The modification time in seconds since 1970.
  var seconds: Int64

  private static let nameField = 0..<100
  private static let sizeField = 124..<136
  private static let timeField = 136..<148
  private static let prefixField = 345..<500
  /// The limit of numbers with eleven octal digits.
  private static let octalLimit = Int64(1) << 33

  /// The header's block; nil if the name or a number does not fit.
  var block: TarBlock? {
    var (directory, step) = ("", name[...])
    if let slash = name.firstIndex(of: "/") {
      (directory, step) = (String(name[..<slash]), name[name.index(after: slash)...])
    }
    guard !step.isEmpty, step.utf8.count < Self.nameField.count, directory.utf8.count < Self.prefixField.count,
      byteCount >= 0, 0..<Self.octalLimit ~= seconds
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: TarBlock.byteCount)
    func set(_ offset: Int, _ text: [UInt8]) { bytes.replaceSubrange(offset..<offset + text.count, with: text) }
    set(Self.nameField.lowerBound, Array(step.utf8))
    set(Self.prefixField.lowerBound, Array(directory.utf8))
    set(100, TarBlock.octal(0o600, digitCount: 7))
    for number in [108, 116, 329, 337] { set(number, TarBlock.octal(0, digitCount: 7)) }
    set(Self.sizeField.lowerBound, Self.size(byteCount))
    set(Self.timeField.lowerBound, TarBlock.octal(Int(seconds), digitCount: 11))
    set(156, Array("0".utf8))
    set(257, Array("ustar\u{0}00".utf8))
    var block = TarBlock(bytes)
    block.setChecksum()
    return block
  }

  init(name: String, byteCount: Int64, seconds: Int64) {
    (self.name, self.byteCount, self.seconds) = (name, byteCount, seconds)
  }

  /// Parses a block; nil if it differs in any bit from the block that ``block`` returns.
  init?(_ block: TarBlock) {
    func text(_ field: Range<Int>) -> String {
      String(decoding: block.bytes[field].prefix { $0 != 0 }, as: UTF8.self)
    }
    let directory = text(Self.prefixField)
    guard let byteCount = Self.size(in: block.bytes[Self.sizeField]),
      let seconds = Int64(text(Self.timeField), radix: 8)
    else { return nil }
    self.init(
      name: directory.isEmpty ? text(Self.nameField) : "\(directory)/\(text(Self.nameField))", byteCount: byteCount,
      seconds: seconds)
    guard self.block?.bytes == block.bytes else { return nil }
  }

  /// Returns the size as octal digits or, if they do not suffice, in GNU's form: 0x80 and an 11-byte number.
  private static func size(_ byteCount: Int64) -> [UInt8] {
    if byteCount < octalLimit { return TarBlock.octal(Int(byteCount), digitCount: 11) }
    return [0x80, 0, 0, 0] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: byteCount >> ($0 * 8)) }
  }

  private static func size(in field: ArraySlice<UInt8>) -> Int64? {
    guard field.first == 0x80 else {
      return Int64(String(decoding: field.prefix { $0 != 0 }, as: UTF8.self), radix: 8)
    }
    // If the number does not fit into the last eight bytes, the result is wrong. The initializer then refuses the
    // header, because the block of the wrong number differs from it.
    return field.suffix(8).reduce(0) { $0 << 8 | Int64($1) }
  }
}
