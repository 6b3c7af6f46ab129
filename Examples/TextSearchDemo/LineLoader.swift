import Foundation
import Todana

/// Loads the lines of a file into a store.
struct LineLoader {
  let store: Store
  let path: String
  private var progress = ProgressText()

  /// The number of lines that are saved at a time.
  private static let batchSize = 20_000

  init(into store: Store, from path: String) {
    self.store = store
    self.path = path
  }

  /// Saves each line that is not empty, then builds the text index.
  mutating func load() throws {
    let start = ContinuousClock.now
    defer { progress.clear() }
    let data = try contents()
    var (position, count) = (data.startIndex, 0)
    while position < data.endIndex {
      let end = data[position...].firstIndex(of: UInt8(ascii: "\n")) ?? data.endIndex
      let text = Self.printable(String(decoding: data[position..<end], as: UTF8.self))
      position = min(end + 1, data.endIndex)
      if text.isEmpty { continue }
      try store.insert(Line(text))
      count += 1
      if count.isMultiple(of: Self.batchSize) {
        try store.saveChanges(durability: .relaxed)
        progress.show("Loading", position - data.startIndex, of: data.count)
      }
    }
    try store.saveChanges()
    let loaded = ContinuousClock.now
    try store.buildIndexes { [progress] in progress.show("Indexing", $0.doneCount, of: $0.totalCount) }
    progress.clear()
    let times = "loading \(formatted(start.duration(to: loaded))), index \(formatted(loaded.duration(to: .now)))"
    StandardStreams.writeError("\(formatted(count)) lines: \(times)\n")
  }

  private func contents() throws -> Data {
    let file = URL(filePath: path)
    do {
      // A pipe cannot be mapped.
      let isFile = try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
      if isFile { return try Data(contentsOf: file, options: .alwaysMapped) }
      return try FileHandle(forReadingFrom: file).readToEnd() ?? Data()
    } catch let error as CocoaError {
      throw UnreadableFile(path: path, reason: error.underlying as? POSIXError)
    }
  }

  /// Returns a line without characters that move the cursor of a terminal or change its direction.
  private static func printable(_ line: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in line.unicodeScalars {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: scalars.append(" ")
      default: scalars.append(scalar)
      }
    }
    return String(scalars).trimmingCharacters(in: .whitespaces)
  }
}

/// The error of a file that cannot be read.
struct UnreadableFile: Error, CustomStringConvertible {
  let path: String
  let reason: POSIXError?

  var description: String {
    let text = reason.flatMap { reason in unsafe strerror(reason.code.rawValue).map { unsafe String(cString: $0) } }
    return "\(path) cannot be read: \(text ?? "it is no readable file")"
  }
}

/// A line on the standard error that shows the progress, if it is a terminal.
struct ProgressText {
  private let isShown = isatty(STDERR_FILENO) == 1 && StandardStreams.terminalRewritesLines

  func show(_ work: String, _ done: Int, of total: Int) {
    guard isShown, total > 0 else { return }
    StandardStreams.writeError("\r\u{1B}[K\(work): \(done * 100 / total) %")
  }

  func clear() {
    if isShown { StandardStreams.writeError("\r\u{1B}[K") }
  }
}
