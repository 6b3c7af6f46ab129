/// A class of a BNRPersistence store: a file of its own.
package struct BNRClass: Sendable {
  package let name: String
  let path: String
  package let metadata: BNRClassMetadata?
  package let objectCount: Int
}

/// An object of a BNRPersistence store.
package struct BNRRow: Sendable {
  package let row: UInt32
  /// The version of the class that wrote the record; nil in stores without such bytes.
  package let version: UInt8?
  package let content: [UInt8]
}
