internal import Glibc

// Reading a descriptor, such as the standard input, as one file.
extension SourceReader {
  /// Makes a file of all that a descriptor gives.
  func run(stream descriptor: CInt, _ entry: FileEntry) throws {
    progress.change { $0.readPaths += 1 }
    func readSome(_ buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
      try unsafe read(descriptor, into: buffer, name: entry.name)
    }
    var entry = entry
    if options.isDryRun {
      entry.byteCount = try unsafe builder.skip(readSome)
    } else {
      let (chunkCount, byteCount) = try unsafe builder.chunks(readSome)
      entry.byteCount = byteCount
      try append(.entry(entry, chunkCount == 0 ? .none : .chunks(chunkCount, extents: [])))
    }
    note(entry, nil)
  }

  /// Reads what there is; waits if there is nothing, until the pipeline has stopped.
  private func read(
    _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, name: [UInt8]
  ) throws(FileError) -> Int {
    while true {
      // A read would go on waiting after a signal.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&waiting, 1, 100) == 0 {
        guard !builder.pipeline.hasStopped else { return 0 }
        continue
      }
      let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 {
        progress.change { $0.bytesRead += Int64(count) }
        return count
      }
      if errno != EINTR { throw FileError(.readData, name, errorNumber: errno) }
    }
  }
}
