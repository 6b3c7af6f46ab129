import Foundation

/// A file of the package whose text is checked: a Markdown document, an article of a DocC catalog, or a source.
struct Document {
  /// The path, relative to the package's directory.
  let path: String
  let text: String

  init(_ path: String) throws {
    self.path = path
    text = try String(contentsOf: Self.url(of: path), encoding: .utf8)
  }

  static func url(of path: String) -> URL { DocumentedProgram.packageDirectory.appending(path: path) }

  /// The file's name without its extension, by which `<doc:Name>` refers to an article.
  var name: String { Self.url(of: path).deletingPathExtension().lastPathComponent }

  /// The lines outside of code blocks.
  var prose: [Substring] {
    var prose: [Substring] = []
    var isCode = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if !isCode {
        prose.append(line)
      }
    }
    return prose
  }

  /// Returns the lines under a heading of the second level, up to the next one; nil if there is no such heading.
  func section(_ title: String) -> [Substring]? {
    let lines = prose
    guard let start = lines.firstIndex(where: { $0 == "## \(title)" }) else { return nil }
    return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("## ") })
  }
}

// Links and their targets.
extension Document {
  /// A link to a file or an article, and to a heading in it.
  struct Link {
    /// The path relative to the document, or the name of an article; empty for the document itself.
    let target: String
    /// The text after "#"; nil if there is none.
    let anchor: String?
  }

  /// The Markdown links to files of the package.
  var links: [Link] {
    prose.flatMap { line in
      line.matches(of: /\]\(([^)#:\s]*)(?:#([^)\s]*))?\)/).map { match in
        Link(target: String(match.1), anchor: match.2.map { String($0) })
      }
    }
  }

  /// The DocC links to articles: `<doc:Name>` or `<doc:Name#Heading>`.
  var articleLinks: [Link] {
    prose.flatMap { line in
      line.matches(of: /<doc:([^>#]*)(?:#([^>]*))?>/).map { match in
        Link(target: String(match.1), anchor: match.2.map { String($0) })
      }
    }
  }

  /// The DocC links to symbols, without their backticks.
  var symbolLinks: [String] {
    prose.flatMap { line in line.matches(of: /``([^`]+)``/).map { String($0.1) } }
  }

  /// Returns the path of a link's target, relative to the package's directory.
  func path(of link: Link) -> String {
    if link.target.isEmpty { return path }
    let url = Self.url(of: path).deletingLastPathComponent().appending(path: link.target).standardizedFileURL
    return String(url.path.dropFirst(DocumentedProgram.packageDirectory.path.count).drop { $0 == "/" })
  }

  /// The anchors of all headings, in lower case.
  var anchors: Set<String> {
    var anchors: Set<String> = []
    var counts: [String: Int] = [:]
    for line in prose {
      let level = line.prefix { $0 == "#" }.count
      guard (1...6).contains(level), line.dropFirst(level).hasPrefix(" ") else { continue }
      let anchor = Self.anchor(of: String(line.dropFirst(level + 1)))
      let count = counts[anchor, default: 0]
      counts[anchor] = count + 1
      anchors.insert(count == 0 ? anchor : "\(anchor)-\(count)")
    }
    return anchors
  }

  /// Returns the anchor of a heading: its letters and digits in lower case, with a hyphen for each space.
  static func anchor(of heading: String) -> String {
    var anchor = ""
    for character in heading.lowercased() {
      if character == " " {
        anchor.append("-")
      } else if character.isLetter || character.isNumber || character == "-" || character == "_" {
        anchor.append(character)
      }
    }
    return anchor
  }
}

// Collections of documents.
extension Document {
  /// Returns the paths of all files of a folder that end in a suffix, in alphabetical order.
  static func paths(in folder: String, endingIn suffix: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url(of: folder).path)
      .filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
  }

  /// Returns all Markdown documents of the package: those at its top, of `docs`, and of the catalogs.
  static func all() throws -> [Document] {
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
    let folders = ["docs"] + DocumentedLibrary.all.map { $0.catalog }
    let others = try folders.flatMap { folder in try paths(in: folder, endingIn: ".md") }
    return try (top + others).map { path in try Document(path) }
  }
}
