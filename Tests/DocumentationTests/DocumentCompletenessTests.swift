// The documents cover all error codes, public types, test targets and formats.
import Foundation
import Testing

/// An enumeration of error codes, and the section of a guide that lists them.
struct ErrorCodes: Sendable, CustomTestStringConvertible {
  /// The name of the error type, which is also the title of the section in the guide.
  var type: String
  /// The name of the enumeration.
  var enumeration = "Code"
  var library = DocumentedLibrary.todana
  /// The path of the source, within the library's sources.
  var source: String
  /// The file name of the guide, in the library's catalog.
  var guide = "Errors.md"

  var testDescription: String { type }

  static let all = [
    ErrorCodes(type: "StoreError", source: "Store/StoreError.swift"),
    ErrorCodes(type: "BackendError", source: "StoreBackend/BackendError.swift"),
    ErrorCodes(type: "DataBufferError", source: "DataBuffer/DataBufferError.swift"),
    ErrorCodes(type: "DumpError", source: "Dump/DumpEntry.swift"),
    ErrorCodes(
      type: "RecordEnvelopeError", enumeration: "RecordEnvelopeError", source: "DataBuffer/RecordEnvelope.swift"),
    ErrorCodes(
      type: "ArchiveError", library: .todanaArchive, source: "ArchiveError.swift", guide: "ArchiveErrors.md"),
    ErrorCodes(
      type: "ArgumentError", library: .todanaArchive, source: "ArgumentError.swift", guide: "ArchiveErrors.md"),
    ErrorCodes(
      type: "FileError", library: .todanaArchive, source: "Files/FileError.swift", guide: "ArchiveErrors.md"),
  ]

  /// Returns the names of the enumeration's cases.
  func cases() throws -> [String] {
    try Self.cases(of: enumeration, in: "\(library.sources)/\(source)")
  }

  /// Returns the names of the cases of an enumeration in a source file.
  static func cases(of enumeration: String, in path: String) throws -> [String] {
    let lines = try Document(path).text.split(separator: "\n")
    let found = lines.firstIndex { $0.contains("enum \(enumeration)") }
    let start = try #require(found, "\(path) has no enumeration \(enumeration)")
    let end = String(lines[start].prefix { $0 == " " }) + "}"
    let body = lines[(start + 1)...].prefix { $0 != end }
    return body.compactMap { line in line.prefixMatch(of: /\s*case (\w+)/).map { String($0.1) } }
  }
}

@Suite struct DocumentCompletenessTests {
  @Test(arguments: ErrorCodes.all)
  func `every error code stands in the guide to errors`(_ codes: ErrorCodes) throws {
    let guide = try Document("\(codes.library.catalog)/\(codes.guide)")
    let section = try #require(guide.section(codes.type), "\(codes.guide) has no section \"## \(codes.type)\"")
    let cases = try codes.cases()
    #expect(!cases.isEmpty, "No case of \(codes.type) was found in \(codes.source)")
    for name in cases {
      let isListed = section.contains { $0.contains("`\(name)`") }
      #expect(isListed, "\(codes.guide) lacks `\(name)` in the section \"\(codes.type)\"")
    }
  }

  @Test func `every error code of texts stands in the guide to queries in texts`() throws {
    let guide = try Document("\(DocumentedLibrary.todana.catalog)/QueryText.md")
    let section = try #require(guide.section("Errors"), "QueryText.md has no section \"## Errors\"")
    let cases = try ErrorCodes.cases(of: "Code", in: "Sources/Todana/Query/Text/QueryTextError.swift")
    #expect(!cases.isEmpty, "No case was found in QueryTextError.swift")
    for name in cases {
      let isListed = section.contains { $0.contains("`\(name)`") }
      #expect(isListed, "QueryText.md lacks `\(name)` in the section \"Errors\"")
    }
  }

