internal import Foundation
package import TodanaDocuments

/// A reader of the directories of BNRPersistence, plain and encrypted.
package final class BNRStoreReader {
  /// The classes, in the order of their names.
  package private(set) var classes: [BNRClass] = []
  /// The files that cannot be read.
  package private(set) var failures: [ObjectFailure] = []
  private let passphrase: String?
  private let hasVersions: Bool
  private let namedBuffersPath: String

  private static let namedBuffers = "NamedBuffers"
  private static let metadataRow: UInt32 = 1

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - passphrase: The passphrase; nil or empty if the store is not encrypted.
  ///   - hasVersions: Whether records begin with the version of their class, as they do by default.
  /// - Throws: ``LegacyError``; ``LegacyError/Code/wrongPassphrase`` if the passphrase decrypts no record.
  package init(path: String, passphrase: String? = nil, hasVersions: Bool = true) throws {
    self.passphrase = passphrase == "" ? nil : passphrase
    self.hasVersions = hasVersions
    namedBuffersPath = path + "/" + Self.namedBuffers
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    } catch {
      throw LegacyError(.cannotOpen, "the directory cannot be read: \(error.localizedDescription)")
    }
    var databaseCount = 0
    for name in names where !name.hasSuffix(".wal") {
      let file = path + "/" + name
      guard TokyoHashFile.isDatabase(path: file) else { continue }
      databaseCount += 1
      if name == Self.namedBuffers { continue }
      do {
        classes.append(try readClass(name, file))
      } catch {
        failures.append(ObjectFailure("class \(name)", error))
      }
    }
    guard databaseCount > 0 else {
      throw LegacyError(
        .notADatabase, "the directory has no file of Tokyo Cabinet, so it is no store of BNRPersistence")
    }
    try checkPassphrase()
  }

  private func readClass(_ name: String, _ path: String) throws -> BNRClass {
    let file = try TokyoHashFile(path: path)
    var metadata: BNRClassMetadata?
    try forEachSoundRecord(of: file) { record in
      guard Self.row(ofKey: record.key) == Self.metadataRow else { return true }
      do throws(LegacyError) {
        metadata = try BNRClassMetadata(try file.value(of: record))
      } catch {
        // The rows can be read all the same, unless they are encrypted.
        failures.append(ObjectFailure("metadata of \(name)", error))
      }
      return false
    }
    let objectCount = max(0, file.recordCount - (metadata == nil ? 0 : 1))
    return BNRClass(name: name, path: path, metadata: metadata, objectCount: objectCount)
  }

  /// Calls back with each record up to the first damage, which is reported when the rows are read.
  private func forEachSoundRecord(of file: TokyoHashFile, _ body: (TokyoHashFile.Record) throws -> Bool) throws {
    do {
      try file.forEachRecord(body)
    } catch let error as LegacyError where error.code == .damaged {
    }
  }

  private static func row(ofKey key: [UInt8]) -> UInt32? {
    key.count == 4 ? key.reversed().reduce(0) { $0 << 8 | UInt32($1) } : nil
  }

  /// The names of the classes, by their numbers.
  package var classNames: [UInt8: String] {
    Dictionary(classes.compactMap { type in type.metadata.map { ($0.classID, type.name) } }) { first, _ in first }
  }

  // MARK: Passphrase

  private func cipher(of type: BNRClass) -> BNRCipher? {
    guard let passphrase, let salt = type.metadata?.salt else { return nil }
    return BNRCipher(passphrase: passphrase, salt: salt)
  }

  /// Throws if there are records that could be encrypted, and the passphrase decrypts none.
  private func checkPassphrase() throws {
    var hasCandidate = false
    for type in classes {
      guard let cipher = cipher(of: type) else { continue }
      var decrypts = false
      let file = try TokyoHashFile(path: type.path)
      try forEachSoundRecord(of: file) { record in
        guard let row = Self.row(ofKey: record.key), row != Self.metadataRow,
          BNRCipher.canBeEncrypted(record.valueByteCount)
        else { return true }
        hasCandidate = true
        decrypts = try cipher.decrypted(file.value(of: record), row: row) != nil
        return !decrypts
      }
      if decrypts { return }
    }
    if hasCandidate {
      throw LegacyError(
        .wrongPassphrase, "the passphrase decrypts no record: it is wrong, or the store is not encrypted")
    }
  }

  // MARK: Rows

  /// Calls back with each object of a class in the order of the rows, or with the reason why one cannot be read.
  ///
  /// A record that the passphrase does not decrypt is taken as a plain one, as the library does: a store keeps its plain
  /// records when it gets a passphrase.
  package func forEachRow(of type: BNRClass, _ body: (Result<BNRRow, ObjectFailure>) throws -> Void) throws {
    let file = try TokyoHashFile(path: type.path)
    let cipher = cipher(of: type)
    var places: [(row: UInt32, record: TokyoHashFile.Record)] = []
    var damage: (any Error)?
    do {
      try file.forEachRecord { record in
        guard let row = Self.row(ofKey: record.key) else {
          let error = LegacyError(.damaged, "its key has \(record.key.count) bytes instead of 4")
          try body(.failure(ObjectFailure("a record of \(type.name)", error)))
          return true
        }
        if row != Self.metadataRow { places.append((row, record)) }
        return true
      }
    } catch let error as LegacyError {
      damage = error
    }
    places.sort { $0.row < $1.row }
    for (row, record) in places {
      let result = Result { () throws -> BNRRow in
        let stored = try file.value(of: record)
        let content = try cipher?.decrypted(stored, row: row) ?? stored
        guard hasVersions else { return BNRRow(row: row, version: nil, content: content) }
        guard let version = content.first else { throw LegacyError(.invalidRecord, "the record is empty") }
        return BNRRow(row: row, version: version, content: Array(content.dropFirst()))
      }.mapError { ObjectFailure("row \(row) of \(type.name)", $0) }
      try body(result)
    }
    if let damage { try body(.failure(ObjectFailure("class \(type.name)", damage))) }
  }

  /// Calls back with each named buffer, or with the reason why one cannot be read.
  package func forEachNamedBuffer(_ body: (Result<(name: String, bytes: [UInt8]), ObjectFailure>) throws -> Void) throws
  {
    guard TokyoHashFile.isDatabase(path: namedBuffersPath) else { return }
    do {
      let file = try TokyoHashFile(path: namedBuffersPath)
      try file.forEachRecord { record in
        guard let name = String(validating: record.key, as: UTF8.self) else {
          let error = LegacyError(.invalidText, "its name is not valid UTF-8")
          try body(.failure(ObjectFailure("a named buffer", error)))
          return true
        }
        let bytes = Result { (name: name, bytes: try file.value(of: record)) }
        try body(bytes.mapError { ObjectFailure("named buffer \(name)", $0) })
        return true
      }
    } catch let error as LegacyError {
      try body(.failure(ObjectFailure("named buffers", error)))
    }
  }

  /// Returns the content of an object as a dictionary: its fields by the description for its version, or its bytes.
  ///
  /// `rowID` and `version` are among the entries unless a field has such a name.
  package func content(
    of row: BNRRow, _ schemas: [BNRSchema]
  ) throws -> DocumentDictionary {
    let schema = schemas.first { $0.version == row.version && $0.version != nil } ?? schemas.first { $0.version == nil }
    var fields = DocumentDictionary()
    if let schema {
      var reader = BNRRecordReader(row.content, classNames: classNames)
      fields = try reader.fields(schema)
    } else {
      fields["bytes"] = DocumentValue(Data(row.content))
    }
    if fields["rowID"] == nil { fields["rowID"] = DocumentValue(Int(row.row)) }
    if fields["version"] == nil, let version = row.version { fields["version"] = DocumentValue(Int(version)) }
    return fields
  }
}
