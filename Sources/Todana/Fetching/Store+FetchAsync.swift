// What waits for the disk without occupying the domain that the store lives in. The names differ from those of the
// synchronous calls: in an asynchronous function an overload would take the place of the synchronous one.
extension Store {
  /// All objects of a class, loaded, in the order of their row ids, read without blocking.
  ///
  /// As ``fetch(_:includingSubclasses:includingPending:onDamage:)``, but records are read on another thread, chunk by
  /// chunk, and made into objects in steps of about a millisecond between which the domain is free.
  ///
  /// ```swift
  /// let songs = try await store.all(Song.self)
  /// ```
  ///
  /// The saved objects are those of the commit at the call, with what is pending in this store at the call. Other tasks
  /// of the domain may use the store meanwhile: what they change shows in the objects, as there is one instance for each
  /// row; what they insert is not among the objects; what they delete is not, unless it was read before.
  ///
  /// - Throws: ``StoreError``; `CancellationError`, if the task was cancelled.
  public nonisolated(nonsending) func all<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) async throws -> [T] {
    let stream = try ObjectStream(
      of: type, in: self, includingSubclasses: includingSubclasses, includingPending: includingPending,
      onDamage: onDamage)
    var objects: [T] = []
    repeat {
      while let object = try stream.next() {
        // The stream's classes are T and subclasses of it.
        objects.append(unsafe unsafeDowncast(object, to: T.self))
      }
    } while try await stream.readOn()
    stream.order(&objects)
    return objects
  }

  /// The objects of a class, loaded, one after another, read without blocking; memory does not grow.
  ///
  /// ```swift
  /// for try await song in store.objects(Song.self) {
  ///   if song.seconds > 600 { break }
  /// }
  /// ```
  ///
  /// As ``forEach(_:includingSubclasses:includingPending:onDamage:_:)``, but records are read on another thread, chunk
  /// by chunk, and the body may await. The saved objects are those of the commit at the first step, with what is pending
  /// at the first step; pending inserts come last. Each pass over the sequence reads anew.
  ///
  /// The body, and other tasks of the domain while the sequence or the body waits, may insert, update, delete and save:
  /// what is inserted is not visited, and what is deleted is not visited any more. An object that nothing else holds is
  /// released at the step after it.
  ///
  /// The sequence is used in the store's domain. It throws ``StoreError``, and `CancellationError` if the task was
  /// cancelled.
  public func objects<T: StoredObject>(
    _ type: T.Type, includingSubclasses: Bool = false, includingPending: Bool = true, onDamage: DamagePolicy = .fail
  ) -> ObjectSequence<T> {
    ObjectSequence(
      store: self, includingSubclasses: includingSubclasses, includingPending: includingPending, onDamage: onDamage)
  }
}
