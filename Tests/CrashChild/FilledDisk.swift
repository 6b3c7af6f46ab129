// A store on a small file system of its own, which the store itself or another program fills.
import CFaults
import CPrivateMount
import Foundation
import TestSupport
import Todana

/// A song with an index and a text of some hundred bytes.
private final class Track: StoredObject {
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

/// The settings of a trial.
private struct FilledDisk {
  let path: String
  let isEncrypted: Bool
  /// The number of objects in one save.
  let saveCount: Int
  /// Whether another program then takes all space that is left.
  let isFilledByOthers: Bool

  private var configuration: StoreConfiguration {
    var configuration = StoreConfiguration()
    if isEncrypted { configuration.encryption = SaveWorkload.encryption }
    return configuration
  }

  func open() throws -> Store {
    try Store(.directory(path + "/store"), classes: [Track.self], configuration: configuration)
  }

  func insert(_ numbers: Range<Int>, into store: Store) throws {
    for number in numbers {
      let track = Track()
      (track.number, track.text) = (number, "\(number) " + String(repeating: "x", count: number % 400))
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

  func takeAllSpace() throws {
    let file = unsafe Glibc.open(path + "/other", O_CREAT | O_WRONLY, 0o600)
    let bytes = [UInt8](repeating: 1, count: 4096)
    while unsafe write(file, bytes, bytes.count) > 0 {}
    close(file)
  }

  func removeOthers() { _ = unsafe unlink(path + "/other") }
}

extension CrashChild {
  /// Fills a small file system with a store, in a process that then ends without closing it; then opens the store,
  /// deletes objects, and saves again.
  ///
  /// Options: the size of the file system in MiB, the objects of a save, `tmpfs` or the type of the file system in the
  /// file `<path>.image`, `encrypted`, `others`.
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
    let disk = FilledDisk(
      path: path, isEncrypted: arguments.contains("encrypted"), saveCount: saveCount,
      isFilledByOthers: arguments.contains("others"))
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
    if disk.isFilledByOthers { try disk.takeAllSpace() }
    try useFullDisk(disk)
  }

  private static func useFullDisk(_ disk: FilledDisk) throws {
    var store = try disk.open()
    let count = try store.count(Track.self)
    report("opened \(count)")
    if disk.isFilledByOthers {
      // There is no byte for a save. Reading works, and so does everything once there is room again.
      report("read \(try store.fetch(Track.where { $0.number < 100 }).count)")
      disk.removeOthers()
    }
    var deletedCount = 0
    // One save of deletes must fit into the room that is left for them.
    let step = count < 100_000 ? 50 : 100
    while deletedCount < count / 2 {
      let range = deletedCount..<deletedCount + step
      deletedCount += try store.delete(
        Track.where { $0.number >= range.lowerBound && $0.number < range.upperBound }
      ).count
      try store.saveChanges()
    }
    report("deleted \(deletedCount)")
    let newCount = deletedCount / 4
    for number in stride(from: 0, to: newCount, by: step / 5) {
      try disk.insert(number..<number + step / 5, into: store)
    }
    report("inserted \(try store.count(Track.self) - count + deletedCount)")
    try store.close()
    store = try disk.open()
    let problems = try store.verify().problems
    report("\(try store.count(Track.self) - count) more, \(problems.count) problems")
    try store.close()
  }
}
