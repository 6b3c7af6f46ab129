// The compiler also needs these overloads. Otherwise, for a structure in a referenced object (`$0.album.place.room`),
// it chooses the subscript of references, although a structure is not an object.
extension Property {
  /// A property of the optional structure; nil if the structure is nil.
  public subscript<Structure, Member>(
    dynamicMember keyPath: any KeyPath<Structure, Member> & Sendable
  ) -> Property<Root, Member?> where Value == Structure? {
    let read = read
    return Property<Root, Member?>(path: path.appending(keyPath)) { object throws(StoreError) in
      try read(object)?[keyPath: keyPath]
    }
  }

  /// An optional property of the optional structure; nil if the structure is nil.
  public subscript<Structure, Member>(
    dynamicMember keyPath: any KeyPath<Structure, Member?> & Sendable
  ) -> Property<Root, Member?> where Value == Structure? {
    let read = read
    return Property<Root, Member?>(path: path.appending(keyPath)) { object throws(StoreError) in
      try read(object)?[keyPath: keyPath]
    }
  }
}
