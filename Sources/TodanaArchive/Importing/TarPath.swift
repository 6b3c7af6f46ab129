/// A path of a tar as a snapshot has it: without what says that it is the top, without empty steps and ".".
struct TarPath: Sendable {
  /// Why a path cannot be in a snapshot.
  struct Refusal: Error {
    let reason: String
  }

  private static let slash = UInt8(ascii: "/")

  /// None: the top.
  let steps: [ArraySlice<UInt8>]

  /// - Throws: ``Refusal`` for a path that leads out, or that no file can have.
  init(_ path: [UInt8]) throws(Refusal) {
    steps = path.split(separator: Self.slash).filter { !$0.elementsEqual(CollectionOfOne(UInt8(ascii: "."))) }
    for step in steps where !FileName.isStep(Array(step)) {
      throw Refusal(
        reason: FileName.isDots(step)
          ? "its path has “..” in it"
          : "its path has a NUL in it, or a name of more than \(FileName.byteCountLimit) bytes")
    }
    guard steps.count < SnapshotWalk.levelLimit else { throw Refusal(reason: "its path has too many steps") }
  }

  /// With "/" between steps.
  var bytes: [UInt8] { Array(steps.joined(separator: [Self.slash])) }

  /// The same, where another path is the top.
  func bytes(below top: TarPath) -> [UInt8] { Array((top.steps + steps).joined(separator: [Self.slash])) }
}
