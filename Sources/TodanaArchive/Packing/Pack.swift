public import Foundation
public import Todana

/// The summary of a pack, which is a whole archive in one file or stream.
public struct PackSummary: Sendable, Hashable {
  /// The identity of the archive's store, which an archive restored from the pack has as well.
  public var storeID: StoreID
  /// The number of the commit whose state the pack contains.
  public var commitNumber: CommitNumber
  /// The start time of the packing, in whole seconds.
  public var date: Date
  /// The number of files in the archive's directory.
  public var fileCount: Int
  public var byteCount: Int64
}

/// The progress of packing or unpacking.
public struct PackProgress: Sendable, Hashable {
  /// The bytes of the archive's files that were written so far.
  public var doneByteCount: Int64
  /// The bytes of all files; 0 while the number is unknown.
  public var byteCount: Int64
}

/// The constants of docs/formats/pack.md.
enum PackFormat {
  static let version = 1
  static let summaryName = "todana-pack"
  static let sumsName = "SHA256SUMS"
  static let directoryName = "archive"
  static let firstLine = "Todana pack "
  /// The maximum length of a summary; a longer one is refused.
  static let summaryByteLimit = 4096
  /// The maximum number of files; an archive has a few dozen.
  static let fileCountLimit = 4096
  /// The number of zeros after the last member.
  static let endByteCount = 2 * TarBlock.byteCount
  static let pieceByteCount = 256 << 10

  /// Returns a line in the format of `sha256sum`.
  static func sumsLine(_ hash: [UInt8], _ name: String) -> String {
    let digits = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(digits)  \(name)\n"
  }

  /// Returns the number of zeros between the end of a member's content and the next block.
  static func paddingByteCount(_ byteCount: Int64) -> Int {
    let rest = Int(byteCount % Int64(TarBlock.byteCount))
    return rest == 0 ? 0 : TarBlock.byteCount - rest
  }
}

extension PackSummary {
  /// The content of the first member of a pack.
  var text: String {
    """
    \(PackFormat.firstLine)\(PackFormat.version)
    store \(storeID)
    commit \(commitNumber)
    files \(fileCount)
    bytes \(byteCount)

    """
  }

  /// Parses the content of the first member.
  ///
  /// - Throws: ``ArchiveError/Code/newerFormat``, ``ArchiveError/Code/damaged``.
  init(_ text: [UInt8], seconds: Int64) throws(ArchiveError) {
    let damage = ArchiveError(.damaged, "The pack is damaged: its first member is invalid.")
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard let first = lines.first, first.hasPrefix(PackFormat.firstLine),
      let version = Int(first.dropFirst(PackFormat.firstLine.count))
    else { throw damage }
    guard version <= PackFormat.version else {
      throw ArchiveError(.newerFormat, "A newer version of Todana wrote the pack: unpack it with that version.")
    }
    func value(_ index: Int, _ name: String) -> Substring? {
      guard lines.indices.contains(index), lines[index].hasPrefix(name + " ") else { return nil }
      return lines[index].dropFirst(name.count + 1)
    }
    guard let store = value(1, "store"), store.utf8.count == 32, let high = UInt64(store.prefix(16), radix: 16),
      let low = UInt64(store.suffix(16), radix: 16), let commit = value(2, "commit").flatMap({ CommitNumber($0) }),
      let files = value(3, "files").flatMap({ Int($0) }), let bytes = value(4, "bytes").flatMap({ Int64($0) })
    else { throw damage }
    self.init(
      storeID: StoreID(high: high, low: low), commitNumber: commit,
      date: Date(timeIntervalSince1970: TimeInterval(seconds)), fileCount: files, byteCount: bytes)
    // A summary has only one valid text.
    guard 0...PackFormat.fileCountLimit ~= files, bytes >= 0, Array(self.text.utf8) == text else { throw damage }
  }
}
