import Foundation
import SmallBackend
import TestSupport
import Testing
import Todana

/// A search for names and contents in the bytes that the backend of a store keeps.
@Suite struct StoredBytesTests {
  enum Kind: CaseIterable {
    case directory, dictionary

    /// Saves the workload, and returns all bytes stored afterwards.
    fileprivate func save(_ secret: StoreSecret?) throws -> [[UInt8]] {
      switch self {
      case .directory:
        let directory = try TemporaryDirectory()
        let path = directory.path("store")
        try saveWorkload(in: try KyotoBackend(.directory(path), secret: secret))
        return try FileManager.default.contentsOfDirectory(atPath: path).flatMap { name in
          [Array(name.utf8), [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)")))]
        }
      case .dictionary:
        let backend = try secret.map { try DictionaryBackend(secret: $0) } ?? DictionaryBackend()
        try saveWorkload(in: backend)
        return backend.storedBytes
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `an encrypted backend stores no name and no content in clear`(_ kind: Kind) throws {
    let stored = try kind.save(SaveWorkload.secret)
    for word in SaveWorkload.words { #expect(!contains(word, stored), "\(word) is stored in clear") }
  }

  @Test(arguments: Kind.allCases)
  func `the search finds the words of a plain backend`(_ kind: Kind) throws {
    let stored = try kind.save(nil)
    for word in SaveWorkload.words { #expect(contains(word, stored), "\(word) is not found") }
  }

  @Test func `an encrypted store over a small backend reads back its objects`() throws {
    let backend = try DictionaryBackend(secret: SaveWorkload.secret)
    try saveWorkload(in: backend)
    let other = try DictionaryBackend(sharing: backend, secret: SaveWorkload.secret)
    let store = try Store(backend: other, classes: SaveWorkload.classes)
    #expect(try SaveWorkload.State(of: store) == SaveWorkload.State(after: 40))
    #expect(try store.verify().isSound)
    try store.close()
  }

  private func contains(_ word: String, _ stored: [[UInt8]]) -> Bool {
    stored.contains { Data($0).range(of: Data(word.utf8)) != nil }
  }
}

private func saveWorkload(in backend: any StoreBackend) throws {
  let store = try Store(backend: backend, classes: SaveWorkload.classes)
  for number in 1...40 { try SaveWorkload.save(number, to: store) }
  #expect(try SaveWorkload.State(of: store) == SaveWorkload.State(after: 40))
  try store.close()
}
