#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension String: OrderedValue {
  public static var indexedTypeName: String { "String" }

  public func writeKey(to key: inout KeyWriter) { key.append(text: self) }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> String {
    guard let text = String(validating: try key.readText(), as: UTF8.self) else {
      throw KeyError("a text is not UTF-8")
    }
    return text
  }

  /// Returns whether both strings have equal bytes, which is stricter than equal characters.
  public static func isEqual(_ lhs: String, _ rhs: String) -> Bool {
    unsafe withBytes(of: lhs, rhs) { lhs, rhs in
      unsafe lhs.count == rhs.count && Bytes.order(lhs, rhs) == 0
    }
  }

  public static func precedes(_ lhs: String, _ rhs: String) -> Bool {
    unsafe withBytes(of: lhs, rhs) { lhs, rhs in unsafe Bytes.order(lhs, rhs) < 0 }
  }

  private static func withBytes(
    of lhs: String, _ rhs: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    var (lhs, rhs) = (lhs, rhs)
    return lhs.withUTF8 { lhs in
      rhs.withUTF8 { rhs in unsafe body(UnsafeRawBufferPointer(lhs), UnsafeRawBufferPointer(rhs)) }
    }
  }
}

extension Data: OrderedValue {
  public static var indexedTypeName: String { "Data" }

  public func writeKey(to key: inout KeyWriter) {
    unsafe withUnsafeBytes { bytes in unsafe key.append(text: bytes) }
  }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> Data { Data(try key.readText()) }

  public static func isEqual(_ lhs: Data, _ rhs: Data) -> Bool { lhs == rhs }

  public static func precedes(_ lhs: Data, _ rhs: Data) -> Bool {
    unsafe lhs.withUnsafeBytes { lhs in unsafe rhs.withUnsafeBytes { rhs in unsafe Bytes.order(lhs, rhs) < 0 } }
  }
}

extension UUID: OrderedValue {
  public static var indexedTypeName: String { "UUID" }

  public func writeKey(to key: inout KeyWriter) {
    unsafe withUnsafeBytes(of: uuid) { bytes in
      for index in 0..<bytes.count { unsafe key.append(bytes[index]) }
    }
  }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> UUID {
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    for index in 0..<16 {
      let byte = try key.readByte()
      unsafe withUnsafeMutableBytes(of: &bytes) { unsafe $0[index] = byte }
    }
    return UUID(uuid: bytes)
  }

  public static func isEqual(_ lhs: UUID, _ rhs: UUID) -> Bool { lhs == rhs }

  public static func precedes(_ lhs: UUID, _ rhs: UUID) -> Bool {
    unsafe withUnsafeBytes(of: lhs.uuid) { lhs in
      unsafe withUnsafeBytes(of: rhs.uuid) { rhs in unsafe Bytes.order(lhs, rhs) < 0 }
    }
  }
}

/// The key of a URL is its absolute string.
extension URL: OrderedValue {
  public static var indexedTypeName: String { "URL" }

  public func writeKey(to key: inout KeyWriter) { key.append(text: absoluteString) }

  public static func readKey(from key: inout KeyReader) throws(KeyError) -> URL {
    guard let url = URL(string: try String.readKey(from: &key)) else { throw KeyError("a text is not a URL") }
    return url
  }

  public static func isEqual(_ lhs: URL, _ rhs: URL) -> Bool {
    String.isEqual(lhs.absoluteString, rhs.absoluteString)
  }

  public static func precedes(_ lhs: URL, _ rhs: URL) -> Bool {
    String.precedes(lhs.absoluteString, rhs.absoluteString)
  }
}
