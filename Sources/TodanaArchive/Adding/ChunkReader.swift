/// A reader that divides a file into chunks.
///
/// For one thread.
@safe
final class ChunkReader {
  private static let step = 1 << 20

  private let chunker: Chunker
  private let memory: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  init(_ chunker: Chunker) {
    self.chunker = chunker
    let byteCount = 2 * chunker.sizes.maximum + Self.step
    unsafe memory = .allocate(byteCount: byteCount, alignment: 4096)
  }

  deinit { unsafe memory.deallocate() }

  /// Reads to the end, and passes on chunk after chunk.
  ///
  /// - Parameters:
  ///   - read: Fills some of the memory that it is given, and returns the number of bytes; 0 at the end.
  ///   - give: Receives each chunk.
  /// - Returns: The number of chunks and of their bytes.
  /// - Throws: Errors of the closures.
  func divide(
    _ read: (UnsafeMutableRawBufferPointer) throws -> Int, _ give: ([UInt8]) throws -> Void
  ) throws -> (chunkCount: Int, byteCount: Int64) {
    (start, end) = (0, 0)
    var isWhole = false
    var chunkCount = 0
    var byteCount: Int64 = 0
    while true {
      if !isWhole, end - start < chunker.sizes.maximum {
        isWhole = try unsafe !fill(read)
        continue
      }
      let rest = unsafe UnsafeRawBufferPointer(rebasing: memory[start..<end])
      guard let cut = unsafe chunker.firstCut(in: rest, isWhole: isWhole) else { return (chunkCount, byteCount) }
      try give(unsafe Array(rest[..<cut]))
      start += cut
      chunkCount += 1
      byteCount += Int64(cut)
    }
  }

  private func fill(_ read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Bool {
    if unsafe memory.count - end < Self.step {
      if start < end, let base = unsafe memory.baseAddress {
        unsafe base.copyMemory(from: base + start, byteCount: end - start)
      }
      (start, end) = (0, end - start)
    }
    let count = try unsafe read(.init(rebasing: memory[end..<min(end + Self.step, memory.count)]))
    end += count
    return count > 0
  }

  /// Lends memory for a small file, valid until the next call.
  ///
  /// Not `rethrows`: the optimiser of Swift 6.3 loses an error of a closure with typed throws in such a function.
  func withScratch<Value>(_ body: (UnsafeMutableRawBufferPointer) throws -> Value) throws -> Value {
    try unsafe body(memory)
  }
}
