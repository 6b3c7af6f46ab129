import ArgumentParser
import Foundation
import LegacyStores
import Todana
import TodanaDocuments

/// The command `todana-convert bnrpersistence`.
struct BNRPersistenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bnrpersistence",
    abstract: "Convert a directory of BNRPersistence.",
    discussion: """
      The objects of each class become documents of a collection with the name of the class; named buffers become named \
      buffers. The files do not contain the fields of a class. Describe them in the order in which the class writes \
      them; a class without a description becomes documents with the field 'bytes'.

      The types are uint8, uint32, float32, float64, string, data, date, reference CLASS, reference any, array CLASS, \
      array any, and archived object. A reference becomes the key of the document that it leads to. 'Song@2: …' describes \
      the records of version 2 of the class.

      The passphrase of an encrypted source comes from --passphrase-file or BNR_PASSPHRASE.

      Examples:
        todana-convert bnrpersistence --list Music
        todana-convert bnrpersistence Music Music.todana --class 'Song: title string, seconds uint32' \\
          --class 'Playlist: title string, songs array Song'
      """)

  @Argument(help: "The directory of BNRPersistence.", completion: .directory) var directory: String
  @OptionGroup var target: TargetOptions
  @Option(
    name: .customLong("class"), help: ArgumentHelp("The fields of a class; may be repeated.", valueName: "description"))
  var classes: [String] = []
  @Option(
    help: ArgumentHelp("Read descriptions of classes from this file, one on each line.", valueName: "file"),
    completion: .file())
  var schema: String?
  @Option(
    help: ArgumentHelp("Read the passphrase of the source from this file.", valueName: "file"), completion: .file())
  var passphraseFile: String?
  @Flag(help: "The records do not begin with a version: the class has usesPerInstanceVersioning NO.")
  var withoutVersions = false

  func run() throws {
    let schemas = try schemas()
    let passphrase = try Passphrase.text(ofFile: passphraseFile, orVariable: "BNR_PASSPHRASE")
    let reader: BNRStoreReader
    do {
      reader = try BNRStoreReader(path: directory, passphrase: passphrase, hasVersions: !withoutVersions)
    } catch {
      throw CannotOpen(directory, error)
    }
    for schema in schemas where !reader.classes.contains(where: { $0.name == schema.className }) {
      report("\(directory) has no class \(schema.className), which is described")
    }
    if target.list { return try list(reader) }
    try target.withStore { store in
      let conversion = Conversion(store, quiet: target.quiet)
      for failure in reader.failures { conversion.fail(failure) }
      for type in reader.classes {
        let descriptions = schemas.filter { $0.className == type.name }
        var lengths = RecordLengths()
        try reader.forEachRow(of: type) { row in
          if case .success(let row) = row { lengths.add(row) }
          try convert(row, of: type, descriptions, reader, conversion)
        }
        if passphrase == nil, lengths.areOfEncryptedRecords {
          conversion.note(
            "class \(type.name): all records have lengths of encrypted ones; if the store is encrypted, delete the new "
              + "store, and pass --passphrase-file")
        }
      }
      try reader.forEachNamedBuffer { buffer in
        switch buffer {
        case .failure(let failure): conversion.fail(failure)
        case .success((let name, let bytes)):
          conversion.attempt("named buffer \(name)") {
            try store.writeNamedBuffer(name) { $0.writeBytes(bytes) }
          }
          try conversion.didChange()
        }
      }
      try conversion.finish()
    }
  }

  private func schemas() throws -> [BNRSchema] {
    do {
      var schemas = try classes.map { try BNRSchema($0) }
      if let schema {
        guard let bytes = FileManager.default.contents(atPath: schema),
          let text = String(validating: bytes, as: UTF8.self)
        else { throw CannotOpen("The file of descriptions \(schema) cannot be read, or is not valid UTF-8.") }
        schemas += try BNRSchema.schemas(ofText: text)
      }
      return schemas
    } catch let error as LegacyError {
      throw ValidationError("\(error).")
    }
  }

  private func list(_ reader: BNRStoreReader) throws {
    for type in reader.classes {
      let number = type.metadata.map { "class \($0.classID)" } ?? "no metadata"
      print("\(printable(type.name))\t\(type.objectCount)\t\(number)")
    }
    var failures = reader.failures
    try reader.forEachNamedBuffer { buffer in
      switch buffer {
      case .success((let name, let bytes)): print("named buffer \(printable(name))\t\(counted(bytes.count, "byte"))")
      case .failure(let failure): failures.append(failure)
      }
    }
    for failure in failures { report("\(failure)") }
    if !failures.isEmpty { throw ExitStatus.somethingWrong }
  }

  private func convert(
    _ row: Result<BNRRow, ObjectFailure>, of type: BNRClass, _ schemas: [BNRSchema], _ reader: BNRStoreReader,
    _ conversion: Conversion
  ) throws {
    switch row {
    case .failure(let failure): conversion.fail(failure)
    case .success(let row):
      try conversion.insert("row \(row.row) of \(type.name)", into: type.name) {
        let content = DocumentValue(try reader.content(of: row, schemas))
        return try Document(
          content, key: try BNRKey.key(className: type.name, row: row.row), originalClassName: type.name)
      }
    }
  }
}

/// The lengths of the records of a class, from which encryption can be guessed.
private struct RecordLengths {
  private var count = 0
  private var fittingCount = 0

  mutating func add(_ row: BNRRow) {
    count += 1
    if BNRCipher.canBeEncrypted(row.content.count + (row.version == nil ? 0 : 1)) { fittingCount += 1 }
  }

  var areOfEncryptedRecords: Bool { count > 0 && fittingCount == count }
}
