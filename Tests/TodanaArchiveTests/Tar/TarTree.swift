import TestSupport
import Testing

@testable import TodanaArchive

/// The content that a tar of a tree must have.
struct TarTree {
  private(set) var content = TarContent()
  private var links: [FileIdentity: [UInt8]] = [:]

  /// Walks a tree, and calls `onEntry` with each entry and `onData` with its data.
  init(
    _ path: [UInt8], onEntry: (TarEntry) throws -> Void = { _ in },
    onData: (borrowing Span<UInt8>, Int64) throws -> Void = { _, _ in }
  ) throws {
    var walk = try SourceWalk(from: SourceStart(path + Array("/.".utf8)) { Issue.record($0) })
    var steps: [[UInt8]] = []
    while let step = walk.next() {
      switch step {
      case .failure(let error): throw error
      case .end: steps.removeLast()
      case .entry(let entry):
        let path = steps.isEmpty ? [0x2E] : Array((steps.dropFirst() + [entry.name]).joined(separator: [0x2F]))
        var item = TarContent.Item(tar: tarEntry(entry, path))
        let file = item.tar.hasData ? try walk.directory?.openFile(entry) : nil
        if let file { try item.tar.dataRanges = Self.ranges(file, entry.byteCount) }
        try onEntry(item.tar)
        if let file { item.data = try Self.read(file, entry.byteCount, onData) }
        content.items.append(item)
        if entry.kind == .directory { steps.append(entry.name) }
      }
    }
    content.hasEnd = true
  }

  /// The data of each path.
  var data: [[UInt8]: [UInt8]] {
    Dictionary(uniqueKeysWithValues: content.items.map { ($0.tar.path, $0.data) })
  }

  private mutating func tarEntry(_ entry: FileEntry, _ path: [UInt8]) -> TarEntry {
    var known = entry
    known.identity = FileIdentity(device: 0, inode: 0)
    known.linkCount = 1
    if entry.kind != .regular { known.byteCount = 0 }
    if entry.name.isEmpty { known.name = path }
    guard entry.kind != .directory, entry.linkCount > 1 else { return TarEntry(path: path, entry: known) }
    guard let target = links[entry.identity] else {
      links[entry.identity] = path
      return TarEntry(path: path, entry: known)
    }
    known.kind = .regular
    known.byteCount = 0
    return TarEntry(path: path, entry: known, hardLinkTarget: target)
  }

  /// Returns the ranges of data, or nil if there are no holes, as a reader does.
  private static func ranges(_ file: SourceFile, _ byteCount: Int64) throws -> [Range<Int64>]? {
    var ranges: [Range<Int64>] = []
    while let range = try file.nextData(from: ranges.last?.upperBound ?? 0) { ranges.append(range) }
    return byteCount == 0 || ranges == [0..<byteCount] ? nil : ranges
  }

  private static func read(
    _ file: SourceFile, _ byteCount: Int64, _ onData: (borrowing Span<UInt8>, Int64) throws -> Void
  ) throws -> [UInt8] {
    var data: [UInt8] = []
    var offset: Int64 = 0
    while let range = try file.nextData(from: offset) {
      var buffer = [UInt8](repeating: 0, count: Int(range.upperBound - range.lowerBound))
      var span = buffer.mutableSpan
      #expect(try file.read(into: &span, at: range.lowerBound) == buffer.count)
      try onData(buffer.span, range.lowerBound)
      data += buffer
      offset = range.upperBound
    }
    return data
  }
}

extension ScratchTree {
  /// Makes a tree with the torture tree in "from", without the parts that other programs cannot handle.
  static func forTarring() throws -> ScratchTree {
    let tree = try ScratchTree()
    try TortureTree(path: tree.path("from")).make()
    // The paths in "deep" are longer than the kernel accepts, and these programs use whole paths.
    try Command.run("rm", ["-rf", tree.path("from/deep")])
    try System.setTime(tree.path("from"), 1_000_000_000, 1)
    // The attribute name has "=", "%" and a letter that is not ASCII.
    try System.setAttribute("user.a=b%41é", [1], tree.path("from"), "attributes")
    return tree
  }
}
