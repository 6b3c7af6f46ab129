// Directories that are not usable stores. Each opening throws a typed error and changes nothing.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct UnusableDirectoryTests {
  let files: StoreFiles

  init() throws { files = try StoreFiles() }

  private func openingError(at path: String? = nil) -> StoreError? {
    #expect(throws: StoreError.self) { try Store(.directory(path ?? files.path), classes: [Song.self]).close() }
  }

  @Test func `a file or a directory of foreign files is not a store`() throws {
    let file = files.directory.path("file")
    try Data("text".utf8).write(to: URL(filePath: file))
    let foreign = files.directory.path("foreign")
    try FileManager.default.createDirectory(atPath: foreign, withIntermediateDirectories: false)
    try Data("text".utf8).write(to: URL(filePath: foreign + "/notes.txt"))
    for path in [file, foreign] {
      let error = openingError(at: path)
      #expect(error?.code == .backend && error?.backendError?.code == .notAStore)
      #expect(error?.backendError?.file?.hasPrefix(path) == true, "\(String(describing: error))")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: foreign) == ["notes.txt"])
    #expect(try Data(contentsOf: URL(filePath: file)) == Data("text".utf8))
  }

  @Test func `a path that is empty or holds a NUL is refused, and nothing is made`() throws {
    for path in ["", files.directory.path("cut") + "\0off"] {
      let error = openingError(at: path)
      #expect(error?.code == .backend && error?.backendError?.code == .invalidArgument)
    }
    #expect(!FileManager.default.fileExists(atPath: files.directory.path("cut")))
  }

  @Test func `an error's description has its message and file once`() throws {
    let error = try #require(openingError(at: "/dev/null"))
    #expect(error.description == "\(error.message) [file /dev/null]")
  }

  @Test func `a store of a newer format is refused and stays as it is`() throws {
    try files.change("superblock") { bytes in for copy in [0, 4096] { bytes[copy + 8] += 1 } }
    let before = try files.contents()
    let error = openingError()
    #expect(error?.backendError?.code == .newerFormat)
    #expect(error?.backendError?.file != nil)
    #expect(try files.contents() == before)
  }

  @Test func `a damaged superblock is refused, but one damaged copy of it is repaired`() throws {
    let sound = try Data(contentsOf: files.url("superblock"))
    for copy in [0, 4096] {
      try files.change("superblock") { bytes in bytes[copy + 20] ^= 1 }
      try Store(.directory(files.path), classes: [Song.self]).close()
      #expect(try Data(contentsOf: files.url("superblock")) == sound)
    }
    try files.change("superblock") { bytes in for copy in [0, 4096] { bytes[copy + 20] ^= 1 } }
    let before = try files.contents()
    let error = openingError()
    #expect(error?.backendError?.code == .damaged)
    #expect(error?.backendError?.file != nil)
    #expect(try files.contents() == before)
  }

  @Test func `a store without permissions is refused, and one with read permission can be read`() throws {
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: files.directory.path)
    for name in try manager.contentsOfDirectory(atPath: files.path) {
      try manager.setAttributes([.posixPermissions: 0o444], ofItemAtPath: files.path + "/" + name)
    }
    defer { try? manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: files.path) }
    for (mode, settings, expected) in [
      (0o555, ["read"], "open \(StoreFiles.songCount)"), (0o555, [], "error backend noPermission: "),
      (0o000, ["read"], "error backend noPermission: "), (0o000, [], "error backend noPermission: "),
    ] {
      try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: files.path)
      let lines = try ChildProcess(["store-open-as-nobody", files.path] + settings).remainingLines()
      if let reason = lines.first, reason.hasPrefix("skip") { try Test.cancel("\(reason)") }
      #expect(lines.first?.hasPrefix(expected) == true, "mode \(mode), \(settings): \(lines)")
      if expected.hasPrefix("error") { #expect(lines.first?.contains("[file ") == true, "\(lines)") }
    }
  }

  @Test func `an error about a store in use names the process that holds it`() throws {
    let child = try ChildProcess("store-hold", files.path)
    #expect(child.nextLine() == "open")
    let error = openingError()
    #expect(error?.backendError?.code == .inUse)
    #expect(error?.backendError?.processID == child.processID)
    #expect(error?.message.contains("CrashChild") == true, "\(String(describing: error))")
    child.endInput()
    try Store(.directory(files.path), classes: [Song.self]).close()
  }
}
