/// A save was refused whole, because other stores changed or deleted what it was to change.
///
/// Nothing was applied, and the pending changes stand. ``Store/refresh(keeping:)`` or ``Store/refresh(merging:)``
/// resolves it; then save again.
public struct SaveConflict: Error, Sendable, CustomStringConvertible {
  /// The objects whose records are no longer what they were read as.
  public let objectIDs: [AnyObjectID]
  /// The named buffers of which that is true.
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
    return "Another store changed \(parts.joined(separator: " and ")) since they were read; "
      + "resolve with refresh(keeping:) or refresh(merging:) and save again."
  }
}
