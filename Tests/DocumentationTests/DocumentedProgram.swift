import Foundation
import TestSupport
import Testing

/// A program that stands word for word in a document, between "```swift" lines under an HTML comment that names it.
struct DocumentedProgram: Sendable, CustomTestStringConvertible {
  /// The name of the executable target, and in the document.
  var name: String
  /// The document, from the package's directory.
  var document: String
  /// What the program prints.
  var output: String

  static let all = [
    DocumentedProgram(name: "ReadmeExample", document: "README.md", output: "[\"Blue in Green\"] 337\n"),
    DocumentedProgram(
      name: "GuideExample", document: "Sources/Todana/Todana.docc/GettingStarted.md",
      output: "[\"So What\", \"Blue in Green\"]\n565\n2\n0\n2\n"),
  ]

  var testDescription: String { name }

  static let packageDirectory = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../..").standardizedFileURL

  /// The source that the target is built from.
  func compiledSource() throws -> String {
    try Self.text(of: "Tests/\(name)/main.swift")
  }

  /// The source that readers of the document see.
  func documentedSource() throws -> String {
    let document = try Self.text(of: document)
    let opening = "<!-- example: \(name) -->\n\n```swift\n"
    let start = try #require(document.range(of: opening), "\(self.document) has no example \(name)").upperBound
    let end = try #require(document.range(of: "\n```\n", range: start..<document.endIndex)).lowerBound
    return document[start..<end] + "\n"
  }

  /// Runs an executable in an empty directory, and gives its exit status and what it printed.
  static func run(_ executable: URL, _ arguments: [String] = [], in directory: String) throws -> (Int32, String) {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: directory, directoryHint: .isDirectory)
    process.environment = ProcessInfo.processInfo.environment.merging(["TODANA_WITHOUT_SPEED_TESTS": "1"]) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let printed = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: printed, as: UTF8.self))
  }

  private static func text(of path: String) throws -> String {
    try String(decoding: Data(contentsOf: packageDirectory.appending(path: path)), as: UTF8.self)
  }
}
