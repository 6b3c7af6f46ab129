public import Foundation
public import Todana

/// What a pack, a whole archive in one file or stream, says of itself.
public struct PackSummary: Sendable, Hashable {
  /// The identity of the archive's store, which the archive that is made of the pack has, too.
  public var storeID: StoreID
  /// The commit whose state it has.
  public var commitNumber: CommitNumber
  /// When it was begun, in whole seconds.
  public var date: Date
  /// Files of the archive's directory, and their bytes.
  public var fileCount: Int
  public var byteCount: Int64
}

/// How far packing or unpacking is.
public struct PackProgress: Sendable, Hashable {
  /// Bytes of the archive's files that were written.
  public var doneByteCount: Int64
  /// Of all files; 0 as long as that is not known.
  public var byteCount: Int64
}

/// The constants of docs/formats/pack.md.
enum PackFormat {
  static let version = 1
  static let summaryName = "todana-pack"
  static let sumsName = "SHA256SUMS"
  static let directoryName = "archive"
  static let firstLine = "Todana pack "
  /// No summary that can be read is longer.
  static let summaryByteLimit = 4096
  /// An archive has some dozens.
  static let fileCountLimit = 4096
  /// Behind the last member.
  static let endByteCount = 2 * TarBlock.byteCount
  static let pieceByteCount = 256 << 10

  /// As `sha256sum` has it.
  static func sumsLine(_ hash: [UInt8], _ name: String) -> String {
    let digits = hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "\(digits)  \(name)\n"
  }

  /// Zeros up to the end of the block that so many bytes end in.
  static func paddingByteCount(_ byteCount: Int64) -> Int {
    let rest = Int(byteCount % Int64(TarBlock.byteCount))
    return rest == 0 ? 0 : TarBlock.byteCount - rest
  }
}

extension PackSummary {
  /// The content of the first member.
  var text: String {
    """
    \(PackFormat.firstLine)\(PackFormat.version)
    store \(storeID)
    commit \(commitNumber)
    files \(fileCount)
    bytes \(byteCount)

    """
  }

  /// - Throws: ``ArchiveError/Code/newerFormat``, ``ArchiveError/Code/damaged``.
  init(_ text: [UInt8], seconds: Int64) throws(ArchiveError) {
    let damage = ArchiveError(.damaged, "The pack is damaged: its first member is not what it is to be.")
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
    // There is one way to write it.
    guard 0...PackFormat.fileCountLimit ~= files, bytes >= 0, Array(self.text.utf8) == text else { throw damage }
  }
}