  @Test(arguments: DocumentedLibrary.all)
  func `every public type stands in one topic of the catalog`(_ library: DocumentedLibrary) throws {
    let types = try library.publicTypes()
    #expect(types.count > library.leastTypeCount, "Only \(types.count) public types were found")
    var pagesOfTypes: [String: [String]] = [:]
    for page in try library.pages().values {
      for line in page.section("Topics") ?? [] where line.hasPrefix("- ``") && line.hasSuffix("``") {
        pagesOfTypes[String(line.dropFirst(4).dropLast(2)), default: []].append(page.path)
      }
    }
    for type in types.sorted() {
      let pages = pagesOfTypes[type] ?? []
      #expect(!pages.isEmpty, "No topic of \(library.catalog) lists the public type \(type)")
      #expect(pages.count <= 1, "\(type) is listed in several topics: \(pages)")
    }
  }

  @Test(arguments: DocumentedLibrary.all)
  func `every article stands in one topic of the catalog's first page`(_ library: DocumentedLibrary) throws {
    let pages = try library.pages()
    let root = try #require(pages[library.name], "\(library.catalog) has no \(library.name).md")
    let listed = root.section("Topics") ?? []
    for page in pages.values where !page.isOfSymbol {
      let count = listed.count(where: { $0 == "- <doc:\(page.name)>" })
      #expect(count == 1, "The topics of \(library.name).md list the article \(page.name) \(count) times")
    }
  }

  @Test(arguments: DocumentedLibrary.all)
  func `no article has the name of a public type, whose page it would replace`(_ library: DocumentedLibrary) throws {
    let types = Set(try library.publicTypes().map { $0.lowercased() })
    for page in try library.pages().values where !page.isOfSymbol {
      #expect(!types.contains(page.name.lowercased()), "\(page.path) needs another name")
    }
  }

  @Test(arguments: DocumentedLibrary.all)
  func `symbols that the catalog's pages mention belong to public types`(_ library: DocumentedLibrary) throws {
    let types = try library.publicTypes()
    for page in try library.pages().values where page.name == library.name || !page.isOfSymbol {
      for link in page.symbolLinks where link != library.name {
        let type = link.split(separator: "/").first.map { String($0) } ?? ""
        #expect(types.contains(type), "\(page.path) mentions ``\(link)``, and \(type) is no public type")
      }
    }
  }

  @Test func `every test target stands in CONTRIBUTING`() throws {
    let manifest = try Document("Package.swift").text
    let targets = manifest.matches(of: /\.testTarget\(\s*name: "(\w+)"/).map { String($0.1) }
    #expect(!targets.isEmpty, "No test target was found in Package.swift")
    let document = try Document("CONTRIBUTING.md").text
    for target in targets {
      #expect(document.contains("`Tests/\(target)`"), "CONTRIBUTING.md does not mention `Tests/\(target)`")
    }
  }

  @Test func `the picture of a terminal shows the session of the tool's document`() throws {
    let picture = try Document("docs/terminal.svg").text
    let shown = picture.matches(of: /xml:space="preserve">([^<]*)<\/text>/).map { String($0.1) }
    let lines = try Document("docs/tool.md").text.split(separator: "\n", omittingEmptySubsequences: false)
    let session = lines.drop { $0 != "```console" }.dropFirst().prefix { $0 != "```" }
    let expected = session.map { line in
      String(line).replacing(/\s+$/, with: "").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        .replacing(">", with: "&gt;").replacing("\"", with: "&quot;").replacing("'", with: "&#x27;")
    }
    #expect(!expected.isEmpty, "docs/tool.md has no terminal session")
    #expect(shown == expected, "Run Scripts/draw-terminal")
  }

  @Test func `every document of a format lists the changes of its versions`() throws {
    for path in try Document.paths(in: "docs/formats", endingIn: ".md") {
      let section = try Document(path).section("Version changes")
      #expect(section != nil, "\(path) has no section \"## Version changes\"")
    }
  }
}

extension Document {
  /// Whether the page belongs to a symbol, which its title names in double backticks.
  fileprivate var isOfSymbol: Bool { text.hasPrefix("# ``") }
}
