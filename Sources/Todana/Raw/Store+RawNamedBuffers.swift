/// A saved named buffer with its content as bytes, for a program that may not know its format.
public struct RawNamedBuffer: Sendable, Equatable {
  public let name: String
  /// The ``DataBuffer/version`` of the buffer when it is read.
  public let version: UInt8
  public let content: [UInt8]

  public init(name: String, version: UInt8, content: [UInt8]) {
    self.name = name
    self.version = version
    self.content = content
  }
}

extension Store {
  /// Returns a named buffer as it was last saved, without pending changes.
  ///
  /// - Returns: Nil if there is no buffer of this name.
  /// - Throws: ``StoreError``: ``StoreError/Code/damagedRecord``, ``StoreError/Code/invalidName``.
  public func rawNamedBuffer(_ name: String) throws -> RawNamedBuffer? {
    try readNamedBuffer(name, includingPending: false) { buffer in
      RawNamedBuffer(
        name: name, version: buffer.version, content: try buffer.readRawBytes(count: buffer.remainingByteCount))
    }
  }

  /// Calls the closure with each saved named buffer, in the order of the names' UTF-8 bytes.
  ///
  /// The list of collections is one of them.
  ///
  /// - Parameter body: Receives the buffer, and a flag that ends the loop when set.
  /// - Throws: The errors of the closure; ``StoreError``: ``StoreError/Code/damagedRecord``.
  /// - Complexity: O(*n* log *n*); reads all buffers twice.
  public func rawNamedBuffers(_ body: (RawNamedBuffer, inout Bool) throws -> Void) throws {
    try withSnapshot {
      var stop = false
      for name in try storedBufferNames(includingPending: false) where !stop {
        guard let buffer = try rawNamedBuffer(name) else { continue }
        try body(buffer, &stop)
      }
    }
  }
}
