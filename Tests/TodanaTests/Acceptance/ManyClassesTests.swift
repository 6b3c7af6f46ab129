import TestSupport
import Testing
import Todana

@Suite struct ManyClassesTests {
  /// Ten thousand in the long run: each has a file of its own, which takes time to make and to flush.
  @Test func `a directory of many classes with a record each opens without opening their files`() throws {
    let directory = try TemporaryDirectory()
    let location = StoreLocation.directory(directory.path("store"))
    let classes = ManyClasses.list(LongTests.areEnabled ? 10_000 : 200)
    let store = try Store(location, classes: classes)
    for type in classes { try store.insert(type.init()) }
    try store.saveChanges()
    try store.close()
    let clock = ContinuousClock()
    var opened: Store?
    let duration = try clock.measure { opened = try Store(location, classes: classes) }
    print("\(classes.count) classes with a file each open in \(duration)")
    let other = try #require(opened)
    #expect(try (other.backend as? KyotoBackend)?.statistics().openFileCount ?? .max < 3)
    for type in classes { #expect(try other.count(type) == 1) }
    #expect(try other.fetch(classes[177]).count == 1)
    try other.close()
  }
}
