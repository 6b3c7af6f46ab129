/// A commit of a store, to be kept outside of it: opening the store with it tells whether the store still has that commit.
///
/// Who can write to a store's directory can put an older copy of it in its place, which is whole in itself. Only somebody
/// who remembers something newer can tell.
///
/// ```swift
/// let anchor = try store.anchor()          // to be kept with the passphrase, say
/// let store = try Store(location, classes: classes, configuration: configuration, expecting: anchor)
/// ```
///
/// An anchor of an encrypted store cannot be made without its keys. A plain store's can be made by anybody: it finds
/// mistakes, such as a wrong copy, and no malice.
public struct StoreAnchor: Sendable, Hashable, LosslessStringConvertible {
  /// The commit.
  public let commitNumber: CommitNumber
  let code: [UInt8]

  static let codeByteCount = 16

  init(commitNumber: CommitNumber, code: [UInt8]) {
    self.commitNumber = commitNumber
    self.code = code
  }

  /// The commit's number, a hyphen, and 32 hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("\(commitNumber)-".utf8)
    for byte in code {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// An anchor from its ``description``; nil where the text is none.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = CommitNumber(parts[0]), parts[0].utf8.allSatisfy({ $0 >= 48 && $0 <= 57 }),
      parts[1].utf8.count == 2 * Self.codeByteCount
    else { return nil }
    let digits = parts[1].compactMap { $0.isASCII ? $0.hexDigitValue : nil }
    guard digits.count == 2 * Self.codeByteCount else { return nil }
    commitNumber = number
    code = (0..<Self.codeByteCount).map { UInt8(digits[2 * $0] << 4 | digits[2 * $0 + 1]) }
  }
}

extension StoreAnchor: Codable {
  /// From its ``description``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let anchor = StoreAnchor(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is no anchor of a store.")
    }
    self = anchor
  }

  /// As its ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
