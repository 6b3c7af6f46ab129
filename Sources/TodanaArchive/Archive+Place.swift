extension Archive {
  /// The archive's own directory; nil if it cannot be read any more.
  var identity: FileIdentity? { try? SourceStart.open(Array(path.utf8)).identity }

  /// Whether a file at a path would be in the archive's own directory, or below it.
  ///
  /// Links in the directory of the path are followed. False if that directory cannot be opened.
  public func contains(path: [UInt8]) -> Bool {
    guard let archive = identity, var directory = try? SourceStart.open(SourceStart.split(path).above) else {
      return false
    }
    while directory.identity != archive {
      // The root is its own parent.
      guard let parent = try? directory.parent(), parent.identity != directory.identity else { return false }
      directory = parent
    }
    return true
  }

  /// Whether a directory, which need not be there yet, is the archive's own, or would be in it.
  func contains(directory: [UInt8]) -> Bool {
    var path = directory
    while (try? SourceStart.open(path)) == nil {
      let above = SourceStart.split(path).above
      guard above != path else { return false }
      path = above
    }
    return contains(path: path + Array("/entry".utf8))
  }
}
