/// The extended attributes of an entry: those of its records, and those that libarchive found elsewhere.
struct TarAttributes {
  var list: [ExtendedAttribute] = []
  private var positions: [[UInt8]: Int] = [:]
  /// As libarchive gives the names of records: undecoded.
  private var knownNames: Set<[UInt8]> = []

  init(_ records: PaxRecords) {
    for record in records.records {
      guard let name = PaxAttributes.name(of: record.key) else { continue }
      knownNames.insert(Array(record.key.dropFirst(PaxAttributes.prefix.count)))
      set(name, record.value)
    }
  }

  /// Takes an attribute that libarchive gives, unless it is of a record, or there by another one.
  ///
  /// libarchive writes each attribute twice, as `SCHILY.xattr` and as `LIBARCHIVE.xattr`.
  mutating func add(_ name: [UInt8], _ value: [UInt8]) {
    guard !name.isEmpty, !knownNames.contains(name), positions[name] == nil else { return }
    set(name, value)
  }

  private mutating func set(_ name: [UInt8], _ value: [UInt8]) {
    if let position = positions[name] {
      list[position].value = value
    } else {
      positions[name] = list.count
      list.append(ExtendedAttribute(name: name, value: value))
    }
  }
}

/// The access control lists of an entry's records.
struct TarAccessLists {
  private(set) var attributes: [ExtendedAttribute] = []
  /// The nine bits that the file has by its list of access.
  private(set) var permissions: UInt16?
  private(set) var warning: String?

  init(_ records: PaxRecords, _ owners: OwnerNames) {
    for (key, name) in AccessControlList.attributeNames.sorted(by: { $0.key < $1.key }) {
      guard let text = records[key] else { continue }
      guard let list = AccessControlList(text: text, owners: owners) else {
        warning = "An access control list is not understood: \(printable(Array(text.prefix(200))))."
        continue
      }
      if key == "SCHILY.acl.access" {
        permissions = list.permissions
        // Files without a list have one in GNU tar's tars; Linux keeps none that says no more than permissions.
        if list.isOnlyPermissions { continue }
      }
      attributes.append(ExtendedAttribute(name: Array(name.utf8), value: list.attribute))
    }
  }
}
