// Also for the compiler: without them, it takes the subscript of references for the structures of referred objects
// (`$0.album.place.room`), though a structure is no object.
extension Property {
  /// A property of the optional structure; nil where there is none.
  public subscript<Structure, Member>(
    dynamicMember keyPath: any KeyPath<Structure, Member> & Sendable
  ) -> Property<Root, Member?> where Value == Structure? {
    let read = read
    return Property<Root, Member?>(path: path.appending(keyPath)) { object throws(StoreError) in
      try read(object)?[keyPath: keyPath]
    }
  }

  /// An optional property of the optional structure; nil where there is none.
  public subscript<Structure, Member>(
    dynamicMember keyPath: any KeyPath<Structure, Member?> & Sendable
  ) -> Property<Root, Member?> where Value == Structure? {
    let read = read
    return Property<Root, Member?>(path: path.appending(keyPath)) { object throws(StoreError) in
      try read(object)?[keyPath: keyPath]
    }
  }
}
