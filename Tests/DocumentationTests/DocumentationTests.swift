// The documents' programs are also targets of this package, word for word, so that they are compiled. Here they run.
import Foundation
import MainActorExample
import TestSupport
import Testing

@Suite struct DocumentationTests {
  @Test(arguments: DocumentedProgram.all)
  func `a document shows exactly the program that is compiled`(_ program: DocumentedProgram) throws {
    #expect(try program.documentedSource() == program.compiledSource())
  }

  @Test(arguments: DocumentedProgram.all)
  func `a document's program prints the expected output`(_ program: DocumentedProgram) throws {
    // Executables are in the directory of the tests' own executable.
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let directory = try TemporaryDirectory()
    let (status, output) = try DocumentedProgram.run("'\(products.path)/\(program.name)'", in: directory.path)
    #expect(status == 0)
    #expect(output == program.output)
  }

  @Test func `links between documents lead to existing files`() throws {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] + documents(in: "docs") {
      let url = DocumentedProgram.packageDirectory.appending(path: document)
      let text = try String(decoding: Data(contentsOf: url), as: UTF8.self)
      for match in text.matches(of: /\]\(([^)#:\s]+)(?:#[^)]*)?\)/) {
        let target = url.deletingLastPathComponent().appending(path: String(match.1)).standardizedFileURL
        #expect(FileManager.default.fileExists(atPath: target.path), "\(document) links to \(match.1)")
      }
    }
  }

  @Test func `a program whose default isolation is the main actor keeps its store there`() async throws {
    let library = try await Library()
    try await library.add("So What", seconds: 565)
    let id = try await library.add("Blue", seconds: 337)
    try await library.rename(id, to: "Blue in Green")
    #expect(try await library.longestTitle() == "Blue in Green")
    #expect(try await library.titles() == ["So What", "Blue in Green"])
    #expect(try await library.totalSeconds() == 902)
    try await library.close()
  }

  private func documents(in folder: String) -> [String] {
    let url = DocumentedProgram.packageDirectory.appending(path: folder)
    let paths = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
  }
}
