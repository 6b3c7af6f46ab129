extension TarWriter {
  /// Writes data of the entry that was added last, in order; what is left out reads as zeros.
  ///
  /// - Throws: ``ArchiveError/Code/tar`` for data where the entry has none.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ArchiveError) {
    var (offset, rest) = unsafe (offset, bytes)
    while unsafe !rest.isEmpty {
      guard let step = data?.step(to: offset, byteCount: rest.count) else {
        throw ArchiveError(.tar, "There are no data to be at byte \(offset) of this entry of a tar.")
      }
      try writeZeros(step.zeroCount)
      try unsafe writeStored(UnsafeRawBufferPointer(rebasing: rest[..<step.byteCount]))
      offset += Int64(step.byteCount)
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[step.byteCount...])
    }
  }

  /// As ``write(_:at:)-(UnsafeRawBufferPointer,_)``, for bytes that are no raw memory.
  package func write(_ bytes: borrowing Span<UInt8>, at offset: Int64) throws(ArchiveError) {
    try unsafe bytes.withUnsafeBytes { bytes throws(ArchiveError) in try unsafe write(bytes, at: offset) }
  }

  private func writeZeros(_ count: Int64) throws(ArchiveError) {
    var rest = count
    while rest > 0 {
      let count = min(rest, Int64(Self.zeros.count))
      try writeStored(Self.zeros.span.extracting(0..<Int(count)))
      rest -= count
    }
  }

  private static let zeros = [UInt8](repeating: 0, count: 64 << 10)

  func writeStored(_ bytes: borrowing Span<UInt8>) throws(ArchiveError) {
    try unsafe bytes.withUnsafeBytes { bytes throws(ArchiveError) in try unsafe writeStored(bytes) }
  }
}
