internal import Logging
internal import Synchronization

/// A check that the declarations of a class agree: `readContent`, `writeContent`, `contentFields`, `fields`, `indexes`.
///
/// It writes an object, reads the content into another one, and compares. It is made with the first object of each class
/// that the process saves.
struct DeclarationCheck {
  private static let checked = Mutex<Set<ObjectIdentifier>>([])

  private let store: Store
  private let table: ClassTable
  private let object: StoredObject

  /// Checks the class of an object, unless an object of it was checked before.
  ///
  /// The problem is logged by the logger of the configuration, or else by that of the process.
  static func check(_ object: StoredObject, of table: ClassTable, in store: Store) {
    guard checked.withLock({ $0.insert(ObjectIdentifier(table.type)).inserted }) else { return }
    guard let problem = DeclarationCheck(store: store, table: table, object: object).problem else { return }
    let message = "The declarations of the class \(table.name) do not agree. \(problem)"
    // A logger that is not configured writes to the standard error.
    (store.configuration.logger ?? Logger(label: "Todana")).error("\(message)")
  }

  /// The first problem that is found; nil if there is none, or if the object cannot be written.
  var problem: String? {
    guard let content = content(of: object) else { return nil }
    let copy = table.type.init()
    do {
      try read(content, into: copy)
    } catch {
      return "readContent cannot read what writeContent wrote: \(error)"
    }
    guard let again = self.content(of: copy) else { return nil }
    if again != content {
      let position = zip(content, again).prefix { $0 == $1 }.count
      return "An object that was written and read again is written differently, from byte \(position)"
        + "\(fieldName(at: position, of: content)) on: readContent does not set every property that writeContent writes."
    }
    return layoutProblem(content) ?? indexProblem(copy) ?? fieldProblem(copy)
  }

  private func content(of object: StoredObject) -> [UInt8]? {
    let arena = ByteArena()
    var buffer = DataBuffer(arena: arena, encoder: store)
    buffer.beginRecord(version: table.version, headerByteCount: 0)
    object.writeContent(to: &buffer)
    guard buffer.firstError == nil else { return nil }
    let range = buffer.endRecord(trailerByteCount: 0)
    return unsafe Array(arena.bytes[range])
  }

  private func read(_ content: [UInt8], into copy: StoredObject) throws {
    var reader = store.makeReader()
    copy.state.insert(.decoding)
    defer { copy.state.remove(.decoding) }
    try unsafe content.withUnsafeBytes { bytes in
      unsafe reader.beginReading(bytes, version: table.version)
      try copy.readContent(from: &reader)
      try reader.finishReading()
    }
  }

  // MARK: Lists

  private func layoutProblem(_ content: [UInt8]) -> String? {
    let fields = table.type.contentFields
    if fields.isEmpty { return nil }
    let layout = ContentLayout(className: table.name, version: table.version, fields: fields)
    if layout.values(of: RawRecord(rowID: 1, version: table.version, content: content)) != nil { return nil }
    return "contentFields do not describe what writeContent writes: tools can show its records only as bytes."
  }

  /// Returns the name of the field at a position, in parentheses; empty if it is unknown.
  private func fieldName(at position: Int, of content: [UInt8]) -> String {
    var buffer = DataBuffer(reading: content, version: table.version)
    for field in table.type.contentFields {
      guard (try? buffer.readContentValue(field.type)) != nil else { return "" }
      if content.count - buffer.remainingByteCount > position { return " (\(field.name))" }
    }
    return ""
  }

  private func indexProblem(_ copy: StoredObject) -> String? {
    for index in table.indexes {
      for part in index.parts {
        guard case .value(let write) = part.write, key(of: object, write) != key(of: copy, write) else { continue }
        return "The index \"\(index.name)\" is over a property that readContent and writeContent leave out, "
          + "so its entries do not match the records."
      }
    }
    return nil
  }

  private func fieldProblem(_ copy: StoredObject) -> String? {
    for field in table.type.fields {
      guard let sort = try? field.access.sortKey(.ascending, .none), sort.path.isOwnProperty,
        key(of: object, sort.write) != key(of: copy, sort.write)
      else { continue }
      return "The field \"\(field.name)\" is a property that readContent and writeContent leave out, "
        + "so a query text does not find saved values."
    }
    return nil
  }

  private func key(of object: StoredObject, _ write: (StoredObject, inout KeyWriter) -> Void) -> [UInt8]? {
    let arena = ByteArena()
    var writer = KeyWriter(arena: arena)
    write(object, &writer)
    return writer.failure == nil ? unsafe Array(arena.bytes) : nil
  }
}
