import Foundation
import LegacyStores
import Todana
import TodanaDocuments

/// A conversion into a store: inserts in batches, with progress and a list of the objects that could not be converted.
final class Conversion {
  let store: Store
  private let showsProgress: Bool
  private(set) var objectCount = 0
  private(set) var failureCount = 0
  private var pendingCount = 0
  private var collections: [String: DocumentCollection] = [:]

  /// The number of objects of a save; more would be slower, because the check of a given key tests all pending ones.
  private static let batchCount = 100

  init(_ store: Store, quiet: Bool) {
    self.store = store
    showsProgress = !quiet && isatty(STDERR_FILENO) == 1
  }

  /// The names of the collections that were written.
  var collectionNames: [String] { collections.keys.sorted() }

  /// Returns a collection, always the same object for a name.
  func collection(_ name: String) throws -> DocumentCollection {
    if let known = collections[name] { return known }
    let collection = try store.documents(name)
    collections[name] = collection
    return collection
  }

  /// Inserts a document; the error of one document is reported, and does not end the conversion.
  ///
  /// - Parameters:
  ///   - place: The object for messages, with its key or row.
  ///   - collection: The name of the collection.
  ///   - make: Makes the document.
  /// - Returns: The document; nil if it was not inserted.
  /// - Throws: Errors of the store that are about more than this document.
  @discardableResult
  func insert(_ place: String, into collection: String, _ make: () throws -> Document) throws -> Document? {
    let document: Document
    do {
      document = try make()
      try self.collection(collection).insert(document)
    } catch let error where error is DocumentError || error is LegacyError {
      fail(ObjectFailure(place, error))
      return nil
    } catch let error as StoreError where [.invalidName, .invalidCollection, .cannotEncode].contains(error.code) {
      fail(ObjectFailure(place, error))
      return nil
    }
    try didInsert()
    return document
  }

  /// Counts an object that was inserted.
  func didInsert() throws {
    objectCount += 1
    try didChange()
  }

  /// Counts a change, and saves after many of them.
  func didChange() throws {
    pendingCount += 1
    if pendingCount == Self.batchCount { try save() }
  }

  /// Saves the pending objects; closing the store writes them to the disk.
  func save() throws {
    try store.saveChanges(durability: .bulk)
    pendingCount = 0
    if showsProgress { write("\r\u{1B}[Kconverted \(counted(objectCount, "object"))") }
  }

  /// Reports and counts an object that could not be converted.
  func fail(_ failure: ObjectFailure) {
    failureCount += 1
    note("\(failure)")
  }

  /// Reports an object that was converted in another form than the usual one.
  func note(_ message: String) {
    if showsProgress { write("\r\u{1B}[K") }
    report(message)
  }

  /// Runs a step whose error is reported, and does not end the conversion.
  func attempt(_ place: String, _ step: () throws -> Void) {
    do {
      try step()
    } catch {
      fail(ObjectFailure(place, error))
    }
  }

  /// Saves the rest, and prints the result.
  ///
  /// - Throws: ``ExitStatus/somethingWrong`` if something could not be converted.
  func finish() throws {
    try save()
    if showsProgress { write("\r\u{1B}[K") }
    print("Converted \(counted(objectCount, "object")).")
    guard failureCount > 0 else { return }
    report("\(counted(failureCount, "part")) could not be converted")
    throw ExitStatus.somethingWrong
  }
}
