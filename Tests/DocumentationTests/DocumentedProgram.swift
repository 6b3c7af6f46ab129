import Foundation
import TestSupport
import Testing

/// A program that a document contains word for word, between "```swift" lines under an HTML comment that names it.
struct DocumentedProgram: Sendable, CustomTestStringConvertible {
  /// The name of the example in the document, and of the executable target.
  var name: String
  /// The path of the document, relative to the package's directory.
  var document: String
  /// The path of the compiled source, relative to the package's directory.
  var source: String
  /// The expected output of the executable; nil for a test suite, which this target contains.
  var output: String?

  /// Creates a program that is an executable target.
  init(name: String, document: String, output: String) {
    self.name = name
    self.document = document
    source = "Tests/\(name)/main.swift"
    self.output = output
  }

  /// Creates a test suite that is a file of this target.
  init(testSuite name: String, document: String) {
    self.name = name
    self.document = document
    source = "Tests/DocumentationTests/\(name).swift"
  }

  /// All programs, executables and test suites.
  static let all =
    executables + [
      DocumentedProgram(testSuite: "TestingExample", document: "Sources/Todana/Todana.docc/TestingWithTodana.md")
    ]

  static let executables = [
    DocumentedProgram(name: "ReadmeExample", document: "README.md", output: "[\"Blue in Green\"] 337\n"),
    DocumentedProgram(
      name: "GuideExample", document: "Sources/Todana/Todana.docc/GettingStarted.md",
      output: "[\"So What\", \"Blue in Green\"]\n565\n2\n0\n2\n"),
    DocumentedProgram(
      name: "FindingExample", document: "Sources/Todana/Todana.docc/Finding.md",
      output: """
        ["All Blues", "Baby", "Blue in Green"]
        ["So What", "Écoute"]
        3
        400
        [450, 350, 300, 400]
        2000
        Jazz 4 375.0
        Pop 1 500.0
        isrc ["\\"US1\\""]
        1 [0] []
        2 [0] []

        """),
    DocumentedProgram(
      name: "DocumentsExample", document: "Sources/TodanaDocuments/TodanaDocuments.docc/WorkingWithDocuments.md",
      output: """
        Boston
        1
        1 1
        true
        Ann
        1
        {"last_name":"Smith","emails":[],"address":{"country":"FR"},"age":20}
        1 1

        """),
    DocumentedProgram(
      name: "BagsExample", document: "Sources/TodanaDocuments/TodanaDocuments.docc/WorkingWithBags.md",
      output: """
        2 true false
        1 1
        2
        1 true
        [Optional("favourites")]
        false true
        ["Blue in Green"]
        1 true

        """),
    DocumentedProgram(
      name: "ImportingExample", document: "Sources/TodanaDocuments/TodanaDocuments.docc/ImportingAndExporting.md",
      output: """
        line 3: the row has 1 fields, but there are 3 columns
        2 1
        1
        1
        {"name":"O'Neil, Ann","age":20}

        """),
    DocumentedProgram(
      name: "NanoStoreExample", document: "Sources/TodanaDocuments/TodanaDocuments.docc/ComingFromNanoStore.md",
      output: """
        John
        [true, false]
        1 2
        1 1
        1
        2
        1
        1
        ["Ann", "Jane"]
        [[Optional("Ann"), Optional("US")]]
        ["Doe", "Smith", "doe"] 37.0
        1
        1
        1 3
        3

        """),
    DocumentedProgram(
      name: "NoDBExample", document: "Sources/TodanaDocuments/TodanaDocuments.docc/ComingFromNoDB.md",
      output: """
        ["Bob", "Cid"] 3
        30 Side Boston
        nil
        Anna true
        ["Anna"]
        ["Cid", "Bob"]
        3
        ["Bob", "Cid"]
        1

        """),
    DocumentedProgram(
      name: "NTJsonStoreExample", document: "Sources/TodanaDocuments/TodanaDocuments.docc/ComingFromNTJsonStore.md",
      output: """
        ["Jane", "John"]
        2
        2 true
        true
        refused: unique [email]
        1 2
        3
        ["users"]

        """),
    DocumentedProgram(
      name: "ChangingClassesExample", document: "Sources/Todana/Todana.docc/ChangingClasses.md",
      output: """
        Trial.todana 2 1 0
        Music.todana 2 1 0
        Blue in Green 337.0 Miles Davis
        Nardis 350.0 Bill Evans
        So What 565.0 Miles Davis
        4
        newerVersion Song

        """),
    DocumentedProgram(
      name: "DeleteRulesExample", document: "Sources/Todana/Todana.docc/DeleteRules.md",
      output: """
        refused, songs: 3
        false
        refused, songs: 1
        3 ["So What", "Blue in Green", "Nardis"]
        1 ["Nardis"]
        true 1
        Playlist row 1: It refers to Song row 3, which does not exist.

        """),
    DocumentedProgram(
      name: "SearchingExample", document: "Sources/Todana/Todana.docc/SearchingTexts.md",
      output: """
        ["Blue in Green"]
        ["青い影"]
        ["Blue in Green", "Runner"]
        3
        Runner true He [runs] and [runs] 0
        Blue in Green true Green fields, [running] rivers 0
        ["green 1"]

        """),
    DocumentedProgram(
      name: "SearchAsYouTypeExample", document: "Sources/Todana/Todana.docc/SearchAsYouType.md",
      output: """
        blue: 5 ["[Blue] Train", "[Blue] in Green", "Kind of [Blue]", "[Blueberry] Hill", "[Blues] for Alice"]
          ["Jazz 4", "Pop 1"] ["1951 1", "1956 1", "1957 1", "1959 2"] ["blue", "blueberry", "blues"]
        blue: 4 ["[Blue] Train", "[Blue] in Green", "Kind of [Blue]", "[Blues] for Alice"]
          ["Jazz 4", "Pop 1"] ["1951 1", "1957 1", "1959 2"] ["blue", "blueberry", "blues"]
        blue: 2 ["[Blue] in Green", "Kind of [Blue]"]
          ["Jazz 2"] ["1951 1", "1957 1", "1959 2"] ["blue", "blueberry", "blues"]
        blue t: 1 ["[Blue] [Train]"]
          ["Jazz 1"] ["1957 1"] ["train"]
        blue t: 2 ["[Blue] [Train]", "[Blue] [Trane]"]
          ["Jazz 2"] ["1957 1", "1985 1"] ["train", "trane"]

        """),
  ]

