import ArgumentParser
import Foundation
import TodanaArchive

/// The options for the metadata of a new snapshot, and for the compression of its content.
struct NewSnapshotArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Add this tag to the snapshot; can be repeated.", valueName: "tag")) var tag: [String] = []
  @Option(
    help: ArgumentHelp(
      "The series that the snapshot belongs to. 'add' and 'prune' match snapshots by it, and not by their paths.",
      valueName: "name"))
  var label: String?
  @Option(help: ArgumentHelp("The host name to record.", valueName: "name")) var host: String?
  @Option(help: ArgumentHelp("The time to record, such as 2026-11-23 or 2026-11-23 10:00:00.", valueName: "time"))
  var time: String?
  @Option(
    help: ArgumentHelp("Compress by zstd:1 to zstd:19, zlib:1 to zlib:9, or none.", valueName: "method"),
    completion: NewSnapshotArguments.compressionMethods)
  var compression: String?

  /// The methods that shells complete.
  static let compressionMethods = CompletionKind.list(
    ["none"] + [1, 3, 9, 19].map { "zstd:\($0)" } + [1, 6, 9].map { "zlib:\($0)" })

  func options() throws -> AddOptions {
    var result = AddOptions()
    do {
      result.compression = try compression.map { try Compression($0) }
    } catch let error as ArchiveError {
      throw ValidationError("\(error)")
    }
    result.tags = try checkedTags(tag, "--tag")
    result.label = try label.map { try checkedLabel($0) }
    result.host = try host.map { try checkedText($0, "--host") }
    if let time {
      guard let date = date(ofText: time) else {
        throw ValidationError("“\(time)” is not a time: write 2026-11-23 or 2026-11-23 10:00:00.")
      }
      result.time = date
    }
    return result
  }
}
