internal import Todana

/// The compressing stage of an `add`: hashes content, and compresses content that is new to the archive.
///
/// Not thread-safe; each thread has its own.
final class AddWorker {
  private let pipeline: AddPipeline
  private let ownership: AddOwnership
  private let contentStore: ContentStore
  private let namer: KeyedHash
  private let compressor: Compressor

  init(
    _ pipeline: AddPipeline, _ ownership: AddOwnership, _ contentStore: ContentStore, _ key: ArchiveKey,
    _ compression: Compression
  ) throws {
    self.pipeline = pipeline
    self.ownership = ownership
    self.contentStore = contentStore
    namer = try key.makeNamer()
    compressor = try Compressor(compression)
  }

  /// Processes jobs until there are no more; an error stops the pipeline.
  func run() {
    do {
      while let job = pipeline.take() {
        switch job.work {
        case .chunk(let data):
          pipeline.finish(job, .chunk(try content(data, for: job.number)))
        case .batch(let steps, let smallFiles, let data):
          pipeline.finish(job, try batch(steps, smallFiles, data, for: job.number))
        }
      }
    } catch {
      pipeline.stop(error)
    }
  }

  private func content(_ data: [UInt8], for job: Int) throws -> NamedContent {
    let name = try unsafe data.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe namer.name(of: bytes)
    }
    guard ownership.contents.claim(name, for: job) else { return NamedContent(name: name, place: .elsewhere) }
    if let row = try contentStore.row(of: StoredContent.self, named: name) {
      ownership.contents.drop(name, of: job)
      return NamedContent(name: name, place: .row(row))
    }
    let (method, bytes) = try unsafe data.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
      try unsafe compressor.compress(bytes)
    }
    return NamedContent(
      name: name, place: .here(CompressedBytes(method: method, byteCount: data.count, bytes: bytes)))
  }

  private func batch(
    _ steps: [TreeStep], _ ranges: [Range<Int>], _ data: [UInt8], for job: Int
  ) throws -> AddResult {
    var group: [UInt8] = []
    let smallFiles = try ranges.map { range in
      let name = try unsafe data.span.bytes.withUnsafeBytes { bytes throws(ArchiveError) in
        try unsafe namer.name(of: UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
      guard ownership.smallFiles.claim(name, for: job) else { return NamedSmallFile(name: name, place: .elsewhere) }
      var incomplete: RowID?
      switch try contentStore.smallFile(named: name) {
      case .none: break
      case .sound(let row):
        ownership.smallFiles.drop(name, of: job)
        return NamedSmallFile(name: name, place: .row(row))
      case .incomplete(let row): incomplete = row
      }
      let offset = group.count
      group += data[range]
      return NamedSmallFile(
        name: name, place: .here(offset: offset, byteCount: range.count, completing: incomplete))
    }
    return .batch(steps, smallFiles: smallFiles, group: group.isEmpty ? nil : try content(group, for: job))
  }
}
