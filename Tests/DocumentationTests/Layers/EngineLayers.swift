import Foundation

/// The layers of the storage engine: its folders in the order of the list in docs/architecture/layers.md.
struct EngineLayers: Hashable {
  /// A file or a folder that breaks a rule of the list.
  enum Breach: Hashable {
    /// The file includes a header of a folder above its own.
    case upwardInclude(file: String, header: String)
    /// The file is in none of the folders.
    case outsideFolders(file: String)
    /// The file includes a header of Kyoto Cabinet and is not in the folder Kyoto.
    case kyotoInclude(file: String, header: String)
    /// The folder is not listed.
    case unlistedFolder(String)
    /// The folder is listed, but has no files.
    case emptyFolder(String)
    /// The file implements a part of the C interface whose header is missing.
    case withoutPublicHeader(file: String)
  }

  /// The folders, topmost first.
  let folders: [String]

  init(folders: [String]) { self.folders = folders }

  /// Reads the numbered list under the heading "The engine's layers"; nil if there is none.
  init?(document: String) {
    folders = LayerList.folders(under: "The engine's layers", in: document)
    if folders.isEmpty { return nil }
  }

  /// Checks sources, by their paths within the engine, and returns every breach, in the order of the paths.
  func breaches(in sources: [String: String]) -> [Breach] {
    var found: [Breach] = []
    var seen: Set<String> = []
    for (file, text) in sources.sorted(by: { $0.key < $1.key }) {
      let folder = Self.folder(of: file)
      if folder.isEmpty {
        found.append(.outsideFolders(file: file))
      } else if seen.insert(folder).inserted && !folders.contains(folder) {
        found.append(.unlistedFolder(folder))
      }
      if folder == "Interface" && file.hasSuffix(".cpp") && sources[Self.publicHeader(of: file)] == nil {
        found.append(.withoutPublicHeader(file: file))
      }
      for include in Self.includes(of: text) {
        if let breach = breach(of: include, in: file, sources: sources) { found.append(breach) }
      }
    }
    return found + folders.filter { !seen.contains($0) }.map { .emptyFolder($0) }
  }

  private func breach(of include: Include, in file: String, sources: [String: String]) -> Breach? {
    let folder = Self.folder(of: file)
    let header = Self.resolve(include, in: folder, sources: sources)
    let name = include.path.split(separator: "/").last ?? ""
    if folder != "Kyoto" && sources[header] == nil && name.hasPrefix("kc") {
      return .kyotoInclude(file: file, header: include.path)
    }
    guard let own = folders.firstIndex(of: folder), let other = folders.firstIndex(of: Self.folder(of: header)) else {
      return nil
    }
    return other < own ? .upwardInclude(file: file, header: header) : nil
  }

  // MARK: Includes

  struct Include: Hashable {
    let path: String
    /// Whether the compiler searches the file's own folder first.
    let isQuoted: Bool
  }

  /// Returns the includes of a source, including those that a preprocessor condition leaves out.
  static func includes(of text: String) -> [Include] {
    text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { bytes in
      let line = bytes.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      return line.first == UInt8(ascii: "#") ? include(of: Substring(line.dropFirst())) : nil
    }
  }

  private static func include(of directive: Substring) -> Include? {
    let directive = directive.drop(while: \.isWhitespace)
    guard let word = ["include_next", "include", "import"].first(where: { directive.hasPrefix($0) }) else { return nil }
    let argument = directive.dropFirst(word.count).drop(while: \.isWhitespace)
    guard let opening = argument.first, opening == "\"" || opening == "<" else { return nil }
    let path = argument.dropFirst().prefix { $0 != (opening == "<" ? ">" : "\"") }
    return Include(path: String(path), isQuoted: opening == "\"")
  }

  /// Returns the header's path within the engine.
  ///
  /// For a header of another target or of a library, returns a path that no source of the engine has.
  private static func resolve(_ include: Include, in folder: String, sources: [String: String]) -> String {
    let beside = normalized(folder + "/" + include.path)
    let searched = normalized("include/" + include.path)
    if include.isQuoted && (sources[beside] != nil || sources[searched] == nil) { return beside }
    return searched
  }

  /// Resolves `.` and `..` in a path, even in one that leaves the engine's directory and enters it again.
  private static func normalized(_ path: String) -> String {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    if parts.starts(with: ["..", "CStorageEngine"]) { parts.removeFirst(2) }
    return parts.joined(separator: "/")
  }

  /// Returns the path without the file's name: empty for a file that is in no folder.
  private static func folder(of file: String) -> String {
    file.split(separator: "/").dropLast().joined(separator: "/")
  }

  private static func publicHeader(of file: String) -> String {
    file.replacing("Interface/", with: "include/").replacing(".cpp", with: ".h")
  }
}
