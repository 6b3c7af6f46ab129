/// What a ``DataBuffer`` refuses, read or write.
///
/// Switch over ``code``; show ``description`` to a person. A store that passes the error on adds class and row.
public struct DataBufferError: Error, Sendable, Equatable, CustomStringConvertible {
  public var code: Code
  /// What went wrong and what can be done about it; never content that was read or written.
  public var message: String
  /// Where the refused value begins, in bytes from the start of the content.
  public var byteOffset: Int?
  /// Which call of a write method it was, counted from 1; nil for errors met while reading.
  public var fieldNumber: Int?

  public init(_ code: Code, _ message: String, byteOffset: Int? = nil, fieldNumber: Int? = nil) {
    self.code = code
    self.message = message
    self.byteOffset = byteOffset
    self.fieldNumber = fieldNumber
  }

  @nonexhaustive
  public enum Code: Sendable {
    // Met while reading.

    /// The bytes end before the value does.
    case truncated
    /// A string's bytes are not UTF-8.
    case invalidUTF8
    /// A count promises more than the bytes that are left can hold.
    case countTooLarge
    /// A varint does not fit its 64 bits.
    case varintOverflow
    /// Bytes are left over after the content was read.
    case trailingBytes
    /// An enumeration has no case with the raw value that was read.
    case unknownRawValue

    // Met while reading and writing.

    /// A value that its type cannot have, such as a Bool of 2.
    case invalidValue
    /// A Codable value could not be encoded or decoded.
    case codableFailure
    /// A reference was read or written in a buffer that belongs to no store.
    case referencesUnavailable
    /// A reference's class is not the one that was asked for.
    case referenceWrongClass
    /// A reference's class is not registered with the store.
    case referenceUnknownClass

    // Met while writing.

    /// The content would exceed ``DataBuffer/contentByteLimit``.
    case limitExceeded
    /// The buffer can only be read.
    case notWritable
    /// The object was not inserted into a store.
    case referenceNotInserted
    /// The object lives in another store.
    case referenceToOtherStore
    /// The object is deleted, or will be with the next save.
    case referencePendingDeletion
  }

  public var description: String {
    var text = message
    if let fieldNumber { text += " [field \(fieldNumber)]" }
    if let byteOffset { text += " [byte \(byteOffset)]" }
    return text
  }
}
