/// The first byte of a value in the binary form (docs/formats/documents.md).
///
/// Tags from 0x40 on contain a small integer or the length of a short string.
enum ValueTag {
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

  /// The number of levels of arrays and dictionaries that a Codable value may have, the outermost included.
  static let depthLimit = 512
}
