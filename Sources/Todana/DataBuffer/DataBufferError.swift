/// An error of reading from or writing to a ``DataBuffer``.
///
/// Switch over ``code``; show ``description`` to a person. A store that passes the error on adds class and row.
public struct DataBufferError: Error, Sendable, Equatable, CustomStringConvertible {
  public var code: Code
  /// An explanation of the error and of possible remedies.
  ///
  /// It never contains content that was read or written.
  public var message: String
  /// The offset of the refused value, in bytes from the start of the content.
  public var byteOffset: Int?
  /// The number of the write call that failed, counted from 1; nil for errors while reading.
  public var fieldNumber: Int?

  public init(_ code: Code, _ message: String, byteOffset: Int? = nil, fieldNumber: Int? = nil) {
    self.code = code
    self.message = message
    self.byteOffset = byteOffset
    self.fieldNumber = fieldNumber
  }

  @nonexhaustive
  public enum Code: Sendable {
    // Errors while reading.

    /// The bytes end before the value does.
    case truncated
    /// A string's bytes are not UTF-8.
    case invalidUTF8
    /// A count announces more elements than the remaining bytes can hold.
    case countTooLarge
    /// A varint does not fit 64 bits.
    case varintOverflow
    /// Bytes are left after the content was read.
    case trailingBytes
    /// An enumeration has no case with the raw value that was read.
    case unknownRawValue

    // Errors while reading or writing.

    /// The value is not valid for its type, such as a Bool of 2.
    case invalidValue
    /// A Codable value could not be encoded or decoded.
    case codableFailure
    /// A reference was read from or written to a buffer that belongs to no store.
    case referencesUnavailable
    /// A reference's class is not the requested one.
    case referenceWrongClass
    /// A reference's class is not registered with the store.
    case referenceUnknownClass

    // Errors while writing.

    /// The content would exceed ``DataBuffer/contentByteLimit``.
    case limitExceeded
    /// The buffer can only be read.
    case notWritable
    /// The object was not inserted into a store.
    case referenceNotInserted
    /// The object belongs to another store.
    case referenceToOtherStore
    /// The delete of the object is pending.
    case referencePendingDeletion
  }

  public var description: String {
    var text = message
    if let fieldNumber { text += " [field \(fieldNumber)]" }
    if let byteOffset { text += " [byte \(byteOffset)]" }
    return text
  }
}
