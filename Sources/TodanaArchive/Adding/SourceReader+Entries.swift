// Adding what is not a directory.
extension SourceReader {
  /// Adds a file, link or special file; false if nothing of it could be archived.
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
    if !options.rescans, let old, detection.isUnchanged(entry, since: old.file), try !parent.isKnownDamaged(old) {
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
      // With an earlier entry, the thread that stores can tell whether the content is the same.
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
