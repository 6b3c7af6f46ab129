import Dispatch
import Foundation
import TerminalText
import Todana

/// A search field on a terminal, whose results change with each key.
///
/// Three threads answer the newest search, so that the results do not wait for the counts, nor those for suggestions.
final class InteractiveSession {
  private enum Event: Sendable {
    case key(Key)
    case resized
    case best(Answer<[MarkedText]>)
    case count(Answer<Int>)
    case facets(Answer<[Facet]>)
    case suggestions(Answer<[TextSuggestion]>)
    case failed(Search, String)
    case ended(signal: Int32?)
  }

  private let library: StoreActor
  private let resultCount: Int
  private let terminal = RawTerminal()
  private var screen = Screen()
  private let (events, sender) = AsyncStream.makeStream(of: Event.self)
  /// The threads that answer searches; the first one finds the lines, whose parts depend on the terminal's size.
  private var threads: [SearchThread] = []

  init(library: StoreActor, resultCount: Int) {
    self.library = library
    self.resultCount = resultCount
  }

  /// Shows the search field until the user leaves.
  func run() async throws {
    let (sender, limit) = (sender, resultCount)
    startThread { store, search in
      sender.yield(.best(try store.best(of: search, limit: limit, columns: RawTerminal.size.columns)))
    }
    startThread(
      { store, search in sender.yield(.count(try store.count(of: search))) },
      { store, search in sender.yield(.facets(try store.facets(of: search))) })
    startThread { store, search in sender.yield(.suggestions(try store.suggestions(of: search, limit: 8))) }
    screen.lineCount = try await library.perform { try $0.count(Line.self) }
    screen.resultCount = limit
    screen.hasColors = ProcessInfo.processInfo.environment["NO_COLOR"] ?? "" == ""
    let signals = signalSources()
    try terminal.enter()
    defer { terminal.restore() }
    startReadingKeys()
    draw()
    for await event in events {
      if case .ended(let signal) = event {
        terminal.restore()
        if let signal { end(by: signal) }
        break
      }
      guard handle(event) else { break }
      draw()
    }
    for source in signals { source.cancel() }
  }

  /// Starts a thread that answers the newest search.
  private func startThread(_ steps: @Sendable (Store, Search) throws -> Void...) {
    let thread = SearchThread(backend: library.backend, steps: steps) { [sender] search, message in
      sender.yield(.failed(search, message))
    }
    threads.append(thread)
  }

  /// Handles an event; returns false if the user leaves.
  private func handle(_ event: Event) -> Bool {
    switch event {
    case .key(.leave): return false
    case .key(let key): change(by: key)
    case .best(let best): screen.best = best
    case .count(let count): screen.count = count
    case .facets(let facets): screen.facets = facets
    case .suggestions(let suggestions): screen.suggestions = suggestions
    case .failed(let search, let message): if search == screen.search { screen.problem = message }
    case .resized: threads.first?.answer(screen.search)
    case .ended: break
    }
    return true
  }

  private func change(by key: Key) {
    var search = screen.search
    switch key {
    case .text(let text): search.text += text
    case .backspace: _ = search.text.popLast()
    case .clear: search.text = ""
    case .eraseWord: search.text = String(search.text[..<lastWord.lowerBound])
    case .tab:
      if let first = screen.suggestions, first.search.text == search.text, let word = first.value.first {
        search.text.replaceSubrange(lastWord, with: word.text + " ")
      }
    case .up: search.choice = neighbor(of: search.choice, by: -1)
    case .down: search.choice = neighbor(of: search.choice, by: 1)
    case .leave: break
    }
    if search == screen.search { return }
    screen.search = search
    screen.problem = nil
    for thread in threads { thread.answer(search) }
  }

  /// The place of the last word and of the spaces after it; each wide character is a word.
  private var lastWord: Range<String.Index> {
    let text = screen.search.text
    let end = text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex
    var start = end
    while start > text.startIndex {
      let previous = text.index(before: start)
      let isWide = String(text[previous]).columnCount > 1
      guard start == end || !isWide && Self.isInWord(text[previous]) else { break }
      start = previous
      if isWide { break }
    }
    return start..<text.endIndex
  }

  private static func isInWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "'’._".contains(character)
  }

  /// Returns the next or the previous value in the list of all facets; nil stands before the first and after the last.
  private func neighbor(of choice: FacetChoice?, by distance: Int) -> FacetChoice? {
    let choices: [FacetChoice?] = [nil] + (screen.facets?.value.flatMap { $0.values.map(\.choice) } ?? [])
    let index = choices.firstIndex(of: choice) ?? 0
    return choices[(index + distance + choices.count) % choices.count]
  }

  private func draw() {
    let (columns, rows) = RawTerminal.size
    if !StandardStreams.write(screen.drawn(columns: columns, rows: rows)) { sender.yield(.ended(signal: nil)) }
  }

  /// Starts the thread that reads the keyboard.
  private func startReadingKeys() {
    Thread.detachNewThread { [sender] in
      var decoder = KeyDecoder()
      var buffer = [UInt8](repeating: 0, count: 1024)
      while true {
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        // The bytes of one key arrive together: an escape character alone is the Escape key.
        let ready = unsafe poll(&request, 1, decoder.isUndecided ? 50 : -1)
        if ready < 0 && errno == EINTR { continue }
        if ready == 0 {
          if let key = decoder.keyAtEnd() { sender.yield(.key(key)) }
          continue
        }
        let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        for key in decoder.keys(adding: buffer[..<count]) { sender.yield(.key(key)) }
      }
      sender.yield(.ended(signal: nil))
    }
  }

  /// Listens for changes of the terminal's size, and for signals that end the process.
  private func signalSources() -> [any DispatchSourceSignal] {
    [SIGWINCH, SIGTERM, SIGHUP, SIGINT].map { number in
      if number != SIGWINCH { signal(number, SIG_IGN) }
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { [sender] in
        sender.yield(number == SIGWINCH ? .resized : .ended(signal: number))
      }
      source.resume()
      return source
    }
  }

  /// Ends the process by a signal, as if it had not been handled.
  private func end(by number: Int32) {
    signal(number, SIG_DFL)
    // Dispatch has blocked the signals that it listens for.
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(number)
  }
}
