/// A value that a text condition searches: a text, one that may be nil, or a list of texts.
///
/// A match never extends from one text of a list to the next one.
public protocol IndexedText: SendableMetatype {
  associatedtype Texts: Sequence<String>
  var indexedTexts: Texts { get }
}

extension String: IndexedText {
  public var indexedTexts: CollectionOfOne<String> { CollectionOfOne(self) }
}

extension Optional: IndexedText where Wrapped: IndexedText {
  public var indexedTexts: [String] { map { Array($0.indexedTexts) } ?? [] }
}

extension Array: IndexedText where Element == String {
  public var indexedTexts: [String] { self }
}

extension Set: IndexedText where Element == String {
  public var indexedTexts: Set<String> { self }
}
