import Foundation
import LegacyStores
import TestSupport
import Testing
import Todana
import TodanaDocuments

@Suite struct ConverterTests {
  private let directory: TemporaryDirectory
  private let source: String
  private let target: String

  init() throws {
    directory = try TemporaryDirectory(isInMemory: true)
    source = directory.path("source")
    target = directory.path("Target.todana")
  }

  private func store(_ passphrase: String? = nil) throws -> Store {
    var configuration = StoreConfiguration()
    if let passphrase { configuration.encryption = .callback { .passphrase(passphrase) } }
    return try Store(.directory(target), classes: [], configuration: configuration)
  }

  @Test func nanoStoreIsConverted() throws {
    let sample = try NanoStoreSample(source)
    let key = UUID()
    let friends = UUID()
    try sample.add(key.uuidString, ["name": "Doe", "born": Date(timeIntervalSince1970: 0) as NSDate])
    try sample.add(UUID().uuidString, ["wheels": 4], className: "Car")
    try sample.add("no UUID", ["wheels": 3], className: "Car")
    try sample.add("bad", [1, 2, 3])
    try sample.add(key.uuidString, ["name": "twice"])
    try sample.add(
      UUID().uuidString,
      ["NSF_Private_NSFNanoBag_Name": "all", "NSF_Private_NSFNanoBag_NSFObjectKeys": [friends.uuidString, "no UUID"]],
      className: "NSFNanoBag")
    try sample.add(
      friends.uuidString,
      [
        "NSF_Private_NSFNanoBag_Name": "friends",
        "NSF_Private_NSFNanoBag_NSFObjectKeys": [key.uuidString, UUID().uuidString],
      ], className: "NSFNanoBag")

    let list = try ConverterRun("nanostore", "--list", source)
    #expect(list.status == 0 && list.lines == ["Car\t2", "NSFNanoBag\t2", "NSFNanoObject\t3"])
    #expect(!FileManager.default.fileExists(atPath: target))

    let run = try ConverterRun("nanostore", source, target, "--time-zone", "UTC")
    #expect(run.status == 1 && run.output == "Converted 5 objects.\n")
    let messages = run.messages.split(separator: "\n").map(String.init)
    try #require(messages.count == 5)
    #expect(messages[0].hasPrefix("todana-convert: object no UUID: the key is no UUID"))
    #expect(messages[1].hasPrefix("todana-convert: object bad: "))
    #expect(messages[2].hasPrefix("todana-convert: object \(key): "))
    #expect(messages[3] == "todana-convert: bag \(friends): 1 member not in the store")
    #expect(messages[4] == "todana-convert: 2 parts could not be converted")

    let store = try store()
    #expect(try store.documentCollectionNames() == ["Car", "objects"])
    let doe = try #require(try store.documents("objects").document(for: key))
    #expect(doe.value == ["name": "Doe", "born": .init(Date(timeIntervalSince1970: 0))])
    #expect(doe.originalClassName == nil)
    #expect(doe.savedAt == Date(timeIntervalSince1970: 1_330_837_567.25))
    let cars = try store.documents("Car").find("TRUE", orderBy: "[wheels]")
    #expect(cars.map { $0["nanoStoreKey"]?.string } == ["no UUID", nil])
    #expect(cars.map(\.originalClassName) == ["Car", "Car"])
    let bag = try #require(try store.bag(named: "friends"))
    #expect(bag.key == friends)
    #expect(try bag.objects() == [doe])
    let all = try #require(try store.bag(named: "all")?.objects())
    #expect(all.count == 2 && all.contains(bag) && all.contains(cars[0]))
    // A changed document has the time of its own save.
    doe["name"] = "Smith"
    try store.saveChanges()
    #expect(try #require(doe.savedAt) > Date(timeIntervalSinceNow: -60))
    try store.close()

    let again = try ConverterRun("nanostore", source, target)
    #expect(again.status == 3 && again.messages.contains("--into-existing"))
    let into = try ConverterRun("nanostore", source, target, "--into-existing", "--plain-collection", "others")
    #expect(into.status == 1 && into.messages.contains("the store has a bag with this key"))
    let reopened = try self.store()
    #expect(try reopened.documents("others").count() == 1)
    try reopened.close()
  }

