// The documents' programs are also in this package, word for word, so that they are compiled. Here they run.
import Foundation
import MainActorExample
import TestSupport
import Testing

@Suite struct DocumentationTests {
  @Test(arguments: DocumentedProgram.all)
  func `a document shows exactly the program that is compiled`(_ program: DocumentedProgram) throws {
    #expect(try program.documentedSource() == program.compiledSource())
  }

  @Test(arguments: DocumentedProgram.executables)
  func `a document's program prints the expected output`(_ program: DocumentedProgram) throws {
    // Executables are in the directory of the tests' own executable.
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let directory = try TemporaryDirectory()
    let (status, output) = try DocumentedProgram.run("'\(products.path)/\(program.name)'", in: directory.path)
    #expect(status == 0)
    #expect(output == program.output)
  }

  @Test func `links between documents lead to existing files and headings`() throws {
    for document in try Document.all() {
      for link in document.links {
        let path = document.path(of: link)
        let exists = FileManager.default.fileExists(atPath: Document.url(of: path).path)
        #expect(exists, "\(document.path) links to \(link.target), which does not exist")
        if exists, let anchor = link.anchor {
          let hasHeading = try Document(path).anchors.contains(anchor)
          #expect(hasHeading, "\(document.path) links to #\(anchor), and \(path) has no such heading")
        }
      }
    }
  }

  @Test(arguments: DocumentedLibrary.all)
  func `links between articles lead to existing articles and headings`(_ library: DocumentedLibrary) throws {
    let pages = try library.pages()
    for page in pages.values {
      for link in page.articleLinks {
        let target = link.target.isEmpty ? page : pages[link.target]
        #expect(target != nil, "\(page.path) links to <doc:\(link.target)>, which does not exist")
        if let target, let anchor = link.anchor {
          let hasHeading = target.anchors.contains(Document.anchor(of: anchor))
          #expect(hasHeading, "\(page.path) links to #\(anchor), and \(target.path) has no such heading")
        }
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
}
