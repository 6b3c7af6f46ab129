import ArgumentParser
import LegacyStores
import Todana
import TodanaDocuments

/// The command `todana-convert ntjsonstore`.
struct NTJsonStoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ntjsonstore",
    abstract: "Convert a database of NTJsonStore.",
    discussion: """
      Collections become collections, with their indexes, unique indexes, default values and aliases. The row id of a \
      document is kept in its field '__rowid__'. Metadata become metadata of the store.

      Examples:
        todana-convert ntjsonstore --list NTJsonStore.db
        todana-convert ntjsonstore NTJsonStore.db Documents.todana
      """)

  @Argument(help: "The file of NTJsonStore.", completion: .file()) var file: String
  @OptionGroup var target: TargetOptions
  @Flag(help: "Leave the row ids out of the documents.") var withoutRowIDs = false

  func run() throws {
    let reader: NTJsonStoreReader
    do {
      reader = try NTJsonStoreReader(path: file)
    } catch {
      throw CannotOpen(file, error)
    }
    if target.list { return try list(reader) }
    try target.withStore { store in
      let conversion = Conversion(store, quiet: target.quiet)
      for failure in reader.failures { conversion.fail(failure) }
      for collection in reader.collections { try convert(collection, reader, conversion) }
      for (key, value) in reader.metadata {
        conversion.attempt("metadata \(key)") { try store.setMetadata(value, for: key) }
      }
      try conversion.finish()
    }
  }

  private func list(_ reader: NTJsonStoreReader) throws {
    for collection in reader.collections {
      print("\(printable(collection.name))\t\(try reader.count(collection))")
      for index in collection.indexes {
        print("\t\(index.isUnique ? "unique index" : "index")\t\(printable(index.fields))")
      }
      if let defaults = collection.defaults { print("\tdefaults\t\(printable("\(defaults)"))") }
      for (word, meaning) in collection.aliases.sorted(by: { $0.key < $1.key }) {
        print("\talias\t\(printable("\(word) = \(meaning)"))")
      }
    }
    for (key, value) in reader.metadata { print("metadata \(printable(key))\t\(printable("\(value)"))") }
    for failure in reader.failures { report("\(failure)") }
    if !reader.failures.isEmpty { throw ExitStatus.somethingWrong }
  }

  private func convert(
    _ settings: NTJsonCollectionSettings, _ reader: NTJsonStoreReader, _ conversion: Conversion
  ) throws {
    do {
      try reader.forEachDocument(of: settings) { document in
        switch document {
        case .failure(let failure): conversion.fail(failure)
        case .success((let rowID, var content)):
          try conversion.insert("document \(rowID) of \(settings.name)", into: settings.name) {
            if !withoutRowIDs { content[NTJsonStoreReader.rowIDKey] = DocumentValue(rowID) }
            return try Document(DocumentValue(content))
          }
        }
      }
    } catch let error as LegacyError {
      // Documents before the damage are kept.
      conversion.fail(ObjectFailure("the rest of the collection \(settings.name)", error))
    }
    // Settings are changed in commits of their own, for which the collection must have no pending changes.
    try conversion.save()
    try apply(settings, conversion)
  }

  private func apply(_ settings: NTJsonCollectionSettings, _ conversion: Conversion) throws {
    let collection = try conversion.collection(settings.name)
    // A collection without documents and settings is made by any change of its settings.
    if try !collection.exists { try collection.setAliases([:]) }
    if let defaults = settings.defaults {
      conversion.attempt("defaults of \(settings.name)") {
        try collection.setDefaults(collection.defaults.merging(Self.paths(of: defaults)) { _, new in new })
      }
    }
    for (word, meaning) in settings.aliases {
      conversion.attempt("alias \(word) of \(settings.name)") {
        try collection.setAliases(collection.aliases.merging([word: meaning]) { _, new in new })
      }
    }
    for index in settings.indexes {
      conversion.attempt("index \(index.fields) of \(settings.name)") {
        try collection.addIndex(index.fields, unique: index.isUnique)
      }
    }
  }

  /// Returns the values of nested dictionaries by their paths.
  private static func paths(of value: DocumentValue, _ prefix: String = "") -> [String: DocumentValue] {
    var paths: [String: DocumentValue] = [:]
    for (key, value) in value.fields ?? [:] {
      let path = (prefix.isEmpty ? "" : prefix + ".") + DocumentPath.escaped(key)
      if value.fields == nil {
        paths[path] = value
      } else {
        paths.merge(Self.paths(of: value, path)) { _, new in new }
      }
    }
    return paths
  }
}
