import TestSupport
import TodanaArchive

/// A random tree of directories, files and ignore files.
///
/// Names and patterns use few distinct characters, so that many patterns match.
struct RandomTree {
  private(set) var generator: SeededGenerator
  /// The directories, each after its parent; the first one is the root, which has the empty path.
  private(set) var directories: [[UInt8]] = [[]]
  private(set) var files: [[UInt8]] = []
  private(set) var ignoreFiles: [[UInt8]: [UInt8]] = [:]

  private static let nameBytes: [UInt8] = Array("aaaaaabbbbbbcc.-!#[]\\*? A1".utf8) + [0xC3, 0xA4, 0xFF]
  private static let pieces: [[UInt8]] =
    [
      "a", "b", "c", "ab", ".", "-", "1", "A", " ", "*", "*", "*", "?", "?", "**", "/", "/", "/", "**/", "/**/", "/**",
      "[ab]",
      "[!a]", "[^b]", "[a-c]", "[]a]", "[!]]", "[[:alpha:]]", "[![:digit:]]", "[a/b]", "[-a]", "[a-]", "[", "]", "!",
      "#", "\\",
      "\\*", "\\?", "\\[", "\\\\", "\\a", "\\ ", "\\!", "\\#", "\\/", "[\\]]", "[a-\\c]", "[[:nope:]]", "[[:a]", "***",
      "ä",
      "[[:punct:]]", "[c-a]", "[--1]", "**\\/", "[[:upper:]a-c-b]", "[[:", "//",
    ].map { Array($0.utf8) } + [[0xFF], [0xC3], [UInt8(ascii: "["), 0x80, UInt8(ascii: "-"), 0xFF, UInt8(ascii: "]")]]

  init(generator: SeededGenerator) {
    self.generator = generator
    var taken: Set<[UInt8]> = []
    for _ in 0..<Int.random(in: 20...60, using: &self.generator) {
      let parent = directories[Int.random(in: 0..<directories.count, using: &self.generator)]
      let path = (parent.isEmpty ? [] : parent + [UInt8(ascii: "/")]) + randomName()
      if !taken.insert(path).inserted { continue }
      if Int.random(in: 0..<5, using: &self.generator) < 2 { directories.append(path) } else { files.append(path) }
    }
    for directory in directories where directory.isEmpty || Int.random(in: 0..<4, using: &self.generator) == 0 {
      ignoreFiles[directory] = randomPatterns()
    }
  }

  /// Returns the ignore-file rule that decides about a path, or nil if no rule does.
  ///
  /// This is the rule by which a walk from the root excludes the path or a directory above it. If no rule excludes
  /// it, it is the rule that includes the path again.
  func decidingRule(for path: [UInt8], isDirectory: Bool) -> (file: [UInt8], line: Int)? {
    var filter = FileFilter(FilterOptions(), device: 0, markers: markers(of: []))
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    for (depth, name) in names.enumerated() {
      let isLast = depth == names.count - 1
      let decision = filter.decision(name: name, isDirectory: !isLast || isDirectory, size: nil, device: 0)
      if case .exclude(.rule(let rule)) = decision { return Self.place(of: rule) }
      if isLast { break }
      let directory = Array(names[...depth].joined(separator: [UInt8(ascii: "/")]))
      filter.enter(name, markers: markers(of: directory))
    }
    for depth in names.indices.reversed() {
      let directory = Array(names[..<depth].joined(separator: [UInt8(ascii: "/")]))
      guard let content = ignoreFiles[directory] else { continue }
      var list = PatternList(directory: directory)
      let file = (directory.isEmpty ? [] : directory + [UInt8(ascii: "/")]) + FileFilter.ignoreFileName
      list.append(lines: content, of: file)
      switch list.verdict(path, isDirectory: isDirectory) {
      case .included(let rule): return Self.place(of: rule)
      // The filter did not report this exclusion. Line 0 does not exist, so the comparison fails.
      case .excluded: return (file, 0)
      case .undecided: continue
      }
    }
    return nil
  }

  private static func place(of rule: PatternRule) -> (file: [UInt8], line: Int)? {
    guard case .file(let file, let line) = rule.origin else { return nil }
    // The ignore file has another name in the tree that Git sees.
    return (Array(file.dropLast(FileFilter.ignoreFileName.count)) + ".gitignore".utf8, line)
  }

  private func markers(of directory: [UInt8]) -> FileFilter.DirectoryMarkers {
    .init(ignoreFile: ignoreFiles[directory])
  }

