import TestSupport
import Testing
import Todana

@Suite(.plainAndEncrypted) struct FaultTests {
  let backend = FaultyBackend()
  let store: Store

  init() throws { store = try Store(backend: backend, classes: [Song.self, Album.self, Node.self]) }

  final class Album: StoredObject {
    @Loaded var title = ""
    @Loaded var year: UInt32 = 0
    override func readContent(from buffer: inout DataBuffer) throws {
      title = try buffer.readString()
      year = try buffer.readUInt32()
    }
    override func writeContent(to buffer: inout DataBuffer) {
      buffer.writeString(title)
      buffer.writeUInt32(year)
    }
  }

  @Test func `one row is one object, and a fault loads on request`() throws {
    let id = try store.insert(Song("a"))
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Song.self])
    let fault = try other.fault(id)
    #expect(fault.isFault)
    #expect(fault.title == "")
    #expect(try other.fault(id) === fault)
    try fault.loadContent()
    #expect(!fault.isFault)
    #expect(fault.title == "a")
    #expect(try other.fetch(id) === fault)
    #expect(try other.fetch(Song.self).first === fault)
    try other.turnIntoFault(fault)
    #expect(fault.isFault && fault.title == "")
    #expect(try other.fetch(id)?.title == "a")
  }

  @Test func `an object that nothing holds leaves the store`() throws {
    let id = try store.insert(Song("a"))
    try store.saveChanges()
    #expect(store.statistics.classes.isEmpty)
    do {
      let song = try store.fetch(id)
      #expect(store.statistics.classes["Song"]?.liveCount == 1)
      _ = song
    }
    #expect(store.statistics.classes.isEmpty)
  }

  @Test func `an object with pending changes does not become a fault`() throws {
    let song = Song("a")
    try store.insert(song)
    let error = #expect(throws: StoreError.self) { try store.turnIntoFault(song) }
    #expect(error?.code == .unsavedChanges)
  }

  @Test func `a property can load its object on access, and announces its changes`() throws {
    let album = Album()
    album.title = "Kind of Blue"
    let id = try store.insert(album)
    try store.saveChanges()
    let other = try Store(backend: backend, classes: [Album.self])
    let fault = try other.fault(id)
    #expect(fault.title == "Kind of Blue")
    #expect(!fault.isFault && !other.hasUnsavedChanges)
    try other.turnIntoFault(fault)
    fault.year = 1959
    #expect(other.hasUnsavedChanges)
    try other.saveChanges()
    let read = try Store(backend: backend, classes: [Album.self]).fetch(Album.self)[0]
    #expect(read.title == "Kind of Blue" && read.year == 1959)
  }

  @Test func `a failure to load on access is thrown by the next throwing call`() throws {
    let missing = ObjectID<Album>(unchecked: AnyObjectID(classID: try store.insert(Album()).classID, rowID: 99))
    try store.saveChanges()
    let fault = try store.fault(missing)
    #expect(fault.title == "")
    let error = #expect(throws: StoreError.self) { try store.count(Album.self) }
    #expect(error?.code == .rowNotFound)
    #expect(error?.rowID == 99)
    #expect(try store.count(Album.self) == 1)
  }

  @Test func `a row that does not exist is nil to a fetch and an error to a load`() throws {
    let classID = try store.insert(Song("a")).classID
    try store.saveChanges()
    let id = ObjectID<Song>(unchecked: AnyObjectID(classID: classID, rowID: 1 << 40))
    #expect(try store.fetch(id) == nil)
    #expect(try store.fetch([id]).compactMap(\.self).isEmpty)
    let fault = try store.fault(id)
    let error = #expect(throws: StoreError.self) { try fault.loadContent() }
    #expect(error?.code == .rowNotFound && error?.className == "Song" && error?.rowID == 1 << 40)
    #expect(throws: StoreError.self) { try store.delete(fault) }
    #expect(throws: StoreError.self) { try store.load([fault]) }
  }

  @Test func `an id of another class or of an unknown class is refused`() throws {
    let id = try store.insert(Song("a"))
    let asNode = ObjectID<Node>(unchecked: id.untyped)
    #expect(#expect(throws: StoreError.self) { try store.fetch(asNode) }?.code == .wrongClass)
    let unknown = AnyObjectID(classID: KeyspaceID(rawValue: 77), rowID: 1)
    #expect(#expect(throws: StoreError.self) { try store.fetch(unknown) }?.code == .unknownClass)
    #expect(try store.fetch(id.untyped) is Song)
  }

  // In debug builds it traps: DebugBuildTests.
  #if !DEBUG
    @Test func `saving a fault is an error`() throws {
      let id = try store.insert(Song("a"))
      try store.saveChanges()
      let other = try Store(backend: backend, classes: [Song.self])
      let fault = try other.fault(id)
      fault.willUpdate()
      #expect(#expect(throws: StoreError.self) { try other.saveChanges() }?.code == .savingFault)
    }
  #endif

  @Test func `a change that was not announced is reported by the save`() throws {
    let configuration = StoreConfiguration(detectsUnannouncedChanges: true)
    let writer = try Store(backend: backend, classes: [Song.self], configuration: configuration)
    let song = Song("a")
    let quiet = Song("quiet")
    let id = try writer.insert(song)
    try writer.insert(quiet)
    try writer.saveChanges()
    song.title = "changed"
    let error = #expect(throws: StoreError.self) { try writer.saveChanges() }
    #expect(error?.code == .changedWithoutWillUpdate)
    #expect(error?.objectIDs == [AnyObjectID(id)])
    song.willUpdate()
    try writer.saveChanges()
    let reader = try Store(backend: backend, classes: [Song.self], configuration: configuration)
    let read = try #require(try reader.fetch(id))
    #expect(read.title == "changed")
    read.seconds = 1
    #expect(throws: StoreError.self) { try reader.saveChanges() }
    let unchecked = StoreConfiguration(detectsUnannouncedChanges: false)
    let careless = try Store(backend: backend, classes: [Song.self], configuration: unchecked)
    try careless.fetch(id)?.title = "lost"
    try careless.saveChanges()
  }

  @Test func `deleting an object is no change of the objects that refer to it`() throws {
    let configuration = StoreConfiguration(detectsUnannouncedChanges: true)
    let store = try Store(backend: backend, classes: [Node.self], configuration: configuration)
    let node = Node()
    let other = Node()
    node.next = other
    try store.insert(node)
    try store.insert(other)
    try store.saveChanges()
    try store.delete(other)
    try store.saveChanges()
    try store.saveChanges()
    #expect(try store.count(Node.self) == 1)
  }

  @Test func `objects print what they are`() throws {
    let song = Song("a")
    #expect(song.description == "Song (title: \"a\", seconds: 0, genre: nil, isrc: nil)")
    let id = try store.insert(song)
    #expect(song.description == "Song \(id) (title: \"a\", seconds: 0, genre: nil, isrc: nil) (inserted)")
    try store.saveChanges()
    try store.turnIntoFault(song)
    #expect(song.description == "Song \(id) (not loaded)")
  }
}
