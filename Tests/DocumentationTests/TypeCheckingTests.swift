// Programs that use the interface are type-checked as a user's module is: with and without default isolation to the
// main actor, without warnings, and each expression within two seconds.
import Foundation
import TestSupport
import Testing

/// A source file that is compiled by no target.
struct TypeCheckedProgram: Sendable, CustomTestStringConvertible {
  let path: String

  var testDescription: String { (path as NSString).lastPathComponent }

  static let all: [TypeCheckedProgram] = {
    let directory = DocumentedProgram.packageDirectory.appending(path: "Tests/TypeCheckedPrograms")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
    return names.filter { $0.hasSuffix(".swift") }.sorted().map {
      TypeCheckedProgram(path: directory.appending(path: $0).path)
    }
  }()

  enum Isolation: String, CaseIterable, Sendable { case nonisolated, mainActor = "MainActor" }

  /// Returns the compiler's messages; empty if the program is correct.
  func messages(_ isolation: Isolation, arguments: [String] = []) throws -> (status: Int32, output: String) {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    var command = [
      "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors", "-Xfrontend",
      "-solver-expression-time-threshold=2", "-I", products.appending(path: "Modules").path,
    ]
    for module in try Self.cModules(products) {
      command += ["-Xcc", "-fmodule-map-file=\(module.map)", "-I", module.headers]
    }
    if isolation == .mainActor { command += ["-default-isolation", isolation.rawValue] }
    let line = (command + arguments + [path]).map { "'\($0)'" }.joined(separator: " ") + " 2>&1"
    return try DocumentedProgram.run(line, in: products.path)
  }

  /// Returns the maps and the directories of headers of the C modules that the library's module refers to.
  private static func cModules(_ products: URL) throws -> [(map: String, headers: String)] {
    let sources = DocumentedProgram.packageDirectory.appending(path: "Sources")
    var modules: [(map: String, headers: String)] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: sources.path).sorted() where name.hasPrefix("C") {
      let candidates = [
        sources.appending(path: "\(name)/module.modulemap").path,
        products.appending(path: "\(name).build/module.modulemap").path,
      ]
      guard let map = candidates.first(where: { FileManager.default.fileExists(atPath: $0) }) else { continue }
      modules.append((map, sources.appending(path: "\(name)/include").path))
    }
    return modules
  }
}

@Suite struct TypeCheckingTests {
  @Test(arguments: TypeCheckedProgram.all, TypeCheckedProgram.Isolation.allCases)
  func `a program is type-checked without warnings`(
    _ program: TypeCheckedProgram, _ isolation: TypeCheckedProgram.Isolation
  ) throws {
    let (status, output) = try program.messages(isolation)
    #expect(status == 0 && output.isEmpty, "\(output)")
  }

  @Test func `there are programs, and a wrong one is refused`() throws {
    #expect(TypeCheckedProgram.all.count >= 2)
    let directory = try TemporaryDirectory()
    let path = directory.path("Wrong.swift")
    try "import Todana\nlet query = StoredObject.where { $0.title == 3 }\n".write(
      toFile: path, atomically: true, encoding: .utf8)
    let (status, output) = try TypeCheckedProgram(path: path).messages(.nonisolated)
    #expect(status != 0 && output.contains("title"))
  }
}
