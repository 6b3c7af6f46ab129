// Values that have no bytes which could be read again: an error of the save, but not of a copy of the content within
// the process (``ContentCopies``), which keeps the value itself.
extension DataBuffer {
  /// Writes the number of a value that is kept, or keeps an error if none are kept here.
  mutating func refuse(_ value: some Any, _ code: DataBufferError.Code, _ message: String) {
    guard firstError == nil, let number = encoder?.keep(value) else { return recordError(code, message) }
    let text = String(UnicodeScalar(0)) + String(number)
    let bytes = Array(text.utf8)
    unsafe bytes.withUnsafeBytes { unsafe appendCountedBytes($0) }
  }

  /// The value that was kept in place of a text or JSON; nil if it is one, as neither starts with a NUL.
  func keptValue<Value>(_ bytes: some Collection<UInt8>, as type: Value.Type) -> Value? {
    guard bytes.first == 0, let resolver, let number = Int(String(decoding: bytes.dropFirst(), as: UTF8.self)) else {
      return nil
    }
    return resolver.keptValue(number) as? Value
  }
}
