extension Archive {
  /// Makes a snapshot of what is in a tar stream, as if it had been unpacked and added.
  ///
  /// The stream may be pax, GNU's, ustar or older, also compressed with gzip, zstd, xz or bzip2, and have its entries in
  /// any order. Content is stored as it comes, equal content once; names and metadata are in memory until the end: of a
  /// file with a short name 130 to 200 bytes.
  ///
  /// - What comes later at a path takes the place of what was there, as `tar` has it. A file that is to be in a file, or at
  ///   the place of a directory with something in it, is left out and reported.
  /// - Paths are stored without a leading "/". What has ".." in its path, and names of files that are not there, are left
  ///   out and reported.
  /// - Directories that are not in the tar get permissions 0755, the owner of this process, and the newest time of what
  ///   came below them.
  /// - Rules of ``AddOptions/filter`` are relative to the top of the tar. Files `.todanaignore` and tags of caches have
  ///   no meaning here. Another name of a file that is left out is reported.
  /// - ``AddOptions/rescans`` has no meaning. With ``AddOptions/isDryRun`` the stream is read all the same.
  ///
  /// One thread reads, as many as there are cores name and compress, and the caller's stores. An interrupted call, or a
  /// stream that is damaged or cut off, leaves content that the next one need not store again, and no snapshot.
  ///
  /// - Parameters:
  ///   - descriptor: A file, a pipe or a socket; it stays open. Somewhat more may be read of it than the tar has.
  ///   - name: The path that the snapshot notes, such as that of the file.
  ///   - directory: A path in the snapshot that becomes the top of the tar; empty: that of the snapshot.
  ///   - options: The files that are left out, and how the others are stored.
  ///   - progress: Called a few times a second; throws to end it all.
  /// - Returns: The snapshot, and what was done; no snapshot where nothing of the tar could be read: an empty one would
  ///   pass for one that is not.
  /// - Throws: ``ArchiveError/Code/tar`` for what is no tar, is damaged, or has no end;
  ///   ``ArchiveError/Code/invalidArgument`` for a directory with ".." in its path; `StoreError`; what `progress` throws.
  public func importTar(
    from descriptor: CInt, name: [UInt8], into directory: [UInt8] = [], options: AddOptions = AddOptions(),
    progress: (AddProgress) throws -> Void = { _ in }
  ) throws -> Added {
    let top: TarPath
    do throws(TarPath.Refusal) {
      top = try TarPath(directory)
    } catch {
      throw ArchiveError(.invalidArgument, "“\(printable(directory))” cannot be in a snapshot: \(error.reason).")
    }
    let new = NewSnapshot(options, host: Self.host(options), paths: [name])
    return try makeSnapshot(new, options, progress) { builder, shared, _ in
      let reader = try TarReader(descriptor) { [pipeline = builder.pipeline] in pipeline.hasStopped }
      try TarImport(builder, options, shared, top: top).run(reader)
    }
  }
}
