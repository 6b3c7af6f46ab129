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
  public var description: String { "\(commitNumber)-\(Hexadecimal.text(of: code))" }

  /// An anchor from its ``description``; nil where the text is none.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = CommitNumber(parts[0]), "\(number)" == parts[0],
      let code = Hexadecimal.bytes(of: parts[1]), code.count == Self.codeByteCount
    else { return nil }
    self.init(commitNumber: number, code: code)
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
