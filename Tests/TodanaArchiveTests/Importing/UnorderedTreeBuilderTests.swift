import TestSupport
import Testing

@testable import TodanaArchive

/// Tests of a tree that is built in random order, compared with a dictionary.
@Suite struct UnorderedTreeBuilderTests {
  @Test(arguments: 0..<4) func `paths are found, each once, and listed in order`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var index = PathIndex()
    var nodes: [[UInt8]: PathIndex.Node] = [:]
    var children: [PathIndex.Node: [[UInt8]]] = [:]
    var directories: [(path: [UInt8], node: PathIndex.Node)] = [([], PathIndex.root)]
    for _ in 0..<20_000 {
      let directory = directories[Int.random(in: 0..<directories.count, using: &generator)]
      let name = (0..<Int.random(in: 1...3, using: &generator)).map { _ in
        UInt8.random(in: 0x61...0x69, using: &generator)
      }
      let path = directory.path + [0x2F] + name
      #expect(index.child(name[...], of: directory.node) == nodes[path])
      if nodes[path] != nil { continue }
      let node = try index.insert(name[...], into: directory.node)
      nodes[path] = node
      children[directory.node, default: []].append(name)
      if Int.random(in: 0..<20, using: &generator) == 0 { directories.append((path, node)) }
    }
    #expect(index.count == nodes.count + 1)
    for directory in directories {
      let expected = (children[directory.node] ?? []).sorted { $0.lexicographicallyPrecedes($1) }
      #expect(index.children(of: directory.node).map { Array(index.name(of: $0)) } == expected)
      #expect(index.hasChildren(directory.node) == !expected.isEmpty)
    }
  }

  @Test func `entries of any size come back, without their names`() throws {
    var records = EntryRecords()
    var expected: [(record: EntryRecords.Record, entry: ArchiveEntry)] = []
    for number in 0..<300 {
      let attributes = [
        ExtendedAttribute(name: Array("user.a".utf8), value: [UInt8](repeating: 7, count: number * 100))
      ]
      var entry = ArchiveEntry(
        file: FileEntry(
          .regular, "name\(number)", time: FileTime(seconds: -Int64(number)), byteCount: 1 << 40,
          attributes: attributes),
        content: .chunks((0..<UInt64(number) * 200).map { $0 * 7 }), extents: [3..<Int64(1000 + number)])
      if number.isMultiple(of: 3) { entry = ArchiveEntry(file: FileEntry(.directory, "d"), content: .none) }
      expected.append((try records.append(entry), entry))
    }
    for (record, entry) in expected {
      let found = try records[record]
      var known = entry
      known.file.name = found.file.name
      if entry.file.kind == .directory { known.content = .pages([]) }
      #expect(found == known)
    }
  }
}
