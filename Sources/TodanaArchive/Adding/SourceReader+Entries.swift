// Adding entries other than directories.
extension SourceReader {
  /// Adds a file, link or special file; returns false if nothing of it could be archived.
  func add(_ entry: FileEntry, _ file: SourceFile?, in directory: SourceDirectory) throws -> Bool {
    switch entry.kind {
    case .socket:
      progress.change { $0.skippedSockets += 1 }
      return false
    case .regular: return try addFile(entry, file, in: directory)
    default:
      let old = parent.find(entry.name)
      try append(.entry(entry, .none))
      note(
        entry, old, isUnchanged: old.map { entry.kind == $0.file.kind && entry.hasSameMetadata(as: $0.file) } ?? false)
      return true
    }
  }

  private func addFile(_ entry: FileEntry, _ opened: SourceFile?, in directory: SourceDirectory) throws -> Bool {
    let old = parent.find(entry.name)
    if !options.rescans, let old, detection.isUnchanged(entry, since: old.file), try !parent.isDamagedOrMissing(old) {
      note(entry, old, isUnchanged: true)
      try append(.entry(entry, .known(old.content, extents: old.extents)))
      return true
    }
    let path = directory.path(of: entry.name)
    progress.change { $0.path = path }
    if options.isDryRun {
      note(entry, old)
      return true
    }
    do {
      let file = try opened ?? open(entry, in: directory)
      var read = entry
      if opened == nil { read.flags = file.flags { report($0) } }
      let source = try content(of: file, &read)
      if try file.hasChanged(since: entry) { progress.addFailure("“\(printable(path))” changed while it was read") }
      // The storing thread compares the content with the earlier entry's, and counts the file.
      if let old {
        progress.change { $0.counts.add(read) }
        try append(.changed(read, source, earlier: old))
      } else {
        note(read, nil)
        try append(.entry(read, source))
      }
      return true
    } catch let error as FileError {
      try builder.dropChunks()
      report(error)
      return false
    }
  }

  func note(_ entry: FileEntry, _ old: ArchiveEntry?, isUnchanged: Bool = false) {
    progress.change { progress in
      progress.counts.add(entry)
      if isUnchanged {
        progress.unchangedFiles += 1
      } else if old == nil {
        progress.newFiles += 1
      } else {
        progress.changedFiles += 1
      }
    }
  }
}

// Leaving files out: by rules, by markers in their directory, and the archive itself.
extension SourceReader {
  func decide(_ entry: FileEntry, _ filter: inout FileFilter?) -> FileDecision {
    filter?.decision(
      name: entry.name, isDirectory: entry.kind == .directory,
      size: entry.kind == .regular ? Int(entry.byteCount) : nil, device: entry.identity.device) ?? .include
  }

  func exclude(_ path: [UInt8], _ reason: FileDecision.Reason) {
    progress.change { progress in
      progress.excluded += 1
      guard options.notesExclusions, progress.exclusions.count < 100_000 else { return }
      progress.exclusions.append("\(printable(path)): \(reason)")
    }
  }

  func excludeArchive(_ path: [UInt8]) {
    exclude(path, .archive)
    progress.change { $0.excludedArchives.append(path) }
  }

  /// Reads the files of a directory that decide which of its other files are left out.
  func markers(of directory: SourceDirectory?) -> FileFilter.DirectoryMarkers {
    guard let directory else { return FileFilter.DirectoryMarkers() }
    let filter = options.filter
    var markers = FileFilter.DirectoryMarkers()
    if filter.readsIgnoreFiles {
      markers.ignoreFile = content(of: FileFilter.ignoreFileName, in: directory, limit: 1 << 20)
    }
    if filter.excludesCaches {
      markers.cacheTag = content(
        of: CacheDirectoryTag.fileName, in: directory, limit: CacheDirectoryTag.signature.count)
    }
    markers.presentName = filter.markerNames.first { directory.has($0) }
    return markers
  }

  /// Returns the beginning of a regular file; nil if there is none, or if it cannot be read.
  private func content(of name: [UInt8], in directory: SourceDirectory, limit: Int) -> [UInt8]? {
    guard let entry = try? directory.entry(named: name, onWarning: { _ in }), entry.kind == .regular else { return nil }
    do throws(FileError) {
      let file = try open(entry, in: directory)
      var bytes = [UInt8](repeating: 0, count: Int(min(entry.byteCount, Int64(limit))))
      var span = bytes.mutableSpan
      let count = try file.read(into: &span, at: 0)
      return Array(bytes.prefix(count))
    } catch {
      report(error)
      return nil
    }
  }
}
