import Testing
import Todana

@Suite struct DataBufferReferenceTests {
  let store = StandInStore()

  @Test func `references are written as the format document says`() throws {
    let (song, other) = (Tune(), Tune())
    store.add(song, class: 3, row: 5)
    store.add(other, class: 3, row: 300)
    let expectations: [(hexadecimal: String, write: (inout DataBuffer) -> Void)] = [
      ("00", { $0.writeReference(nil as Tune?) }),
      ("05", { $0.writeReference(song) }),
      ("02 05 ac 02", { $0.writeReferences([song, other]) }),
      ("00", { $0.writeAnyReference(nil) }),
      ("04 05", { $0.writeAnyReference(song) }),
      ("02 04 05 04 ac 02", { $0.writeAnyReferences([song, other] as [StoredObject]) }),
      ("00", { $0.writeReferences([] as [Tune]) }),
    ]
    for (hexadecimal, write) in expectations {
      #expect(store.written(write).bytes == hexadecimal.split(separator: " ").compactMap { UInt8($0, radix: 16) })
    }
  }

  @Test func `references are read back as the same objects, in their order`() throws {
    let tunes = (1...1_000).map { _ in Tune() }
    let albums = (1...10).map { _ in Album() }
    for (index, tune) in tunes.enumerated() { store.add(tune, class: 3, row: RowID(index * index * 1_000 + 1)) }
    for (index, album) in albums.enumerated() { store.add(album, class: 0, row: RowID(UInt64.max - UInt64(index))) }
    let mixed: [StoredObject] = [albums[3], tunes[7], albums[0], tunes[7]]
    let (bytes, error) = store.written { buffer in
      buffer.writeReferences(tunes)
      buffer.writeReference(albums[2])
      buffer.writeReference(nil as Album?)
      buffer.writeAnyReferences(mixed)
      buffer.writeAnyReference(tunes[1])
      buffer.writeAnyReference(nil)
    }
    #expect(error == nil)
    try store.reading(bytes) { buffer in
      #expect(try buffer.readReferences(Tune.self).elementsEqual(tunes, by: ===))
      #expect(try buffer.readReference(Album.self) === albums[2])
      #expect(try buffer.readReference(Album.self) == nil)
      #expect(try buffer.readAnyReferences().elementsEqual(mixed, by: ===))
      #expect(try buffer.readAnyReference() === tunes[1])
      #expect(try buffer.readAnyReference() == nil)
      try buffer.finishReading()
    }
    #expect(store.announcedCount == tunes.count)
  }

  @Test func `writing a reference to an object that is not inserted is an error`() {
    let inserted = Tune()
    store.add(inserted, class: 3, row: 1)
    for write in [
      { $0.writeReference(Tune()) }, { $0.writeReferences([inserted, Tune(), inserted]) },
      { $0.writeAnyReference(Tune()) }, { $0.writeAnyReferences([inserted, Tune()]) },
    ] as [(inout DataBuffer) -> Void] {
      let error = store.written { buffer in
        buffer.writeUInt8(1)
        write(&buffer)
        buffer.writeUInt8(2)
      }.error
      #expect(error?.code == .referenceNotInserted)
      #expect(error?.fieldNumber == 2)
    }
  }

  @Test func `an instance of a subclass is refused in a list of one class`() {
    let special = SpecialAlbum()
    store.add(special, class: 4, row: 1)
    #expect(store.written { $0.writeReferences([special] as [Album]) }.error?.code == .referenceWrongClass)
    #expect(store.written { $0.writeReference(special as Album) }.error?.code == .referenceWrongClass)
    #expect(store.written { $0.writeAnyReferences([special] as [Album]) }.error == nil)
  }

