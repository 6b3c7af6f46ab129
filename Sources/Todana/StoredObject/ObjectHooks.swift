/// The methods that a store calls when it inserts, updates, deletes or saves an object, as far as a class overrides
/// them.
///
/// Objects whose class overrides none are not loaded for a call that would do nothing, and saves need not visit them.
struct ObjectHooks: OptionSet, Sendable {
  let rawValue: UInt16

  static let prepareForDelete = ObjectHooks(rawValue: 1 << 0)
  static let willInsert = ObjectHooks(rawValue: 1 << 1)
  static let willUpdate = ObjectHooks(rawValue: 1 << 2)
  static let willDelete = ObjectHooks(rawValue: 1 << 3)
  static let willSave = ObjectHooks(rawValue: 1 << 4)
  static let didInsert = ObjectHooks(rawValue: 1 << 5)
  static let didUpdate = ObjectHooks(rawValue: 1 << 6)
  static let didDelete = ObjectHooks(rawValue: 1 << 7)
  static let didSave = ObjectHooks(rawValue: 1 << 8)

  /// The methods that are called after a save.
  static let afterSaves: ObjectHooks = [.didInsert, .didUpdate, .didDelete, .didSave]

  /// Returns the methods that a class or one of its superclasses overrides.
  ///
  /// Swift does not tell. The table of methods in the metadata of a class, however, has another entry for an overridden
  /// method than that of ``StoredObject``. The place of each method in the table is found with a class that overrides
  /// this method only. If a place cannot be found, the method counts as overridden, and is called.
  static func overridden(by type: StoredObject.Type) -> ObjectHooks {
    ObjectHooks(probes.filter { probe in isOverridden(probe.place, by: type) }.map(\.hook))
  }

  private struct Probe {
    let hook: ObjectHooks
    /// The index of the method in the words of the metadata; nil if it was not found.
    let place: Int?
  }

  private static let probes: [Probe] = [
    probe(.prepareForDelete, PrepareForDeleteProbe.self), probe(.willInsert, WillInsertProbe.self),
    probe(.willUpdate, WillUpdateProbe.self), probe(.willDelete, WillDeleteProbe.self),
    probe(.willSave, WillSaveProbe.self), probe(.didInsert, DidInsertProbe.self),
    probe(.didUpdate, DidUpdateProbe.self), probe(.didDelete, DidDeleteProbe.self), probe(.didSave, DidSaveProbe.self),
  ]

  private static func probe(_ hook: ObjectHooks, _ type: StoredObject.Type) -> Probe {
    let (base, plain, overriding) = (
      ClassMetadata(StoredObject.self), ClassMetadata(PlainProbe.self), ClassMetadata(type)
    )
    let places = base.memberIndexes.filter { base[$0] == plain[$0] && overriding[$0] != plain[$0] }
    return Probe(hook: hook, place: places.count == 1 ? places[0] : nil)
  }

  private static func isOverridden(_ place: Int?, by type: StoredObject.Type) -> Bool {
    guard let place else { return true }
    return ClassMetadata(type)[place] != ClassMetadata(StoredObject.self)[place]
  }
}

/// The words of a class's metadata, in the layout of platforms without Objective-C.
///
/// `docs/ABI/TypeMetadata.rst` in the repository of the Swift compiler describes the layout.
///
/// Safe: it reads only words that the metadata of ``StoredObject`` has, which those of its subclasses begin with.
@safe
private struct ClassMetadata {
  private let words: UnsafePointer<UInt>

  init(_ type: StoredObject.Type) {
    unsafe words = unsafeBitCast(type as AnyClass, to: UnsafePointer<UInt>.self)
  }

  /// The word of the class's size in bytes, and of the bytes before the address of the metadata.
  private static let sizeWord = 4
  /// The words of the kind, the superclass, sizes, description and destroyer.
  private static let headerWordCount = 7

  /// The indexes of the members of ``StoredObject``, including its methods; none on other platforms.
  var memberIndexes: Range<Int> {
    #if canImport(ObjectiveC) || _pointerBitWidth(_32)
      return 0..<0
    #else
      let sizes = unsafe words[Self.sizeWord]
      let (byteCount, beginning) = (sizes & 0xFFFF_FFFF, sizes >> 32)
      let wordCount = (Int(byteCount) - Int(beginning)) / MemoryLayout<UInt>.size
      return wordCount > Self.headerWordCount && wordCount < 1000 ? Self.headerWordCount..<wordCount : 0..<0
    #endif
  }

  subscript(index: Int) -> UInt { unsafe words[index] }
}

// Classes that override nothing, and one method each.

private final class PlainProbe: StoredObject {}

private final class PrepareForDeleteProbe: StoredObject {
  override func prepareForDelete(in store: Store) throws { isProbed() }
}

private final class WillInsertProbe: StoredObject {
  override func willInsert(into store: Store) throws { isProbed() }
}

private final class WillUpdateProbe: StoredObject {
  override func willUpdate(in store: Store) throws { isProbed() }
}

private final class WillDeleteProbe: StoredObject {
  override func willDelete(from store: Store) throws { isProbed() }
}

private final class WillSaveProbe: StoredObject {
  override func willSave(in store: Store) throws { isProbed() }
}

private final class DidInsertProbe: StoredObject {
  override func didInsert(into store: Store) { isProbed() }
}

private final class DidUpdateProbe: StoredObject {
  override func didUpdate(in store: Store) { isProbed() }
}

private final class DidDeleteProbe: StoredObject {
  override func didDelete(from store: Store) { isProbed() }
}

private final class DidSaveProbe: StoredObject {
  override func didSave(in store: Store) { isProbed() }
}

/// Makes the overriding methods differ from the overridden ones, which do nothing, so that they are not merged.
@inline(never)
private func isProbed() { assertionFailure("an object of a probe is never in a store") }
