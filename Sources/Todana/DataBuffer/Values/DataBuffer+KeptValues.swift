// Values that no bytes could restore. A save refuses them. A copy of the content within the process (``ContentCopies``)
// keeps the value itself.
extension DataBuffer {
  /// Writes the number of a kept value, or records an error if the encoder keeps no values.
  mutating func refuse(_ value: some Any, _ code: DataBufferError.Code, _ message: String) {
    guard firstError == nil, let number = encoder?.keep(value) else { return recordError(code, message) }
    let text = String(UnicodeScalar(0)) + String(number)
    let bytes = Array(text.utf8)
    unsafe bytes.withUnsafeBytes { unsafe appendCountedBytes($0) }
  }

  /// Returns the value that was kept in place of a text or JSON.
  ///
  /// - Returns: Nil if the bytes are an actual text or JSON, as neither begins with a NUL.
  func keptValue<Value>(_ bytes: some Collection<UInt8>, as type: Value.Type) -> Value? {
    guard bytes.first == 0, let resolver, let number = Int(String(decoding: bytes.dropFirst(), as: UTF8.self)) else {
      return nil
    }
    return resolver.keptValue(number) as? Value
  }
}
