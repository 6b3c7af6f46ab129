import Foundation

/// One line on a terminal's standard error that says how far the work is.
struct ProgressLine {
  private let isShown: Bool
  private var shown = ""

  init(isShown: Bool) { self.isShown = isShown && isatty(FileHandle.standardError.fileDescriptor) == 1 }

  mutating func show(_ what: String, _ done: Int, _ total: Int) {
    guard isShown, total > 0 else { return }
    show("\(what): \(done * 100 / total) %")
  }

  mutating func show(_ text: String) {
    guard isShown, text != shown else { return }
    shown = text
    write("\r\u{1B}[K\(printable(text))")
  }

  mutating func clear() {
    if !shown.isEmpty { write("\r\u{1B}[K") }
    shown = ""
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
