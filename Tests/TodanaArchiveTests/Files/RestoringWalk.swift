import Testing

@testable import TodanaArchive

/// A walk that reads a tree and restores it elsewhere, without an archive in between.
struct RestoringWalk {
  var options = RestoreOptions()
  var openLimit = 32
  var failures: [FileError] = []
  let report = RestoreReport()
  private(set) var skippedCount = 0

  init(_ options: RestoreOptions = RestoreOptions(), openLimit: Int = 32) {
    self.options = options
    self.openLimit = openLimit
  }

  /// Restores the contents of the directory at `from` into the directory at `to`.
  mutating func run(from: [UInt8], to: [UInt8]) throws {
    let start = try SourceStart(from + Array("/.".utf8)) { failures.append($0) }
    var walk = try SourceWalk(from: start, openLimit: openLimit)
    var tree = TargetTree(try TargetDirectory.open(to, options: options, report: report), openLimit: openLimit)
    var links: [FileIdentity: (steps: [[UInt8]], identity: FileIdentity)] = [:]
    var depth = 0
    while let step = walk.next() {
      switch step {
      case .failure(let error): failures.append(error)
      case .end(let entry):
        depth -= 1
        if depth == 0 { tree.directory?.finish(entry) } else { try tree.leave() }
      case .entry(let entry) where entry.kind == .directory:
        if depth > 0 { try tree.enter(entry) }
        depth += 1
      case .entry(let entry):
        let target = try #require(tree.directory)
        if entry.linkCount > 1, let first = links[entry.identity] {
          try target.makeHardLink(entry, to: first.steps, expecting: first.identity)
          continue
        }
        switch try target.placement(of: entry) {
        case .isNew, .replaces: break
        case .keeps, .isRight, .comparesContent, .setsMetadata, .setsOtherMetadata:
          skippedCount += 1
          continue
        }
        let identity = try restore(entry, from: #require(walk.directory), to: target)
        if let identity, entry.linkCount > 1 {
          links[entry.identity] = (tree.steps + [entry.name], identity)
        }
      }
    }
  }

  private func restore(
    _ entry: FileEntry, from source: SourceDirectory, to target: TargetDirectory
  ) throws -> FileIdentity? {
    switch entry.kind {
    case .regular:
      let from = try source.openFile(entry)
      let to = try target.makeFile(entry)
      from.advise(.sequential)
      var buffer = [UInt8](repeating: 0, count: 1 << 20)
      var offset: Int64 = 0
      while let data = try from.nextData(from: offset) {
        offset = data.lowerBound
        while offset < data.upperBound {
          let wanted = Int(min(Int64(buffer.count), data.upperBound - offset))
          var span = buffer.mutableSpan
          let count = min(wanted, try from.read(into: &span, at: offset))
          try to.write(buffer.span.extracting(0..<count), at: offset)
          offset += Int64(count)
          if count < wanted { break }
        }
      }
      return try to.finish()
    case .symbolicLink: return try target.makeLink(entry)
    default: return try target.makeSpecialFile(entry)
    }
  }
}

/// The entries of a tree in the order of a walk, with their path steps from the top.
struct TreeListing {
  var entries: [(steps: [[UInt8]], entry: FileEntry)] = []
  var failures: [FileError] = []

  init(_ path: [UInt8], openLimit: Int = 32) throws {
    var failures: [FileError] = []
    var walk = try SourceWalk(from: SourceStart(path + Array("/.".utf8)) { failures.append($0) }, openLimit: openLimit)
    var steps: [[UInt8]] = []
    while let step = walk.next() {
      switch step {
      case .entry(let entry):
        entries.append((steps + [entry.name], entry))
        if entry.kind == .directory { steps.append(entry.name) }
      case .end: steps.removeLast()
      case .failure(let error): failures.append(error)
      }
    }
    self.failures = failures
  }

  /// The properties of an entry that are equal in a restored tree and its source.
  struct Item: Equatable {
    var path: [UInt8]
    /// The entry without the values that the file system assigns.
    var entry: FileEntry
    /// The position in the listing of the first name of this file.
    var firstName: Int
  }

  func comparable() -> [Item] {
    var firstNames: [FileIdentity: Int] = [:]
    return entries.enumerated().map { index, item in
      var entry = item.entry
      let first = firstNames[entry.identity, default: index]
      firstNames[entry.identity] = first
      entry.identity = FileIdentity(device: 0, inode: 0)
      entry.changeTime = FileTime(seconds: 0)
      if entry.kind == .directory { entry.linkCount = 0 }
      if entry.kind != .regular { entry.byteCount = 0 }
      entry.attributes.sort { $0.name.lexicographicallyPrecedes($1.name) }
      return Item(path: Array(item.steps.joined(separator: [0x2F])), entry: entry, firstName: first)
    }
  }
}
