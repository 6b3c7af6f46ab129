// How the data of files are read: large ones in chunks, small ones into the batch, of sparse ones what is there.
extension SourceReader {
  /// Hands on the data of a file; the entry gets the length that it had while it was read.
  func content(of file: SourceFile, _ entry: inout FileEntry) throws -> TreeStep.DataSource {
    var extents = try extents(of: file)
    if extents.isEmpty, file.byteCount < BatchBuilder.smallFileLimit {
      let small = try unsafe builder.smallFile { memory throws(FileError) in
        // Some files of the kernel say that they are empty, and are not.
        let count = file.byteCount == 0 ? memory.count : Int(file.byteCount)
        return try unsafe file.read(into: .init(rebasing: memory[..<count]), at: 0)
      }
      // If not, it is not small any more.
      if let (byteCount, source) = small {
        entry.byteCount = Int64(byteCount)
        progress.change { $0.bytesRead += Int64(byteCount) }
        return source
      }
    }
    file.advise(.sequential)
    let isSparse = !extents.isEmpty
    if !isSparse { extents = [0..<Int64.max] }
    var extent = 0
    var position = extents[0].lowerBound
    let (chunkCount, byteCount) = try unsafe builder.chunks { buffer throws(FileError) in
      while extent < extents.count {
        let wanted = Int(min(Int64(buffer.count), extents[extent].upperBound - position))
        let count = wanted == 0 ? 0 : try unsafe file.read(into: .init(rebasing: buffer[..<wanted]), at: position)
        position += Int64(count)
        if count > 0 {
          progress.change { $0.bytesRead += Int64(count) }
          return count
        }
        // The end of the extent, or of the file, which may have become shorter.
        if isSparse { extents[extent] = extents[extent].lowerBound..<position }
        extent += 1
        if extent < extents.count { position = extents[extent].lowerBound }
      }
      return 0
    }
    if !isSparse { entry.byteCount = byteCount }
    return chunkCount == 0 && !isSparse ? .none : .chunks(chunkCount, extents: isSparse ? extents : [])
  }

  /// Where a sparse file has data; empty: everywhere.
  private func extents(of file: SourceFile) throws(FileError) -> [Range<Int64>] {
    var extents: [Range<Int64>] = []
    var position: Int64 = 0
    // Of small files, what was allocated and never written need not become a hole.
    if file.byteCount < BatchBuilder.smallFileLimit, file.isAllocated { return [] }
    while let data = try file.nextData(from: position) {
      if data == 0..<file.byteCount { return [] }
      extents.append(data)
      position = data.upperBound
    }
    // What is a hole to its end says so.
    return extents.isEmpty && file.byteCount > 0 ? [file.byteCount..<file.byteCount] : extents
  }
}
