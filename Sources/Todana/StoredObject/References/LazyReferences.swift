/// An ordered list of references that resolves each object only on access.
///
/// Reading a `[Song]` makes an object, loaded or a fault, for each reference. Reading this list stores only the row
/// ids, which is many times faster if few of the objects are used:
///
/// ```swift
/// final class Playlist: StoredObject {
///   var songs = LazyReferences<Song>()
///
///   override func readContent(from buffer: inout DataBuffer) throws {
///     songs = try buffer.readLazyReferences()
///   }
///   override func writeContent(to buffer: inout DataBuffer) {
///     buffer.writeReferences(songs)
///   }
/// }
/// ```
///
/// An element is the store's one object of its row: the live one, or a new fault. **The list does not keep the objects
/// alive that it was read with.** Keep an object that you load; otherwise, the next access may give a new fault. The
/// list does keep objects alive that you put into it. Its records are identical to those of an array, so a class may
/// change from one to the other.
public struct LazyReferences<Object: StoredObject> {
  var list = LazyReferenceList()

  /// Creates an empty list.
  public init() {}
}

extension LazyReferences: RandomAccessCollection, MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { list.entries.count }

  public subscript(position: Int) -> Object {
    // All entries are of this class: rows belong to its table, and the setters accept only its objects.
    get { unsafe unsafeDowncast(list.object(at: position, as: Object.self), to: Object.self) }
    set { list.entries[position] = .object(newValue) }
  }
}

extension LazyReferences: RangeReplaceableCollection, ExpressibleByArrayLiteral {
  public mutating func replaceSubrange(_ subrange: Range<Int>, with newElements: some Collection<Object>) {
    list.entries.replaceSubrange(subrange, with: newElements.map { .object($0) })
  }

  public init(arrayLiteral elements: Object...) { self.init(elements) }
}
