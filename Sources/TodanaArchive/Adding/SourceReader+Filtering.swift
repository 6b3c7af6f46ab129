// Leaving files out: by rules, by what a directory holds, and the archive itself.
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

  /// Reads the files of a directory that decide about the others in it.
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

  /// The beginning of a regular file; nil if there is none, or it cannot be read.
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