  private mutating func randomName() -> [UInt8] {
    while true {
      let name = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
        Self.nameBytes[Int.random(in: 0..<Self.nameBytes.count, using: &generator)]
      }
      if name != Array(".".utf8), name != Array("..".utf8) { return name }
    }
  }

  private mutating func randomPatterns() -> [UInt8] {
    var content: [UInt8] = Int.random(in: 0..<20, using: &generator) == 0 ? [0xEF, 0xBB, 0xBF] : []
    for _ in 0..<Int.random(in: 1...5, using: &generator) {
      let line = randomLine()
      if Self.differsInOldGit(line) { continue }
      content += line
      content += Int.random(in: 0..<10, using: &generator) == 0 ? Array("\r\n".utf8) : [UInt8(ascii: "\n")]
    }
    if Int.random(in: 0..<5, using: &generator) == 0, !content.isEmpty { content.removeLast() }
    return content
  }

  private mutating func randomLine() -> [UInt8] {
    // Most rules include again, because no rule applies below an excluded directory.
    var line: [UInt8] = Int.random(in: 0..<10, using: &generator) < 7 ? Array("!".utf8) : []
    switch Int.random(in: 0..<10, using: &generator) {
    case ..<2:
      for _ in 0..<Int.random(in: 1...4, using: &generator) { line += pick(Self.pieces) }
    case ..<4:
      let existing = pick(directories + files)
      line += existing
      if !existing.isEmpty {
        let index = line.count - Int.random(in: 1...existing.count, using: &generator)
        line.replaceSubrange(index...index, with: pick(Self.pieces))
      }
    default:
      line += generalized(pick(directories + files))
    }
    if Int.random(in: 0..<6, using: &generator) == 0 { line += "/".utf8 }
    if Int.random(in: 0..<8, using: &generator) == 0 { line += " ".utf8 }
    return line
  }

  private mutating func pick(_ choices: [[UInt8]]) -> [UInt8] {
    choices[Int.random(in: 0..<choices.count, using: &generator)]
  }

  /// Returns a pattern that probably matches the path: bytes, names and runs of names become wildcards.
  private mutating func generalized(_ path: [UInt8]) -> [UInt8] {
    var names: [[UInt8]] = []
    for name in path.split(separator: UInt8(ascii: "/")) {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: names.append(Array("**".utf8))
      case 1: continue
      case 2: names += [Array("**".utf8), Array(name)]
      case 3: names.append(Array("*".utf8))
      default: names.append(name.flatMap { generalized($0) })
      }
    }
    if Int.random(in: 0..<4, using: &generator) == 0 { names.insert(Array("**".utf8), at: 0) }
    if Int.random(in: 0..<4, using: &generator) == 0 {
      names.removeFirst(Int.random(in: 0...names.count, using: &generator))
    }
    let separator = Int.random(in: 0..<10, using: &generator) == 0 ? "\\/" : "/"
    let start: [UInt8] = Int.random(in: 0..<5, using: &generator) == 0 ? Array("/".utf8) : []
    return start + names.joined(separator: Array(separator.utf8))
  }

  /// Returns a pattern that matches the byte, and perhaps others.
  private mutating func generalized(_ byte: UInt8) -> [UInt8] {
    let low = byte > 2 ? byte - 2 : byte
    let high = byte < 0xFD ? byte + 2 : byte
    let isSpecial = "*?[\\".utf8.contains(byte)
    let open = UInt8(ascii: "["), close = UInt8(ascii: "]"), dash = UInt8(ascii: "-"), escape = UInt8(ascii: "\\")
    switch Int.random(in: 0..<24, using: &generator) {
    case 0: return Array("*".utf8)
    case 1: return Array("?".utf8)
    case 2: return Array("**".utf8)
    case 3: return [open, byte, close]
    case 4: return [open, escape, low, dash, escape, high, close]
    case 5: return [open, byte, dash, low, close]
    case 6: return [open, UInt8(ascii: "!"), high, close]
    case 7: return [open, UInt8(ascii: "x"), byte, dash, close]
    case 8: return Array("[[:alpha:][:punct:]]".utf8)
    case 9: return [byte] + Array("*".utf8)
    case 10: return [open, close, byte, close]
    case 11...12: return [escape, byte]
    default: return isSpecial ? [escape, byte] : [byte]
    }
  }

  /// Tests whether older versions of Git treat a `**` after letters, as in `a**/b`, as one between slashes.
  ///
  /// They compare the part before the first wildcard, and then match the rest as if nothing preceded it. gitignore(5)
  /// says otherwise.
  private static func differsInOldGit(_ line: [UInt8]) -> Bool {
    let special = Array("*?[\\".utf8)
    guard let start = line.firstIndex(where: special.contains), start > 0 else { return false }
    let before = line[start - 1]
    let isNegation = start == 1 && before == UInt8(ascii: "!")
    return !isNegation && before != UInt8(ascii: "/") && line[start...].starts(with: "**".utf8)
  }
}