  @Test(arguments: Self.refusals)
  func `invalid references are refused`(refusal: Refusal) {
    store.add(Tune(), class: 3, row: 1)
    store.add(Album(), class: 3, row: 7)
    let error = #expect(throws: DataBufferError.self) {
      try store.reading(refusal.bytes) { buffer in _ = try refusal.read(&buffer) }
    }
    #expect(error?.code == refusal.code)
    #expect(error?.byteOffset != nil)
  }

  static let refusals: [Refusal] = [
    .init([0x02, 0x01, 0x00], .invalidValue) { _ = try $0.readReferences(Tune.self) },
    .init([0x02, 0x01, 0x80], .truncated) { _ = try $0.readReferences(Tune.self) },
    .init([0x01, 0x07], .referenceWrongClass) { _ = try $0.readReferences(Tune.self) },
    .init([0x01], .referenceUnknownClass) { _ = try $0.readReference(Album.self) },
    .init([0x09, 0x01], .referenceUnknownClass) { _ = try $0.readAnyReference() },
    .init([0x04, 0x00], .invalidValue) { _ = try $0.readAnyReference() },
    .init([0x81, 0x80, 0x80, 0x80, 0x10, 0x01], .invalidValue) { _ = try $0.readAnyReference() },
    .init([0x01, 0x00, 0x01], .invalidValue) { _ = try $0.readAnyReferences() },
    .init([0x01, 0x04], .countTooLarge) { _ = try $0.readAnyReferences() },
  ]

  @Test func `references in a buffer without a store are refused`() throws {
    var buffer = DataBuffer(reading: [0, 1, 1, 1, 1])
    #expect(try buffer.readReference(Tune.self) == nil)
    for read in [
      { _ = try $0.readReference(Tune.self) }, { _ = try $0.readReferences(Tune.self) },
    ] as [(inout DataBuffer) throws -> Void] {
      let error = #expect(throws: DataBufferError.self) { try read(&buffer) }
      #expect(error?.code == .referencesUnavailable)
    }
  }
}

private final class Tune: StoredObject {}
private class Album: StoredObject {}
private final class SpecialAlbum: Album {}

/// A minimal store that knows objects by class and row only.
final class StandInStore: ReferenceEncoder, ReferenceResolver {
  private var references: [ObjectIdentifier: ObjectReference] = [:]
  private var objects: [ObjectReference: StoredObject] = [:]
  private var classIDs: [ObjectIdentifier: KeyspaceID] = [:]
  private(set) var announcedCount = 0

  func add(_ object: StoredObject, class classNumber: UInt32, row: RowID) {
    let reference = ObjectReference(classID: KeyspaceID(rawValue: classNumber), rowID: row)
    references[ObjectIdentifier(object)] = reference
    objects[reference] = object
    // The first class that is added with a number keeps it.
    if !classIDs.values.contains(reference.classID) { classIDs[ObjectIdentifier(type(of: object))] = reference.classID }
  }

  func written(_ write: (inout DataBuffer) -> Void) -> (bytes: [UInt8], error: DataBufferError?) {
    var buffer = DataBuffer(arena: ByteArena(), encoder: self)
    buffer.beginRecord(version: 1, headerByteCount: 2)
    write(&buffer)
    return (buffer.bytes, buffer.firstError)
  }

  func reading(_ bytes: [UInt8], _ read: (inout DataBuffer) throws -> Void) throws {
    let arena = ByteArena(capacity: bytes.count)
    var writer = DataBuffer(arena: arena, encoder: nil)
    writer.beginRecord(version: 1, headerByteCount: 0)
    writer.writeRawBytes(bytes)
    _ = writer.endRecord(trailerByteCount: 0)
    var buffer = unsafe DataBuffer(borrowing: arena.bytes, version: 1, resolver: self)
    try read(&buffer)
  }

  func rowID(of object: StoredObject) throws(DataBufferError) -> RowID { try reference(to: object).rowID }

  func reference(to object: StoredObject) throws(DataBufferError) -> ObjectReference {
    guard let reference = references[ObjectIdentifier(object)] else {
      throw DataBufferError(.referenceNotInserted, "not inserted")
    }
    return reference
  }

  func classID(of type: StoredObject.Type) throws(DataBufferError) -> KeyspaceID {
    guard let classID = classIDs[ObjectIdentifier(type)] else {
      throw DataBufferError(.referenceUnknownClass, "unknown class")
    }
    return classID
  }

  func willResolve(_ count: Int, of classID: KeyspaceID) { announcedCount += count }

  func object(classID: KeyspaceID, rowID: RowID) throws(DataBufferError) -> StoredObject {
    guard let object = objects[ObjectReference(classID: classID, rowID: rowID)] else {
      throw DataBufferError(.referenceUnknownClass, "unknown object")
    }
    return object
  }
}
