/// Hands on what was read: chunks of large files as they come, steps in batches, with the content of small files.
///
/// Small files of one batch are stored as one group. For the thread that reads.
final class ContentSubmitter {
  /// What has as many bytes is cut into chunks.
  static let smallFileLimit = 64 << 10
  private static let groupByteCount = 256 << 10
  private static let stepByteLimit = 256 << 10

  /// Where it all goes.
  let pipeline: AddPipeline
  private let window: ReadWindow
  private var steps: [TreeStep] = []
  /// What the steps take besides their content.
  private var stepByteCount = 0
  private var ranges: [Range<Int>] = []
  private var data: [UInt8] = []
  /// Chunks whose step has not come.
  private var looseChunkCount = 0

  init(_ pipeline: AddPipeline, _ chunker: Chunker) {
    self.pipeline = pipeline
    window = ReadWindow(chunker)
  }

  func append(_ step: TreeStep) throws {
    steps.append(step)
    stepByteCount += step.byteCount
    looseChunkCount = 0
    if data.count >= Self.groupByteCount || stepByteCount >= Self.stepByteLimit { try flush() }
  }

  /// Takes a file that may be small.
  ///
  /// - Parameter read: Fills memory of ``smallFileLimit`` bytes from the start of the file, and says how much.
  /// - Returns: What the step of the file has to say; nil, and nothing is taken, where all of the memory was filled.
  /// - Throws: What `read` throws.
  func smallFile(
    _ read: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> (byteCount: Int, source: TreeStep.DataSource)? {
    try unsafe window.withScratch { memory in
      let count = try unsafe read(.init(rebasing: memory[..<Self.smallFileLimit]))
      if count == Self.smallFileLimit { return nil }
      if count == 0 { return (0, .none) }
      let start = data.count
      unsafe data += memory[..<count]
      ranges.append(start..<data.count)
      return (count, .small(ranges.count - 1, extents: []))
    }
  }

  /// Takes a file of any length in chunks, for the step that comes next.
  ///
  /// - Parameter read: As for ``ReadWindow/divide(_:_:)``.
  /// - Returns: How many chunks there were, and their bytes.
  /// - Throws: What `read` throws; where nobody wants more.
  func chunks(
    _ read: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> (chunkCount: Int, byteCount: Int64) {
    try unsafe window.divide(read) { chunk in
      try pipeline.submit(.chunk(chunk))
      looseChunkCount += 1
    }
  }

  /// Reads a file of any length to its end, for nothing but its length.
  func skip(_ read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Int64 {
    try unsafe window.withScratch { memory in
      var byteCount: Int64 = 0
      while true {
        let count = try unsafe read(memory)
        if count == 0 { return byteCount }
        byteCount += Int64(count)
      }
    }
  }

  /// The file that chunks came of could not be read to its end.
  func dropChunks() throws {
    if looseChunkCount > 0 { try append(.drop(looseChunkCount)) }
  }

  /// There is no more.
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
