import ArgumentParser
import Foundation
import Todana

/// The completion of a class's name by shells: the classes of the store on the command line.
///
/// It asks for no passphrase and waits for no other process, so it finds nothing in an encrypted store, or in one that
/// a program has open.
enum ClassNameCompletion {
  static let kind = CompletionKind.custom { words, _, prefix in names(words, prefix) }

  private static func names(_ words: [String], _ prefix: String) -> [String] {
    guard let path = words.first(where: { FileManager.default.fileExists(atPath: $0 + "/superblock") }) else {
      return []
    }
    var configuration = StoreConfiguration()
    configuration.access = .read
    configuration.programName = "todana"
    guard let store = try? Store(.directory(path), classes: [], configuration: configuration) else { return [] }
    defer { try? store.close(discarding: true) }
    return ((try? store.catalog.map(\.name)) ?? []).filter { $0.hasPrefix(prefix) }
  }
}
