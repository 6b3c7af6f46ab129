internal import Todana

/// What is stored once for each content, and found by the content's name.
protocol NamedObject: StoredObject {
  static var kind: KnownDamage.Kind { get }

  var name: ContentName { get }
  /// 0; of what was stored anew because that was damaged, 1, and so on.
  var copy: UInt8 { get set }
  /// What it has of content.
  var compressedByteCount: Int { get }

  /// Finds the one that was stored first.
  static func first(named name: ContentName) -> Query<Self>
}
