extension Archive {
  /// Makes a snapshot of the content of a tar stream, as if it had been unpacked and added.
  ///
  /// The stream may be pax, GNU, ustar or older, optionally compressed with gzip, zstd, xz or bzip2. Its entries may be
  /// in any order. Content is stored as it is read, and equal content only once. Names and metadata are held in memory
  /// until the end: 130 to 200 bytes for a file with a short name.
  ///
  /// - A later entry replaces an earlier one at the same path, as in `tar`. An entry is left out and reported if its
  ///   path leads through a file, or if it would replace a directory that is not empty.
  /// - Paths are stored without a leading "/". Entries with ".." in their path, and hard links to missing files, are
  ///   left out and reported.
  /// - Directories without an entry get permissions 0755, the owner of this process, and the newest time of the entries
  ///   below them.
  /// - Rules of ``AddOptions/filter`` are relative to the top of the tar. `.todanaignore` files and cache directory
  ///   tags have no effect. A hard link to a file that was left out is reported.
  /// - ``AddOptions/rescans`` has no effect. With ``AddOptions/isDryRun``, the stream is still read to its end.
  ///
  /// One thread reads, one thread for each core hashes and compresses, and the calling thread stores. There is no
  /// snapshot if the call is interrupted, or if the stream is damaged or truncated. The next call finds the content
  /// stored until then.
  ///
  /// - Parameters:
  ///   - descriptor: A file, a pipe or a socket, which stays open. Bytes after the end of the tar may be read from it.
  ///   - name: The path that is stored in the snapshot, such as the path of the file.
  ///   - directory: The directory in the snapshot that receives the content of the tar; empty for the top of the
  ///     snapshot.
  ///   - options: The rules that leave files out, and the way to store the others.
  ///   - progress: Called a few times a second; may throw to cancel.
  /// - Returns: The snapshot, and the final progress. There is no snapshot after a dry run, or if nothing of the tar
  ///   could be read.
  /// - Throws: ``ArchiveError/Code/tar`` if the stream is not a tar, is damaged, or has no end;
  ///   ``ArchiveError/Code/invalidArgument`` if `directory` cannot be in a snapshot, for example because of "..";
  ///   `StoreError`; errors of `progress`.
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
