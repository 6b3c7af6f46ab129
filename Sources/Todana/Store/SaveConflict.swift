/// The error of a save that was refused because other stores changed or deleted objects or named buffers that it
/// changes.
///
/// Nothing was applied, and the changes are still pending. ``Store/refresh(keeping:)`` or ``Store/refresh(merging:)``
/// resolves the conflict; then save again.
public struct SaveConflict: Error, Sendable, CustomStringConvertible {
  /// The objects whose records were changed or deleted since they were read.
  public let objectIDs: [AnyObjectID]
  /// The names of the named buffers that were changed or removed since they were read.
  public let bufferNames: [String]

  public init(objectIDs: [AnyObjectID], bufferNames: [String]) {
    self.objectIDs = objectIDs
    self.bufferNames = bufferNames
  }

  public var description: String {
    var parts: [String] = []
    if !objectIDs.isEmpty {
      parts.append("objects " + objectIDs.prefix(20).map(\.description).joined(separator: ", "))
    }
    if !bufferNames.isEmpty {
      parts.append("named buffers " + bufferNames.prefix(20).joined(separator: ", "))
    }
    return "Another store changed \(parts.joined(separator: " and ")) since they were read: "
      + "call refresh(keeping:) or refresh(merging:), and save again."
  }
}
