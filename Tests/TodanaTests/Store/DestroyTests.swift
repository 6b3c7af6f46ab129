import Foundation
import TestSupport
import Testing
import Todana

@Suite struct DestroyTests {
  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("S.todana")
  }

  private func makeStore(_ encryption: StoreConfiguration.Encryption = .none) throws {
    let store = try Store(
      .directory(path), classes: [Song.self], configuration: StoreConfiguration(encryption: encryption))
    for number in 0..<100 { try store.insert(Song("\(number)")) }
    try store.saveChanges()
    try store.close()
  }

  @Test(arguments: [StoreConfiguration.Encryption.none, .key([UInt8](repeating: 7, count: 32))])
  func `a store exists until it is destroyed, without its key`(_ encryption: StoreConfiguration.Encryption) throws {
    #expect(!Store.exists(at: path))
    try makeStore(encryption)
    #expect(Store.exists(at: path))
    try Store.destroy(at: path)
    #expect(!Store.exists(at: path))
    #expect(!FileManager.default.fileExists(atPath: path))
    try makeStore()
    #expect(Store.exists(at: path))
  }

  @Test func `an open store is not destroyed`() throws {
    let store = try Store(.directory(path), classes: [Song.self])
    #expect(store.location == .directory(path))
    #expect(!store.isClosed)
    try store.insert(Song("a"))
    try store.saveChanges()
    let error = #expect(throws: StoreError.self) { try Store.destroy(at: path) }
    #expect(error?.backendError?.code == .inUse)
    #expect(Store.exists(at: path))
    #expect(try store.verify().problems.isEmpty)
    try store.close()
    #expect(store.isClosed)
    try Store.destroy(at: path)
  }

  @Test func `files of others stay, and so does their directory`() throws {
    try makeStore()
    for name in ["notes.txt", "0007", "x0007-Song.kch", "sub"] {
      try Data().write(to: URL(filePath: path + "/" + name))
    }
    try Store.destroy(at: path)
    #expect(!Store.exists(at: path))
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(names.sorted() == ["0007", "notes.txt", "sub", "x0007-Song.kch"])
  }

  @Test func `nothing is destroyed where there is no store`() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: path + "/0001-catalog.kch"))
    for wrong in [path, path + "/nowhere", path + "/0001-catalog.kch"] {
      let error = #expect(throws: StoreError.self) { try Store.destroy(at: wrong) }
      #expect(error?.backendError?.code == .notFound)
    }
    #expect(FileManager.default.fileExists(atPath: path + "/0001-catalog.kch"))
  }

  @Test func `a damaged store is destroyed, and an interrupted call is repeated`() throws {
    try makeStore(.passphrase("p"))
    for name in ["keys", "commits", "0001-catalog.kch"] {
      try FileManager.default.removeItem(atPath: path + "/" + name)
    }
    try Data("nonsense".utf8).write(to: URL(filePath: path + "/superblock"))
    try Store.destroy(at: path)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a store in memory has a location, and no path`() throws {
    let store = try Store(.inMemory, classes: [])
    #expect(store.location == .inMemory)
    #expect(try Store(backend: FaultyBackend(), classes: []).location == nil)
  }

  @Test func `a path with a NUL is refused, not shortened`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("store")
    try Store(.directory(path), classes: [Song.self]).close()
    #expect(!Store.exists(at: path + "\0other"))
    let error = #expect(throws: StoreError.self) { try Store.destroy(at: path + "\0other") }
    #expect(error?.backendError?.code == .invalidArgument)
    #expect(Store.exists(at: path))
  }
}
