import Foundation
import LegacyStores
import TodanaDocuments

/// Writes a bag as a document of the collection `bags`: with `name`, `key` and `members`, the keys of its objects.
func writeBag(_ bag: NanoStoreBag, _ conversion: Conversion) throws {
  try conversion.insert("bag \(bag.key)", into: "bags") {
    var content: DocumentDictionary = [
      "key": DocumentValue(bag.key), "members": DocumentValue(bag.memberKeys.map(memberKey)),
    ]
    if let name = bag.name { content["name"] = DocumentValue(name) }
    return try Document(
      DocumentValue(content), key: UUID(uuidString: bag.key), originalClassName: NanoStoreBag.className,
      savedAt: bag.savedAt)
  }
}

/// Returns the key of a member as documents have it: a UUID, or the text if it is none.
private func memberKey(_ key: String) -> DocumentValue {
  UUID(uuidString: key).map { DocumentValue($0) } ?? DocumentValue(key)
}
