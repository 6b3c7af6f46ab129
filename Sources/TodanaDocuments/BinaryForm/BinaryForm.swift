/// The constants of the binary form of values (docs/formats/documents.md).
enum BinaryForm {
  /// The first byte of a value.
  ///
  /// Tags from 0x40 on contain a small integer or the length of a short string.
  enum Tag {
    static let null: UInt8 = 0x00
    static let `false`: UInt8 = 0x01
    static let `true`: UInt8 = 0x02
    static let integer: UInt8 = 0x03
    static let double: UInt8 = 0x04
    static let string: UInt8 = 0x05
    static let bytes: UInt8 = 0x06
    static let date: UInt8 = 0x07
    static let uuid: UInt8 = 0x08
    static let array: UInt8 = 0x09
    static let dictionary: UInt8 = 0x0A
    /// The tag of the integer 0; those of the integers up to 63 follow it.
    static let smallInteger: UInt8 = 0x40
    /// The tag of the empty string; those of strings of up to 127 bytes follow it.
    static let shortString: UInt8 = 0x80
  }

  /// The number of levels of arrays and dictionaries that may be nested, the outermost included.
  static let depthLimit = 100
  /// The maximum size of a document in bytes, unless a collection has another one.
  static let defaultByteLimit = 16 << 20

  /// The largest limit that a collection may set.
  static let largestByteLimit = 1 << 30

  static func tooLarge(_ byteCount: Int, _ byteLimit: Int) -> DocumentError {
    DocumentError(.tooLarge, "a document has \(byteCount) bytes, over the limit of \(byteLimit)")
  }

  static var tooDeep: DocumentError {
    DocumentError(.tooDeep, "arrays and dictionaries are nested more than \(depthLimit) levels deep")
  }
}
