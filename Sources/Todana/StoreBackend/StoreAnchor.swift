/// A commit of a store, kept outside of it to detect an older copy of the store in its place.
///
/// An attacker who can write to a store's directory can replace it by an older copy, which is complete in itself.
/// Opening a store with an anchor checks whether the store still has the anchor's commit.
///
/// ```swift
/// let anchor = try store.anchor()          // to be kept with the passphrase, say
/// let store = try Store(location, classes: classes, configuration: configuration, expecting: anchor)
/// ```
///
/// Making an anchor of an encrypted store requires its keys. An anchor of a plain store requires no keys: it detects
/// mistakes, such as a wrong copy, but no attacks.
public struct StoreAnchor: Sendable, Hashable, LosslessStringConvertible {
  /// The number of the anchor's commit.
  public let commitNumber: CommitNumber
  let code: [UInt8]

  static let codeByteCount = 16

  init(commitNumber: CommitNumber, code: [UInt8]) {
    self.commitNumber = commitNumber
    self.code = code
  }

  /// The commit's number, a hyphen, and 32 hexadecimal digits.
  public var description: String { "\(commitNumber)-\(Hexadecimal.text(of: code))" }

  /// Creates an anchor from its ``description``; nil if the text is not one.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = CommitNumber(parts[0]), "\(number)" == parts[0],
      let code = Hexadecimal.bytes(of: parts[1]), code.count == Self.codeByteCount
    else { return nil }
    self.init(commitNumber: number, code: code)
  }
}

extension StoreAnchor: Codable {
  /// Decodes an anchor from its ``description``.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let anchor = StoreAnchor(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a store anchor.")
    }
    self = anchor
  }

  /// Encodes the anchor as its ``description``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
