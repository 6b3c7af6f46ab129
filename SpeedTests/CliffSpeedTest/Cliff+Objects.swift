import Foundation
import Todana

extension Cliff {
  static var all: [Cliff] { queries + observation + objects }

  static var objects: [Cliff] {
    [
      Cliff(
        id: "chain", title: "a save of a chain of n objects, which it releases", unit: "ns each", largest: 1_000_000,
        measure: { path, size in
          let store = try Store(.directory(path), classes: [Revision.self])
          var parent: Revision?
          for _ in 0..<size {
            let revision = Revision()
            revision.parent = parent
            try store.insert(revision)
            parent = revision
          }
          parent = nil
          let cost = try cost(of: size) { try store.saveChanges() }
          try require(try store.count(Revision.self) == size, "wrong count")
          try store.close()
          return cost * 1000
        }),
      Cliff(
        id: "large", title: "a save of an object of n KiB", unit: "ns / KiB", largest: 600 << 10,
        measure: { path, size in
          let store = try Store(.directory(path), classes: [Recording.self])
          try store.insert(recording(size))
          let cost = try cost(of: size) { try store.saveChanges() }
          try store.close()
          return cost * 1000
        }),
      Cliff(
        id: "peak", title: "the memory while an object of n KiB is saved, in sizes of the object", unit: "ratio",
        largest: 600 << 10,
        measure: { path, size in
          let store = try Store(.directory(path), classes: [Recording.self])
          let before = try memory("VmRSS")
          try store.insert(recording(size))
          // Resets the peak of the resident memory (proc_pid_clear_refs(5)).
          try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
          try store.saveChanges()
          let peak = try memory("VmHWM")
          try store.close()
          return Double(peak - before) / Double(size)
        }),
      Cliff(
        id: "names", title: "reading n names of named buffers that do not exist", unit: "bytes each", largest: 500_000,
        measure: { path, size in
          let store = try Store(.directory(path), classes: [])
          try store.writeNamedBuffer("present") { $0.writeInt(1) }
          try store.saveChanges()
          let before = try memory("VmRSS")
          for number in 0..<size {
            try require(try store.readNamedBuffer("absent \(number)") { try $0.readInt() } == nil, "a wrong buffer")
          }
          let cost = Double(try memory("VmRSS") - before) * 1024 / Double(size)
          try store.close()
          return cost
        }),
    ]
  }

  private static func recording(_ kibibytes: Int) -> Recording {
    let recording = Recording()
    recording.samples = Data(repeating: 7, count: kibibytes << 10)
    return recording
  }

  /// Returns a size from `/proc/self/status` in KiB.
  private static func memory(_ field: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
    guard let number = line?.split(separator: " ").dropFirst().first ?? line?.split(separator: "\t").last,
      let value = Int(number.filter(\.isNumber))
    else { throw WrongResult("/proc/self/status has no \(field).") }
    return value
  }
}
