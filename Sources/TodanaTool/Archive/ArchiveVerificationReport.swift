import Foundation
import TodanaArchive

/// The JSON report of `todana archive verify`.
struct ArchiveVerificationReport: Encodable {
  struct Problem: Encodable {
    let message: String
  }

  struct File: Encodable {
    let snapshot: String
    let path: String
    /// The bytes of a path that is not UTF-8.
    let pathBytes: Data?
    let isDirectory: Bool
  }

  let isSound: Bool
  let snapshotCount: Int
  let contentCount: Int
  let readByteCount: Int64
  let problemCount: Int
  let problems: [Problem]
  let damagedFileCount: Int
  let damagedFiles: [File]
  /// Whether the damage was recorded, so that the next `add` replaces the damaged content.
  let isRecorded: Bool
  /// The next step for the user; nil if there are no problems.
  let advice: String?

  init(_ found: ArchiveVerification, isRecorded: Bool, advice: String?) {
    (self.isRecorded, self.advice) = (isRecorded, advice)
    isSound = found.isSound
    (snapshotCount, contentCount, readByteCount) = (found.snapshotCount, found.contentCount, found.readByteCount)
    (problemCount, problems) = (found.problemCount, found.problems.map { Problem(message: $0) })
    damagedFileCount = found.damagedFileCount
    damagedFiles = found.damagedFiles.map { file in
      let path = PathReport(file.path)
      return File(
        snapshot: "\(file.snapshot)", path: path.text, pathBytes: path.bytes, isDirectory: file.isDirectory)
    }
  }
}
