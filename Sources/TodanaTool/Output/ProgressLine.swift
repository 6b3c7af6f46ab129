import Foundation
import TerminalText

/// The progress line on the standard error.
///
/// It is shown only on terminals that can rewrite a line, unlike `dumb` ones. It is not shown if the standard output is
/// a pipe: the program that reads the pipe may ask for a passphrase on the same terminal, and the line would erase the
/// question. It never reaches the last column, as some terminals would then begin another line.
struct ProgressLine {
  private let isShown: Bool
  private var shown = ""

  init(isShown: Bool) { self.isShown = isShown && Terminal.rewritesLines && !Terminal.outputIsPipe }

  mutating func show(_ what: String, _ done: Int, _ total: Int) {
    guard isShown, total > 0 else { return }
    show("\(what): \(done * 100 / total) %")
  }

  mutating func show(_ text: String) {
    guard isShown, text != shown else { return }
    shown = text
    StandardError.write("\r\u{1B}[K" + printableMessage(text).prefix(columns: Terminal.columnCount - 1))
  }

  mutating func clear() {
    if !shown.isEmpty { StandardError.write("\r\u{1B}[K") }
    shown = ""
  }
}
