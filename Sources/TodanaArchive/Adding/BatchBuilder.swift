/// A builder of the pipeline's jobs: chunks of large files are submitted immediately, steps and small files in batches.
///
/// The small files of a batch are stored as one group. Only for the reading thread.
final class BatchBuilder {
  /// Files of this size and larger are split into chunks.
  static let smallFileLimit = 64 << 10
  private static let groupByteCount = 256 << 10
  private static let stepByteLimit = 256 << 10

  /// The pipeline that jobs are submitted to.
  let pipeline: AddPipeline
  private let reader: ChunkReader
  private var steps: [TreeStep] = []
  /// The approximate memory of the steps, without the content of small files.
  private var stepByteCount = 0
  private var ranges: [Range<Int>] = []
  private var data: [UInt8] = []
  /// The number of chunks that were submitted before their file's step.
  private var looseChunkCount = 0

  init(_ pipeline: AddPipeline, _ chunker: Chunker) {
    self.pipeline = pipeline
    reader = ChunkReader(chunker)
  }

  func append(_ step: TreeStep) throws {
    steps.append(step)
    stepByteCount += step.byteCount
    looseChunkCount = 0
    if data.count >= Self.groupByteCount || stepByteCount >= Self.stepByteLimit { try flush() }
  }

  /// Adds a small file's data to the batch.
  ///
  /// - Parameter read: Fills memory of ``smallFileLimit`` bytes from the start of the file, and returns the number of
  ///   bytes.
  /// - Returns: The length and the data source for the file's step; nil, with nothing added, if the file fills the
  ///   memory and therefore is not small.
  /// - Throws: Errors of `read`.
  func smallFile(
    _ read: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> (byteCount: Int, source: TreeStep.DataSource)? {
    try unsafe reader.withScratch { memory in
      let count = try unsafe read(.init(rebasing: memory[..<Self.smallFileLimit]))
      if count == Self.smallFileLimit { return nil }
      if count == 0 { return (0, .none) }
      let start = data.count
      unsafe data += memory[..<count]
      ranges.append(start..<data.count)
      return (count, .small(ranges.count - 1, extents: []))
    }
  }

  /// Submits a file of any length in chunks, which belong to the next step.
  ///
  /// - Parameter read: Reads data as for ``ChunkReader/divide(_:_:)``.
  /// - Returns: The number of chunks, and the sum of their lengths.
  /// - Throws: Errors of `read`; ``AddPipeline/Stopped``.
  func chunks(
    _ read: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> (chunkCount: Int, byteCount: Int64) {
    try unsafe reader.divide(read) { chunk in
      try pipeline.submit(.chunk(chunk))
      looseChunkCount += 1
    }
  }

  /// Reads a file of any length to its end without submitting it, and returns its length.
  func skip(_ read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Int64 {
    try unsafe reader.withScratch { memory in
      var byteCount: Int64 = 0
      while true {
        let count = try unsafe read(memory)
        if count == 0 { return byteCount }
        byteCount += Int64(count)
      }
    }
  }

  /// Drops the chunks of a file that could not be read to its end.
  func dropChunks() throws {
    if looseChunkCount > 0 { try append(.drop(looseChunkCount)) }
  }

  /// Submits the last batch, and completes the pipeline.
  func finish() throws {
    try flush()
    pipeline.complete()
  }

  private func flush() throws {
    if steps.isEmpty { return }
    try pipeline.submit(.batch(steps, smallFiles: ranges, data: data))
    steps.removeAll()
    stepByteCount = 0
    ranges.removeAll()
    data = []
    data.reserveCapacity(Self.groupByteCount + Self.smallFileLimit)
  }
}

/// A reader that divides a file into chunks.
///
/// Not thread-safe.
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

  /// Reads a file to its end, and passes it on chunk by chunk.
  ///
  /// - Parameters:
  ///   - read: Fills a part of the given memory, and returns the number of bytes; 0 at the end.
  ///   - give: Receives each chunk.
  /// - Returns: The number of chunks, and the sum of their lengths.
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

  /// Lends memory for a small file; its content is valid until the next call.
  ///
  /// Not `rethrows`: in such a function, the optimiser of Swift 6.3 loses an error of a closure with typed throws.
  func withScratch<Value>(_ body: (UnsafeMutableRawBufferPointer) throws -> Value) throws -> Value {
    try unsafe body(memory)
  }
}