  var testDescription: String { name }

  static let packageDirectory = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardizedFileURL

  /// Returns the source that is compiled.
  func compiledSource() throws -> String {
    try Self.text(of: source)
  }

  /// Returns the source that the document shows.
  func documentedSource() throws -> String {
    let document = try Self.text(of: document)
    let opening = "<!-- example: \(name) -->\n\n```swift\n"
    let start = try #require(document.range(of: opening), "\(self.document) has no example \(name)").upperBound
    let end = try #require(document.range(of: "\n```\n", range: start..<document.endIndex)).lowerBound
    return document[start..<end] + "\n"
  }

  /// Runs a command in a directory, and returns its exit status and its output.
  ///
  /// Foundation's `Process` is not used: it learns of a child's end through a descriptor. Children that other tests
  /// start at the same time inherit this descriptor.
  static func run(_ command: String, in directory: String) throws -> (status: Int32, output: String) {
    let line = "cd '\(directory)' && TODANA_WITHOUT_SPEED_TESTS=1 \(command) </dev/null"
    guard let stream = unsafe popen(line, "re") else { throw POSIXError(.EMFILE) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = unsafe fread(&buffer, 1, buffer.count, stream), count > 0 { output += buffer[..<count] }
    return unsafe (pclose(stream), String(decoding: output, as: UTF8.self))
  }

  private static func text(of path: String) throws -> String {
    try String(decoding: Data(contentsOf: packageDirectory.appending(path: path)), as: UTF8.self)
  }
}
