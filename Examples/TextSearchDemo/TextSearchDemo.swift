import ArgumentParser
import Foundation
import Todana

/// Loads a text file, and searches its lines while the search is typed.
@main
struct TextSearchDemo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "TextSearchDemo",
    abstract: "Searches the lines of a text file while you type.",
    discussion: """
      On a terminal, each key changes the search. Otherwise each line of the standard input is a search, and its \
      results are printed.
      """)

  @Argument(help: "A text file in UTF-8. It can be left out if the store has lines already.")
  var file: String?

  @Option(help: "The directory of a store for the lines, which is kept. By default the store is in memory.")
  var store: String?

  @Option(help: "The maximum number of results that are shown.")
  var results = 10

  func validate() throws {
    if results < 1 { throw ValidationError("--results needs a number of at least 1.") }
  }

  func run() async throws {
    let opened = try Store(store.map { .directory($0) } ?? .inMemory, classes: [Line.self])
    let lineCount = try opened.count(Line.self)
    if lineCount == 0 {
      guard let file else { throw ValidationError("The store has no lines: name a text file.") }
      var loader = LineLoader(into: opened, from: file)
      try loader.load()
    } else if file != nil {
      StandardStreams.writeError("The store has \(formatted(lineCount)) lines already: the file is not loaded.\n")
    }
    let library = StoreActor(opened)
    if isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, StandardStreams.terminalRewritesLines {
      try await InteractiveSession(library: library, resultCount: results).run()
    } else {
      try await PlainSession(library: library, resultCount: results).run()
    }
    try await library.perform { store in try store.close() }
  }
}
