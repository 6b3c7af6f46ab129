package import struct Foundation.UUID

extension UUID {
  /// Makes a UUID of its 16 bytes; nil for another number of bytes.
  package init?(ofBytes bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
