internal import CLibArchive

/// Where libarchive's writer writes to: a header is kept for a look at it, everything else goes on.
@safe
final class TarOutput {
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private let flushSink: () throws -> Void
  private var header: [UInt8]?
  /// What the sink threw; nothing is written after it.
  private(set) var failure: (any Error)?

  init(_ sink: @escaping (UnsafeRawBufferPointer) throws -> Void, flush: @escaping () throws -> Void) {
    unsafe self.sink = sink
    flushSink = flush
  }

  /// Has an archive write here, which must not do so after this object is gone.
  func open(_ archive: OpaquePointer) -> CInt {
    unsafe archive_write_open(
      archive, Unmanaged.passUnretained(self).toOpaque(), nil,
      { _, output, bytes, count in
        guard let output = unsafe output, let bytes = unsafe bytes else { return -1 }
        // The writer holds it as long as the archive.
        let target = unsafe Unmanaged<TarOutput>.fromOpaque(output).takeUnretainedValue()
        return unsafe target.write(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : -1
      }, nil)
  }

  /// False after any failure.
  @discardableResult
  func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if header != nil {
      unsafe header?.append(contentsOf: bytes)
      return true
    }
    return attempt { unsafe try sink(bytes) }
  }

  @discardableResult
  func write(_ bytes: [UInt8]) -> Bool { unsafe bytes.withUnsafeBytes { unsafe write($0) } }

  func flush() -> Bool { attempt(flushSink) }

  /// What an operation writes, which goes no further.
  func capture(_ operation: () -> CInt) -> (result: CInt, bytes: [UInt8]) {
    header = []
    let result = operation()
    defer { header = nil }
    return (result, header ?? [])
  }

  private func attempt(_ body: () throws -> Void) -> Bool {
    if failure != nil { return false }
    do {
      try body()
      return true
    } catch {
      failure = error
      return false
    }
  }
}
