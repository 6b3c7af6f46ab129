import Foundation
import TerminalText
import TodanaArchive

/// The line that shows the progress of a long command.
enum ArchiveProgressText {
  static func text(of progress: AddProgress, seconds: Double) -> String {
    let share = progress.share.map { ["\(Int($0 * 100)) %"] } ?? []
    return line(
      share + [
        counted(progress.counts.files, "file"), formattedSize(Int(progress.bytesRead)),
        speed(progress.bytesRead, seconds),
      ], progress.path)
  }

  static func text(of progress: ExtractProgress, total: SnapshotCounts?, seconds: Double) -> String {
    var parts = [
      counted(progress.counts.files, "file"), formattedSize(Int(progress.bytesWritten)),
      speed(progress.bytesWritten, seconds),
    ]
    if let total, progress.counts.bytes > 0, total.bytes > 0, seconds > 1 {
      let left = seconds * Double(max(0, total.bytes - progress.counts.bytes)) / Double(progress.counts.bytes)
      parts.append("\(formattedDuration(left)) left")
    }
    return line(parts, progress.path)
  }

  static func formattedDuration(_ seconds: Double) -> String {
    let seconds = Int(seconds.rounded())
    if seconds < 60 { return "\(seconds) s" }
    return seconds < 3600 ? "\(seconds / 60) min \(seconds % 60) s" : "\(seconds / 3600) h \(seconds / 60 % 60) min"
  }

  private static func speed(_ byteCount: Int64, _ seconds: Double) -> String {
    formattedSize(Int(Double(byteCount) / max(seconds, 0.001))) + "/s"
  }

  /// Returns a line no wider than the terminal; a long path is shortened to its end.
  private static func line(_ parts: [String], _ path: [UInt8]) -> String {
    let text = parts.joined(separator: ", ")
    let room = Terminal.columnCount - text.columnCount - 3
    if path.isEmpty || room < 8 { return text }
    let name = printable(withoutDoubleSlashes(path))
    return text + "  " + (name.columnCount <= room ? name : "…" + name.suffix(columns: room - 1))
  }

  /// Removes double slashes, which result from a directory that was typed with a slash at its end.
  private static func withoutDoubleSlashes(_ path: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    return path.indices.filter { $0 == 0 || path[$0] != slash || path[$0 - 1] != slash }.map { path[$0] }
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
