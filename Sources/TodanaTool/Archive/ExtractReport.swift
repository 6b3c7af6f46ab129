import Foundation
import TodanaArchive

/// The JSON report of `todana archive extract`.
struct ExtractReport: Encodable {
  let target: String
  /// The bytes of a target that is not UTF-8.
  let targetBytes: Data?
  let fileCount: Int
  let directoryCount: Int
  let byteCount: Int64
  let currentFileCount: Int
  let comparedFileCount: Int
  let updatedFileCount: Int
  let keptFileCount: Int
  let leftOutFileCount: Int
  let updatedDirectoryCount: Int
  let keptDirectoryCount: Int
  let skippedOwnerCount: Int
  let failureCount: Int
  let failures: [String]
  let warningCount: Int
  let warnings: [String]

  init(_ progress: ExtractProgress, _ target: String) {
    let path = PathReport(typed: target)
    (self.target, targetBytes) = (path.text, path.bytes)
    let counts = progress.counts
    (fileCount, directoryCount, byteCount) = (counts.files, counts.directories, counts.bytes)
    (currentFileCount, comparedFileCount) = (progress.rightFiles, progress.comparedFiles)
    (updatedFileCount, keptFileCount) = (progress.updatedFiles, progress.keptFiles)
    leftOutFileCount = progress.leftOutFiles
    (updatedDirectoryCount, keptDirectoryCount) = (progress.updatedDirectories, progress.keptDirectories)
    skippedOwnerCount = progress.skippedOwners
    (failureCount, failures) = (counts.failures, progress.failures)
    (warningCount, warnings) = (progress.warningCount, progress.warnings)
  }
}
