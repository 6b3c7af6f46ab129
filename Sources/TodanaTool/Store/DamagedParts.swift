import Todana

/// The parts of a store whose files are missing or cannot be opened, found without reading their records.
struct DamagedParts {
  /// The names of the parts: `class Song`, `index Song: seconds`, `named buffers`.
  private(set) var names: [String] = []

  init(of store: Store) throws {
    for entry in try store.catalog where entry.id != nil && entry.recordCount == nil {
      names.append("class \(entry.name)")
    }
    for index in try store.storedIndexes where index.isDamaged {
      names.append("\(index.isTextIndex ? "text index" : "index") \(index.className): \(index.name)")
    }
    do {
      _ = try store.namedBufferNames()
    } catch {
      guard error.code == .damagedRecord else { throw error }
      names.append("named buffers")
    }
  }

  /// Reports that a backup has the same damage as the store, and throws, if there is any.
  func checkBackup() throws {
    if names.isEmpty { return }
    let names = names.map { printable($0) }.joined(separator: "; ")
    printError(
      "The store is damaged, and so is the backup (\(names)). Keep the older backups. 'todana store verify' finds all "
        + "damage, and says what to do.")
    throw ExitStatus.somethingWrong
  }
}
