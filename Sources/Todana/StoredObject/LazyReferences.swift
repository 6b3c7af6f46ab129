/// An ordered list of references that looks for an object only when it is asked for it.
///
/// Reading a `[Song]` makes an object, loaded or a fault, for each reference. Reading this list takes the row ids alone,
/// which is many times faster where few of the objects are used:
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
/// An element is the store's one object of its row: the live one, or a new fault. **The list keeps no object alive that
/// it was read with**, so keep what you load: the next access may give a new fault otherwise. What you put into the
/// list, it keeps alive. Records are the same as those of an array, so a class may change from one to the other.
public struct LazyReferences<Object: StoredObject> {
  var list = LazyReferenceList()

  /// Makes an empty list.
  public init() {}
}

extension LazyReferences: RandomAccessCollection, MutableCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { list.entries.count }

  public subscript(position: Int) -> Object {
    // All entries are of this class: the table's, and what the setters took.
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
