/// The layers of the library: the folders of Sources/Todana in the order of the list in docs/architecture/layers.md.
///
/// A folder that is not listed belongs to the listed folder that contains it.
struct LibraryLayers: Hashable {
  /// A file, a folder or an exception that breaks a rule of the list.
  enum Breach: Hashable {
    /// The file mentions a type that a folder above its own declares.
    case upwardMention(file: String, type: String)
    /// The file is in none of the folders.
    case outsideFolders(file: String)
    /// The folder is listed, but has no files.
    case emptyFolder(String)
    /// No file of the folder mentions the type, or the type is not declared above.
    case needlessException(folder: String, type: String)
  }

  /// The types of higher folders that a folder may mention.
  struct Exception: Hashable {
    let folder: String
    let types: [String]
    let reason: String
  }

  /// The folders, topmost first.
  let folders: [String]
  let exceptions: [Exception]

  init(folders: [String], exceptions: [Exception]) {
    self.folders = folders
    self.exceptions = exceptions
  }

  /// Reads the numbered list under the heading "The library's layers"; nil if there is none.
  init?(document: String, exceptions: [Exception]) {
    self.init(folders: LayerList.folders(under: "The library's layers", in: document), exceptions: exceptions)
    if folders.isEmpty { return nil }
  }

  /// Checks sources, by their paths within the library, and returns every breach, in the order of the paths.
  func breaches(in sources: [String: String]) -> [Breach] {
    let files = sources.map { File(path: $0.key, layer: layer(of: $0.key), code: SwiftCode($0.value)) }
      .sorted { $0.path < $1.path }
    // Each type has one layer, because the compiler refuses two types with one name in a module.
    var layers: [String: Int] = [:]
    for file in files {
      for declaration in file.code.declarations where !declaration.isPrivate { layers[declaration.name] = file.layer }
    }
    var found: [Breach] = []
    var needed: Set<Use> = []
    let allowed = Set(exceptions.flatMap { exception in exception.types.map { Use(exception.folder, $0) } })
    for file in files {
      guard let layer = file.layer else {
        found.append(.outsideFolders(file: file.path))
        continue
      }
      let own = Set(file.code.declarations.map(\.name))
      for type in file.code.mentions.subtracting(own).sorted() {
        guard let other = layers[type], other < layer else { continue }
        let use = Use(folders[layer], type)
        if allowed.contains(use) {
          needed.insert(use)
        } else {
          found.append(.upwardMention(file: file.path, type: type))
        }
      }
    }
    let seen = Set(files.compactMap(\.layer))
    found += folders.indices.filter { !seen.contains($0) }.map { .emptyFolder(folders[$0]) }
    for exception in exceptions {
      for type in exception.types where !needed.contains(Use(exception.folder, type)) {
        found.append(.needlessException(folder: exception.folder, type: type))
      }
    }
    return found
  }

  private struct File {
    let path: String
    let layer: Int?
    let code: SwiftCode
  }

  private struct Use: Hashable {
    let folder: String
    let type: String

    init(_ folder: String, _ type: String) {
      self.folder = folder
      self.type = type
    }
  }

  /// Returns the index of the innermost listed folder that a file is in.
  private func layer(of path: String) -> Int? {
    var parts = path.split(separator: "/").dropLast()
    while !parts.isEmpty {
      if let index = folders.firstIndex(of: parts.joined(separator: "/")) { return index }
      parts.removeLast()
    }
    return nil
  }
}
