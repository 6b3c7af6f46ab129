internal import CFileSystem
internal import Glibc

extension TargetDirectory {
  /// Gives this directory the metadata of an entry, when all that is in it was restored.
  ///
  /// An existing one gets them if the options say so; if not, and they are different, the report counts it. What cannot
  /// be set goes to the report.
  ///
  /// - Parameters:
  ///   - entry: The directory's.
  ///   - keepsExisting: Whether the metadata of an existing directory is left alone, as it was not asked for.
  package func finish(_ entry: FileEntry, keepsExisting: Bool = false) {
    let writer = MetadataWriter(file: handle.file, path: handle.path, context: context)
    switch origin {
    case .made, .unfinished: if !context.isDryRun { finishNew(entry, writer) }
    case .existing(let time): finishExisting(entry, writer, time, keepsExisting: keepsExisting)
    }
  }

  private func finishNew(_ entry: FileEntry, _ writer: MetadataWriter) {
    writer.write(entry) { removeMarker() }
    writer.writeFlags(entry)
  }

  private func removeMarker() {
    do throws(FileError) {
      try handle.remove(TemporaryName.unfinishedMarker)
    } catch {
      // Another run may have finished the directory.
      if error.code != .vanished { context.report.add(error) }
    }
  }

  private func finishExisting(
    _ entry: FileEntry, _ writer: MetadataWriter, _ timeBefore: FileTime, keepsExisting: Bool
  ) {
    var status = tdf_status()
    let result = unsafe tdf_get_status(handle.file, &status)
    guard result == 0 else { return context.report.add(FileError(.readStatus, path, errorNumber: -result)) }
    // Making files in it has changed its time.
    let hasNewTime = .modification(status) != timeBefore
    (status.modified_seconds, status.modified_nanoseconds) = (timeBefore.seconds, timeBefore.nanoseconds)
    if !keepsExisting, !writer.differences(from: entry, status).isEmpty {
      let mayChange =
        switch context.options.overwriting {
        case .never: false
        case .older: timeBefore < entry.modificationTime
        case .always, .metadata: true
        }
      guard mayChange else { return context.report.addKeptDirectory() }
      context.report.addUpdatedDirectory()
      if context.isDryRun { return }
      writer.write(entry)
      writer.writeFlags(entry)
    } else if hasNewTime, timeBefore == entry.modificationTime, !context.isDryRun {
      writer.writeTime(entry)
    }
  }
}
