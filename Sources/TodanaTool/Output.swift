import Foundation

/// One line on a terminal's standard error that says how far the work is.
struct ProgressLine {
  private let isShown: Bool
  private var shown = ""

  init(isShown: Bool) { self.isShown = isShown && isatty(FileHandle.standardError.fileDescriptor) == 1 }

  mutating func show(_ what: String, _ done: Int, _ total: Int) {
    guard isShown, total > 0 else { return }
    let text = "\(what): \(done * 100 / total) %"
    guard text != shown else { return }
    shown = text
    write("\r\u{1B}[K\(text)")
  }

  mutating func clear() {
    if !shown.isEmpty { write("\r\u{1B}[K") }
    shown = ""
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// Prints a report for programs.
func printJSON(_ value: some Encodable) throws {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  print(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// Such as "1 record", "1,234 records".
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(count.formatted()) \(count == 1 ? noun : plural ?? noun + "s")"
}
