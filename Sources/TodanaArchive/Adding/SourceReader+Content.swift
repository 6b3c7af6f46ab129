internal import Foundation
internal import Glibc

// Reading the data of files: large files in chunks, small files into the batch, sparse files by their ranges of data.
extension SourceReader {
  /// Submits a file's data, and sets the entry's length to the number of bytes read.
  func content(of file: SourceFile, _ entry: inout FileEntry) throws -> TreeStep.DataSource {
    var extents = try extents(of: file)
    if extents.isEmpty, file.byteCount < BatchBuilder.smallFileLimit {
      let small = try unsafe builder.smallFile { memory throws(FileError) in
        // Some files of the kernel report a length of 0, but have content.
        let count = file.byteCount == 0 ? memory.count : Int(file.byteCount)
        return try unsafe file.read(into: .init(rebasing: memory[..<count]), at: 0)
      }
      // If nil, the file has grown and is no longer small.
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
        // The end of the range, or of the file, which may have been truncated.
        if isSparse { extents[extent] = extents[extent].lowerBound..<position }
        extent += 1
        if extent < extents.count { position = extents[extent].lowerBound }
      }
      return 0
    }
    if !isSparse { entry.byteCount = byteCount }
    return chunkCount == 0 && !isSparse ? .none : .chunks(chunkCount, extents: isSparse ? extents : [])
  }

  /// Returns the ranges of data in a sparse file; none for a file without holes.
  private func extents(of file: SourceFile) throws(FileError) -> [Range<Int64>] {
    var extents: [Range<Int64>] = []
    var position: Int64 = 0
    // In small files, allocated ranges that were never written need not be stored as holes.
    if file.byteCount < BatchBuilder.smallFileLimit, file.isAllocated { return [] }
    while let data = try file.nextData(from: position) {
      if data == 0..<file.byteCount { return [] }
      extents.append(data)
      position = data.upperBound
    }
    // A file that is a single hole is represented by an empty range at its end.
    return extents.isEmpty && file.byteCount > 0 ? [file.byteCount..<file.byteCount] : extents
  }
}

// Files under a lease, such as Samba takes on files that its clients have open (fcntl(2), "Leases").
extension SourceReader {
  /// Opens a regular file; if it is under a lease, waits until the holder returns the lease, or the kernel revokes it.
  ///
  /// Opening without O_NONBLOCK would wait as well, but forever if a FIFO has taken the file's place.
  ///
  /// - Throws: ``FileError`` of the last attempt, after the holder's time has expired or the pipeline has stopped.
  func open(_ entry: FileEntry, in directory: SourceDirectory) throws(FileError) -> SourceFile {
    var end: ContinuousClock.Instant?
    while true {
      do throws(FileError) {
        return try directory.openFile(entry)
      } catch {
        guard error.errorNumber == EAGAIN, !builder.pipeline.hasStopped else { throw error }
        let now = ContinuousClock.now
        let limit = end ?? now + .seconds(Self.leaseBreakSeconds + 1)
        guard now < limit else { throw error }
        end = limit
      }
      usleep(10_000)
    }
  }

  /// The seconds in which the holder of a lease must return it, at most 120; 45 if the system does not report them.
  private static var leaseBreakSeconds: Int {
    let text = (try? String(contentsOfFile: "/proc/sys/fs/lease-break-time", encoding: .utf8)) ?? ""
    guard let seconds = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)), seconds > 0 else { return 45 }
    return min(seconds, 120)
  }
}

// Reading a descriptor, such as the standard input, as one file.
extension SourceReader {
  /// Archives all data from a descriptor as one file.
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

  /// Reads the available data; waits until there is some, or until the pipeline has stopped.
  private func read(
    _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, name: [UInt8]
  ) throws(FileError) -> Int {
    while true {
      // A blocking read would continue to wait after a signal.
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
