package import TodanaDocuments

package import struct Foundation.Date

/// An object or a bag of a NanoStore database.
package enum NanoStoreItem: Sendable {
  case object(NanoStoreObject)
  case bag(NanoStoreBag)
}

/// An object of a NanoStore database.
package struct NanoStoreObject: Sendable {
  /// The key, which is the text of a UUID unless the program has given another one.
  package let key: String
  /// The name of the class that has saved the object; `NSFNanoObject` for a plain one.
  package let className: String
  /// The time of the last save; nil if the database has no valid one.
  package let savedAt: Date?
  /// The content, a dictionary.
  package let content: DocumentValue

  package static let plainClassName = "NSFNanoObject"
}

/// A bag of a NanoStore database: a set of objects, by their keys.
package struct NanoStoreBag: Sendable {
  package let key: String
  package let name: String?
  package let memberKeys: [String]
  package let savedAt: Date?

  package static let className = "NSFNanoBag"

  init(key: String, savedAt: Date?, content: DocumentValue) throws(LegacyError) {
    self.key = key
    self.savedAt = savedAt
    name = content.fields?["NSF_Private_NSFNanoBag_Name"]?.string
    guard let members = content.fields?["NSF_Private_NSFNanoBag_NSFObjectKeys"]?.array else {
      throw LegacyError(.wrongSchema, "the bag has no list of keys")
    }
    var keys: [String] = []
    for member in members {
      guard let key = member.string else { throw LegacyError(.wrongSchema, "the bag has a key that is no text") }
      keys.append(key)
    }
    memberKeys = keys
  }
}
