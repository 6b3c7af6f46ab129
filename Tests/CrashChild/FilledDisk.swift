// A store on a small file system of its own, which the store itself or another program fills.
import CFaults
import CPrivateMount
import Foundation
import TestSupport
import Todana

/// A song with two indexes and a text of some hundred bytes.
private class Track: StoredObject {
  var number = 0
  var text = ""

  override class var indexes: [Index] { [Index(\Track.number, unique: true), Index(\Track.text)] }

  override func readContent(from buffer: inout DataBuffer) throws {
    number = try buffer.readInt()
    text = try buffer.readString()
  }
  override func writeContent(to buffer: inout DataBuffer) {
    buffer.writeInt(number)
    buffer.writeString(text)
  }
}

/// A song with six indexes, whose entries are scattered over the leaves.
private final class ListedTrack: Track {
  override class var indexes: [Index] {
    super.indexes + [
      Index(.folded(\ListedTrack.text)), Index(.descending(\ListedTrack.text), \ListedTrack.number),
      Index(\ListedTrack.number, \ListedTrack.text), Index(.folded(\ListedTrack.text), \ListedTrack.number),
    ]
  }
}

/// The settings of a trial.
private struct FilledDisk {
  enum Option: String {
    case encrypted
    /// The objects are in many indexes, and deletes are scattered over all of them.
    case indexed
    /// The texts have at most twenty letters.
    case short
    /// Another program then takes all space that is left.
    case others
    /// Another program takes most of the room that the store has left for deletes.
    case tight
  }

  let path: String
  let options: Set<Option>
  /// The number of objects in one save.
  let saveCount: Int

  private var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    if options.contains(.encrypted) { configuration.encryption = SaveWorkload.encryption }
    return configuration
  }

  func open() throws -> Store {
    try Store(.directory(path + "/store"), classes: [Track.self, ListedTrack.self], configuration: configuration)
  }

  func insert(_ numbers: Range<Int>, into store: Store) throws {
    let mostLetters = options.contains(.short) ? 20 : 400
    for number in numbers {
      let track = options.contains(.indexed) ? ListedTrack() : Track()
      (track.number, track.text) = (number, "\(number) " + String(repeating: "x", count: number % mostLetters))
      try store.insert(track)
    }
    try store.saveChanges()
  }

  /// Saves until the disk is full, and reports each save.
  func fill() throws {
    let store = try open()
    var count = 0
    while true {
      try insert(count..<count + saveCount, into: store)
      count += saveCount
      report("\(count)")
    }
  }

  /// Fills the disk with a file of another program, up to so many bytes.
  func takeSpace(leaving byteCount: Int) throws {
    let file = unsafe Glibc.open(path + "/other", O_CREAT | O_WRONLY, 0o600)
    let bytes = [UInt8](repeating: 1, count: 4096)
    var status = statvfs()
    while unsafe statvfs(path, &status) == 0, Int(status.f_bavail) * Int(status.f_bsize) > byteCount {
      guard unsafe write(file, bytes, bytes.count) > 0 else { break }
    }
    close(file)
  }

  func count(in store: Store) throws -> Int { try store.count(Track.self, includingSubclasses: true) }

  /// Deletes half of the objects in small steps: the first half, or every second one.
  ///
  /// - Returns: The number of deleted objects.
  func deleteHalf(of store: Store, count: Int, step: Int) throws -> Int {
    var deletedCount = 0
    let stride = options.contains(.indexed) ? 2 : 1
    while deletedCount < count / 2 {
      let range = deletedCount * stride..<(deletedCount + step) * stride
      let wanted = Track.where { $0.number >= range.lowerBound && $0.number < range.upperBound }
      let ids = try store.ids(wanted.includingSubclasses())
      let deleted = Swift.stride(from: 0, to: ids.count, by: stride).map { ids[$0] }
      try store.delete(deleted)
      deletedCount += deleted.count
      try store.saveChanges()
    }
    return deletedCount
  }

  func removeOthers() { _ = unsafe unlink(path + "/other") }
}

extension CrashChild {
  /// Fills a small file system with a store, in a process that then ends without closing it; then opens the store,
  /// deletes objects, and saves again.
  ///
  /// Options: the size of the file system in MiB, the objects of a save, `tmpfs` or the type of the file system in the
  /// file `<path>.image`, and those of ``FilledDisk/Option``.
  static func fillDisk(_ path: String, _ arguments: [String]) throws {
    guard arguments.count >= 3, let size = Int(arguments[0]), let saveCount = Int(arguments[1]) else {
      return report("usage: store-fill-disk <path> <MiB> <objects> <file system>")
    }
    let mounted =
      if arguments[2] == "tmpfs" {
        unsafe tdt_mount_privately(path, "size=\(size)m")
      } else {
        unsafe tdt_mount_image(path, path + ".image", arguments[2])
      }
    guard mounted == 0 else { return report("skip: no file system of its own: \(mounted)") }
    let options = Set(arguments.dropFirst(3).compactMap(FilledDisk.Option.init))
    let disk = FilledDisk(path: path, options: options, saveCount: saveCount)
    let child = forking_fork()
    if child == 0 {
      alarm(size < 100 ? 60 : 300)
      do {
        try disk.fill()
      } catch let error as StoreError {
        report("\(error.backendError?.code == .noSpace ? "full" : "failed"): \(error.message)")
      } catch {
        report("failed: \(error)")
      }
      _exit(0)
    }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) == -1, errno == EINTR {}
    report("ended with \(status)")
    if options.contains(.others) { try disk.takeSpace(leaving: 0) }
    if options.contains(.tight) { try disk.takeSpace(leaving: 160 << 10) }
    try useFullDisk(disk)
  }

  /// Tests that a store whose files cannot be copied is not encrypted or decrypted halfway.
  private static func refuseConversion(of store: Store, _ disk: FilledDisk) throws {
    do {
      if disk.options.contains(.encrypted) { try store.decrypt() } else { try store.encrypt(with: .passphrase("x")) }
      report("converted on a full disk")
    } catch {
      let code = error.backendError?.code
      if code != .noSpace { report("conversion: \(error)") }
      if let unfinished = try store.unfinishedMigration() { report("unfinished: \(unfinished)") }
    }
  }

  private static func useFullDisk(_ disk: FilledDisk) throws {
    var store = try disk.open()
    let count = try disk.count(in: store)
    report("opened \(count)")
    if disk.options.contains(.others) {
      // There is no byte for a save. Reading and verifying work, and so does everything once there is room again.
      let problems = try store.verify().problems
      report("read \(try store.fetch(Track.where { $0.number < 100 }).count), \(problems.count) problems")
      disk.removeOthers()
    }
    try refuseConversion(of: store, disk)
    // One save of deletes must fit into the room that is left for them.
    let step = disk.options.contains(.tight) ? 2 : count < 100_000 || disk.options.contains(.indexed) ? 50 : 100
    let deletedCount = try disk.deleteHalf(of: store, count: count, step: step)
    report("deleted \(deletedCount)")
    if disk.options.contains(.tight) { disk.removeOthers() }
    let newCount = deletedCount / 4
    let newStep = max(1, step / 5)
    for number in stride(from: count, to: count + newCount, by: newStep) {
      try disk.insert(number..<number + newStep, into: store)
    }
    report("inserted \(try disk.count(in: store) - count + deletedCount)")
    try store.close()
    store = try disk.open()
    let problems = try store.verify().problems
    report("\(try disk.count(in: store) - count) more, \(problems.count) problems")
    try store.close()
  }
}