  @Test func ntJsonStoreIsConverted() throws {
    try NTJsonStoreSample.make(source)
    let list = try ConverterRun("ntjsonstore", source, "--list")
    #expect(list.status == 0)
    #expect(
      list.lines == [
        "empty\t0", "users\t2", "\tindex\t[last_name], [age] DESC", "\tunique index\t[email]",
        "\tdefaults\t{\"active\":true,\"address\":{\"country\":\"US\"}}", "\talias\tcountry = [address.country]",
        "metadata schema\t{\"version\":3}", "metadata a/b\t{}",
      ])
    let run = try ConverterRun("ntjsonstore", source, target)
    #expect(run.status == 0 && run.messages.isEmpty && run.output == "Converted 2 objects.\n")
    let store = try store()
    #expect(try store.documentCollectionNames() == ["empty", "users"])
    let users = try store.documents("users")
    #expect(
      try users.find("country = 'US' AND [active]", orderBy: "[__rowid__]").map { $0["email"]?.string } == [
        "j@foo.com", "b@foo.com",
      ])
    #expect(try users.find("[__rowid__] = ?", 3).first?["date"] == ["$date": "x"])
    let settings = try users.configuration
    #expect(settings.indexes == ["[last_name], [age] DESC"] && settings.uniqueIndexes == ["[email]"])
    #expect(settings.defaults == ["active": true, "address.country": "US"])
    #expect(try store.metadata("schema") == ["version": 3])
    try store.close()
  }

  @Test func bnrPersistenceIsConverted() throws {
    try BNRSample.make(source, passphrase: "howdy")
    let secret = directory.path("secret")
    try Data("howdy\n".utf8).write(to: URL(filePath: secret))
    let list = try ConverterRun("bnrpersistence", source, "--list")
    #expect(list.lines == ["Playlist\t1\tclass 1", "Song\t2\tclass 0", "named buffer Favorite\t3 bytes"])
    let schema = directory.path("schema")
    try Data(BNRSample.schemas.joined(separator: "\n").utf8).write(to: URL(filePath: schema))

    let wrong = try ConverterRun(
      ["bnrpersistence", source, target, "--schema", schema], environment: ["BNR_PASSPHRASE": "wrong"])
    #expect(wrong.status == 3 && wrong.messages.contains("the passphrase decrypts no record"))
    #expect(!FileManager.default.fileExists(atPath: target))

    let run = try ConverterRun(
      ["bnrpersistence", source, target, "--schema", schema, "--passphrase-file", secret],
      environment: ["TODANA_PASSPHRASE": "new secret"])
    #expect(run.status == 0 && run.messages.isEmpty && run.output == "Converted 3 objects.\n")
    #expect(throws: StoreError.self) { try self.store() }
    let store = try store("new secret")
    let playlist = try #require(try store.documents("Playlist").find("[title] = 'Mine'").first)
    #expect(playlist.originalClassName == "Playlist")
    let keys = playlist.values(at: "songs[*]").compactMap(\.uuid)
    let songs = try store.documents("Song").documents(for: keys)
    #expect(songs.map { $0?["title"]?.string } == ["Test Song", "Blue"])
    #expect(songs.map { $0?["seconds"]?.int } == [545, 337])
    #expect(try store.readNamedBuffer("Favorite") { try $0.readBytes().count } == 3)
    try store.close()
  }

  @Test func classesWithoutADescriptionKeepTheirBytes() throws {
    try BNRSample.make(source)
    let run = try ConverterRun("bnrpersistence", source, target, "--class", "Playlist: title string")
    #expect(run.status == 1 && run.messages.contains("row 2 of Playlist: the record has 17 more bytes"))
    let store = try store()
    let song = try #require(try store.documents("Song").find("[rowID] = 3").first)
    #expect(song["version"] == 0 && song["bytes"]?.bytes == Data(BNRSample.text("Blue") + BNRSample.word(337)))
    try store.close()
  }

  @Test func aMissingPassphraseIsNoticed() throws {
    try BNRSample.make(source, passphrase: "howdy")
    let run = try ConverterRun("bnrpersistence", source, target)
    #expect(
      run.messages.split(separator: "\n").count == 2 && run.messages.contains("class Song: all records have lengths"))
    try FileManager.default.removeItem(atPath: source)
    try BNRSample.make(source)
    #expect(try ConverterRun("bnrpersistence", source, target + "2").messages.isEmpty)
  }

  @Test func wrongUseAndOtherFilesAreErrors() throws {
    #expect(try ConverterRun("nanostore", source).status == 2)
    #expect(try ConverterRun("nanostore").status == 2)
    #expect(try ConverterRun("nanostore", "--list", source).status == 3)
    #expect(try ConverterRun("ntjsonstore", "--list", directory.path).status == 3)
    #expect(try ConverterRun("bnrpersistence", "--list", source).status == 3)
    try Data("no database".utf8).write(to: URL(filePath: source))
    #expect(try ConverterRun("nanostore", source, target).status == 3)
    #expect(try ConverterRun("nanostore", source, target, "--time-zone", "Moon").status == 2)
    #expect(try ConverterRun("bnrpersistence", source, target, "--class", "Song").status == 2)
    #expect(try ConverterRun("--help").status == 0)
    #expect(try ConverterRun("--version").output == "0.1.0\n")
    #expect(!FileManager.default.fileExists(atPath: target))
  }
}
