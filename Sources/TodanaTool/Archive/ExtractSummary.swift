import TodanaArchive

/// The lines about the files that an extraction did not restore, with the reasons.
struct ExtractSummary {
  private let progress: ExtractProgress
  private let overwrite: ArchiveExtractCommand.Overwrite
  private let isDryRun: Bool

  init(_ progress: ExtractProgress, _ overwrite: ArchiveExtractCommand.Overwrite, isDryRun: Bool) {
    (self.progress, self.overwrite, self.isDryRun) = (progress, overwrite, isDryRun)
  }

  var lines: [String] { [upToDate, updated, kept, keptDirectories, leftOut].compactMap { $0 } }

  private var upToDate: String? {
    guard progress.rightFiles > 0 else { return nil }
    let compared =
      switch overwrite {
      case .never, .older: "length and time compared, not content"
      case .always: "content and metadata compared"
      case .metadata: "length, time and metadata compared, not content"
      }
    return "\(counted(progress.rightFiles, "file")) already up to date (\(compared))."
  }

  private var updated: String? {
    let files = progress.updatedFiles > 0 ? counted(progress.updatedFiles, "existing file") : nil
    let directories =
      progress.updatedDirectories > 0
      ? counted(progress.updatedDirectories, "existing directory", "existing directories") : nil
    let counts = [files, directories].compactMap { $0 }
    if counts.isEmpty { return nil }
    return "\(isDryRun ? "Would set" : "Set") the metadata of \(counts.joined(separator: " and "))."
  }

  private var kept: String? {
    guard progress.keptFiles > 0 else { return nil }
    let option = overwrite == .older ? "--overwrite always" : "--overwrite older or always"
    return "\(counted(progress.keptFiles, "differing file")) kept: pass \(option) to replace existing files."
  }

  private var keptDirectories: String? {
    guard progress.keptDirectories > 0 else { return nil }
    let directories = counted(progress.keptDirectories, "existing directory", "existing directories")
    return "\(directories) kept differing metadata: pass --overwrite metadata to restore it."
  }

  private var leftOut: String? {
    guard progress.leftOutFiles > 0 else { return nil }
    return "\(counted(progress.leftOutFiles, "device or socket", "devices or sockets")) left out."
  }
}
