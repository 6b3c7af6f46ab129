import Foundation

/// One line on a terminal's standard error that says how far the work is.
///
/// Shown only by terminals that can rewrite a line, which `dumb` ones cannot. It never reaches the last column, where
/// some terminals begin another line.
struct ProgressLine {
  private let isShown: Bool
  private var shown = ""

  init(isShown: Bool) { self.isShown = isShown && Terminal.rewritesLines }

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
