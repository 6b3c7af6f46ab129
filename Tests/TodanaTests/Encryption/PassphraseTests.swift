// Passphrases that cannot be told apart, and are therefore refused.
import Foundation
import TestSupport
import Testing
import Todana

@Suite struct PassphraseTests {
  @Test(arguments: ["secret\0", "\0", "secret\0\0\0", String(repeating: "\0", count: 16)])
  func `a passphrase that ends with a NUL character is refused`(_ passphrase: String) throws {
    let directory = try TemporaryDirectory()
    func open(_ passphrase: String) throws -> Store {
      try Store(
        .directory(directory.path("store")), classes: [Song.self],
        configuration: StoreConfiguration(encryption: .passphrase(passphrase)))
    }
    #expect(throws: StoreError.self) { try open(passphrase) }
    #expect(!FileManager.default.fileExists(atPath: directory.path("store")))

    let store = try open("secret")
    let error = #expect(throws: StoreError.self) { try store.keys.add(.passphrase(passphrase)) }
    #expect(error?.backendError?.code == .invalidArgument)
    try store.close()
    let refusal = #expect(throws: StoreError.self) { try open("secret\0") }
    #expect(refusal?.code == .invalidKey)
  }

  @Test func `a passphrase may contain NUL characters before its end`() throws {
    let directory = try TemporaryDirectory()
    let configuration = StoreConfiguration(encryption: .passphrase("\0secret\0!"))
    try Store(.directory(directory.path("store")), classes: [Song.self], configuration: configuration).close()
    try Store(.directory(directory.path("store")), classes: [Song.self], configuration: configuration).close()
  }
}
