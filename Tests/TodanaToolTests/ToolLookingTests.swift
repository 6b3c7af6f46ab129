import Foundation
import TestSupport
import Testing
import Todana

/// Commands of the tool that read a store and change nothing, with plain and encrypted stores.
@Suite struct ToolLookingTests {
  private struct Info: Decodable {
    struct Class: Decodable {
      let `class`: String
      let recordCount: Int
      let fileByteCount: Int?
    }
    struct Encryption: Decodable {
      let cipher: String
    }
    let identity: String
    let anchor: String
    let recordCount: Int
    let namedBufferCount: Int
    let fileByteCount: Int
    let classes: [Class]
    let encryption: Encryption?
  }

  @Test(arguments: [false, true]) func `info describes a store and its content`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let text = try made.run("info", made.path)
    #expect(text.status == 0)
    #expect(text.lines.allSatisfy { $0.count <= 80 || $0.contains(made.path) })
    let info = try made.run("info", "--json", made.path).document(Info.self)
    #expect(info.recordCount == 36 && info.namedBufferCount == 2 && info.fileByteCount > 0)
    #expect(info.classes.map(\.class).sorted() == ["IndexedSong", "Node", "Playlist", "Song"])
    #expect(info.classes.first { $0.class == "Song" }?.recordCount == 30)
    #expect(info.encryption?.cipher == (isEncrypted ? "AES-128-GCM" : nil))
    let store = try made.open()
    #expect(info.identity == "\(store.backend.storeID)")
    #expect(StoreAnchor(info.anchor) != nil)
    try store.close()
  }

  @Test func `damage in a store is reported`() throws {
    let made = try ToolStore()
    let names = try FileManager.default.contentsOfDirectory(atPath: made.path)
    let file = made.path + "/" + (try #require(names.first { $0.hasSuffix("-Song.kch") }))
    // Zero the first page, which is needed to read any record of the file.
    var bytes = try Data(contentsOf: URL(filePath: file))
    bytes.replaceSubrange(0..<4096, with: Data(count: 4096))
    try bytes.write(to: URL(filePath: file))
    for command in ["info", "classes"] { #expect(try made.run(command, made.path).status == 1) }
    #expect(try made.run("get", made.path, "Song", "1").status == 4)
    #expect(try made.run("dump", made.path).status == 4)
  }

  private struct Class: Decodable {
    let `class`: String
    let number: UInt32
    let recordCount: Int
    let nextRow: RowID
  }

  @Test(arguments: [false, true]) func `the listed classes are those of the catalog`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let classes = try made.run("classes", "--json", made.path).values(Class.self)
    let text = try made.run("classes", made.path)
    #expect(text.status == 0 && text.lines.count == 5)
    let store = try made.open()
    for entry in try store.catalog {
      let found = try #require(classes.first { $0.class == entry.name })
      #expect(found.number == entry.id?.rawValue && found.recordCount == entry.recordCount)
      #expect(found.nextRow <= entry.nextRowID ?? 0)
    }
    try store.close()
  }

  private struct Row: Decodable {
    let row: RowID
    let version: UInt8
    let byteCount: Int
  }

  @Test(arguments: [false, true]) func `rows come in their order, in pages`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let all = try made.run("list", "--json", made.path, "Song").values(Row.self)
    #expect(all.map(\.row) == Array(1...10) + Array(21...40))
    #expect(all.allSatisfy { $0.version == 2 })
    let store = try made.open()
    for row in all {
      #expect(try store.rawRecord(ofClassNamed: "Song", rowID: row.row)?.content.count == row.byteCount)
    }
    try store.close()
    let page = try made.run("list", "--json", "--after", "8", "--limit", "4", made.path, "Song").values(Row.self)
    #expect(page.map(\.row) == [9, 10, 21, 22])
    #expect(try made.run("list", "--json", "--limit", "0", made.path, "Song").lines.isEmpty)
    #expect(try made.run("list", made.path, "Song").lines.count == 31)
    #expect(try made.run("list", made.path, "Nothing").status == 4)
    #expect(try made.run("list", made.path, "Node").lines.count == 1)
  }

  private struct Content: Decodable {
    let version: UInt8
    let byteCount: Int
    let content: Data
  }

  @Test(arguments: [false, true]) func `one record is shown as text, JSON or its bytes`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let store = try made.open()
    let record = try #require(try store.rawRecord(ofClassNamed: "Playlist", rowID: 1))
    try store.close()
    #expect(try made.run("get", "--raw", made.path, "Playlist", "1").output == Data(record.content))
    let document = try made.run("get", "--json", made.path, "Playlist", "1").document(Content.self)
    #expect(document.version == 1 && document.byteCount == record.content.count)
    #expect(document.content == Data(record.content))
    let text = try made.run("get", made.path, "Playlist", "1")
    #expect(text.lines.first == "Playlist, row 1, version 1, \(record.content.count) bytes")
    #expect(text.lines.count == 1 + (record.content.count + 15) / 16)
    #expect(text.lines.allSatisfy { $0.count <= 80 })
    #expect(!text.text.contains("\u{1B}"))
    let absent = try made.run("get", made.path, "Playlist", "2")
    #expect(absent.status == 4 && absent.output.isEmpty)
  }

  private struct Name: Decodable {
    let name: String
    let version: UInt8
    let byteCount: Int
  }

  @Test(arguments: [false, true]) func `named buffers are listed and shown`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    let names = try made.run("names", "--json", made.path).values(Name.self)
    #expect(names.map(\.name) == ["empty", "favourites"])
    #expect(names.map(\.version) == [1, 3])
    #expect(names.first?.byteCount == 0)
    #expect(try made.run("names", made.path).lines.count == 3)
    let raw = try made.run("name", "--raw", made.path, "favourites")
    #expect(raw.output.count == names.last?.byteCount)
    #expect(try made.run("name", "--json", made.path, "favourites").document(Content.self).content == raw.output)
    #expect(try made.run("name", made.path, "nothing").status == 4)
  }

  private struct Index: Decodable {
    let `class`: String
    let index: String
    let isUnique: Bool
    let isComplete: Bool
    let entryCount: Int
  }

  @Test(arguments: [false, true])
  func `indexes are listed and emptied by the tool, and built by the program`(_ isEncrypted: Bool) throws {
    let made = try ToolStore(isEncrypted: isEncrypted)
    func indexes() throws -> [Index] { try made.run("index", "list", "--json", made.path).values(Index.self) }
    var found = try indexes()
    #expect(found.map(\.index).sorted() == ["seconds", "title"])
    #expect(found.allSatisfy { $0.class == "IndexedSong" && $0.isComplete && $0.entryCount == 5 })
    #expect(found.filter(\.isUnique).map(\.index) == ["title"])
    #expect(try made.run("index", "rebuild", made.path, "IndexedSong", "title").status == 0)
    found = try indexes()
    #expect(found.filter(\.isComplete).map(\.index) == ["seconds"])
    #expect(found.first { $0.index == "title" }?.entryCount == 0)
    #expect(try made.run("index", "rebuild", made.path, "IndexedSong").lines.count == 2)
    let store = try made.open()
    #expect(try store.indexes.allSatisfy { $0.isComplete && $0.entryCount == 5 })
    #expect(try store.verify().isSound)
    try store.close()
    #expect(try indexes().allSatisfy { $0.isComplete && $0.entryCount == 5 })
    #expect(try made.run("index", "rebuild", made.path, "IndexedSong", "nothing").status == 4)
    #expect(try made.run("index", "rebuild", made.path, "Song").status == 4)
  }

  @Test func `commands that only read change no file`() throws {
    let made = try ToolStore()
    let before = try contents(of: made.path)
    for command in ["info", "classes", "names", "dump", "verify"] {
      #expect(try made.run(command, made.path).status == 0)
    }
    #expect(try made.run("list", made.path, "Song").status == 0)
    #expect(try contents(of: made.path) == before)
  }

  private func contents(of path: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != "lock" {
      contents[name] = try Data(contentsOf: URL(filePath: path + "/" + name))
    }
    return contents
  }
}
