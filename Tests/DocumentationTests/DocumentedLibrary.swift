import Testing

/// A library of the package, with the folder of its sources and its DocC catalog.
struct DocumentedLibrary: Sendable, CustomTestStringConvertible {
  /// The name of the target, which the catalog and its first page have as well.
  let name: String
  /// A number of public types that the library exceeds, to notice if the tests no longer find them.
  let leastTypeCount: Int

  static let todana = DocumentedLibrary(name: "Todana", leastTypeCount: 100)
  static let todanaArchive = DocumentedLibrary(name: "TodanaArchive", leastTypeCount: 40)
  static let todanaDocuments = DocumentedLibrary(name: "TodanaDocuments", leastTypeCount: 5)
  static let all = [todana, todanaArchive, todanaDocuments]

  var testDescription: String { name }

  /// The path of the sources, relative to the package's directory.
  var sources: String { "Sources/\(name)" }

  /// The path of the catalog, relative to the package's directory.
  var catalog: String { "\(sources)/\(name).docc" }

  /// Returns the pages of the catalog by their names.
  func pages() throws -> [String: Document] {
    var pages: [String: Document] = [:]
    for path in try Document.paths(in: catalog, endingIn: ".md") {
      let page = try Document(path)
      pages[page.name] = page
    }
    return pages
  }

  /// Returns the names of the types that the library declares outside of other types.
  func publicTypes() throws -> Set<String> {
    var types: Set<String> = []
    for path in try Document.paths(in: sources, endingIn: ".swift") {
      for line in try Document(path).text.split(separator: "\n") {
        // Declarations within types are indented.
        guard line.hasPrefix("public ") || line.hasPrefix("open ") || line.hasPrefix("@") else { continue }
        let declaration =
          /(?:@\S+ )*(?:public|open) (?:(?:final|indirect) )*(?:class|struct|enum|protocol|actor|typealias) (\w+)/
        if let match = line.prefixMatch(of: declaration) { types.insert(String(match.1)) }
      }
    }
    return types
  }
}
