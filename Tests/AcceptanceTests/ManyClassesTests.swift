import TestSupport
import Testing
import Todana

@Suite struct ManyClassesTests {
  /// Uses 10,000 classes in long runs only, because each has a file that must be created and flushed.
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
