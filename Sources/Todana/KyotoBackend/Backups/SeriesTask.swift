internal import CStorageEngine

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A task on a backup series (`tdn_series_task`); used by one thread at a time.
@safe
final class SeriesTask {
  struct Progress {
    var doneByteCount = 0
    var byteCount = 0
    var newByteCount = 0
    var backupCount = 0
    var isDone = false
  }

  private(set) var progress = Progress()
  private let pointer: OpaquePointer
  private let process = ProcessMark()

  init(_ open: (UnsafeMutablePointer<tdn_error>) -> OpaquePointer?) throws(BackendError) {
    var error = tdn_error()
    guard let opened = unsafe open(&error) else { throw unsafe BackendError(&error) }
    unsafe pointer = opened
  }

  deinit { if !process.isInChild { unsafe tdn_series_task_close(pointer) } }

  /// The backup that was made or restored, once the task is done.
  var info: BackupInfo {
    var info = tdn_backup_info()
    unsafe tdn_series_task_backup(pointer, &info)
    return BackupInfo(info)
  }

  /// Does one step, and returns the damaged parts that it found.
  func next() throws(BackendError) -> [BackupVerification.Damage] {
    var error = tdn_error()
    var damages: [BackupVerification.Damage] = []
    guard unsafe next(&damages, &error) else { throw unsafe BackendError(&error) }
    return damages
  }

  /// Does one step, adds the damaged parts that it found, and returns whether it succeeded.
  ///
  /// For callers that provide the memory for the error.
  func next(
    _ damages: inout [BackupVerification.Damage], _ error: UnsafeMutablePointer<tdn_error>
  ) -> Bool {
    var state = tdn_series_progress()
    let isDone = unsafe withUnsafeMutablePointer(to: &damages) { list in
      unsafe tdn_series_task_next(
        pointer, &state, list,
        { context, damage in
          // `context` points to the list, and is valid during the call.
          guard let list = unsafe context?.assumingMemoryBound(to: [BackupVerification.Damage].self) else { return }
          unsafe list.pointee.append(BackupVerification.Damage(damage.pointee))
        }, error)
    }
    guard isDone else { return false }
    progress = Progress(
      doneByteCount: Int(clamping: state.done_byte_count), byteCount: Int(clamping: state.byte_count),
      newByteCount: Int(clamping: state.new_byte_count), backupCount: Int(state.backup_count), isDone: state.done)
    return true
  }
}

extension SeriesTask {
  static func list(_ path: String) throws(BackendError) -> [BackupInfo] {
    try check(path)
    var error = tdn_error()
    var infos: [BackupInfo] = []
    let isDone = unsafe withUnsafeMutablePointer(to: &infos) { list in
      unsafe tdn_series_list(
        path, list,
        { context, info in
          // `context` points to the list, and is valid during the call.
          guard let list = unsafe context?.assumingMemoryBound(to: [BackupInfo].self) else { return }
          unsafe list.pointee.append(BackupInfo(info.pointee))
        }, &error)
    }
    guard isDone else { throw unsafe BackendError(&error) }
    return infos
  }

  static func verify(_ path: String, _ number: Int?) throws(BackendError) -> SeriesTask {
    try check(path)
    let number = try Self.number(number)
    return try unsafe SeriesTask { unsafe tdn_series_verify_open(path, number, $0) }
  }

  static func restore(_ path: String, _ number: Int?, to target: String) throws(BackendError) -> SeriesTask {
    try check(path)
    try check(target)
    let number = try Self.number(number)
    return try unsafe SeriesTask { unsafe tdn_series_restore_open(path, number, target, $0) }
  }

  static func prune(_ path: String, keeping count: Int) throws(BackendError) -> SeriesTask {
    try check(path)
    return try unsafe SeriesTask { unsafe tdn_series_prune_open(path, UInt64(max(count, 0)), $0) }
  }

  static func remove(_ path: String, _ number: Int) throws(BackendError) -> SeriesTask {
    try check(path)
    let number = try Self.number(number)
    return try unsafe SeriesTask { unsafe tdn_series_remove_open(path, number, $0) }
  }

  static func check(_ path: String) throws(BackendError) {
    guard !path.utf8.contains(0) else {
      throw BackendError(.invalidArgument, "The path contains a NUL character.")
    }
  }

  /// Returns the number of a backup for C, with 0 for nil.
  private static func number(_ number: Int?) throws(BackendError) -> UInt64 {
    guard let number else { return 0 }
    guard number > 0 else { throw BackendError(.notFound, "There is no backup \(number); numbers start at 1.") }
    return UInt64(number)
  }
}

extension BackupInfo {
  fileprivate init(_ info: tdn_backup_info) {
    self.init(
      number: Int(clamping: info.number), date: Date(timeIntervalSince1970: Double(info.milliseconds) / 1000),
      commitNumber: info.commit_number, storeID: StoreID(info.store_id), byteCount: Int(clamping: info.byte_count),
      newByteCount: Int(clamping: info.new_byte_count), isReadable: info.readable)
  }
}

extension BackupVerification.Damage {
  fileprivate init(_ damage: tdn_backup_damage) {
    var damage = damage
    let file = unsafe withUnsafeBytes(of: &damage.file) {
      unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    self.init(
      backupNumber: Int(clamping: damage.number), file: file.isEmpty ? nil : file,
      byteOffset: Int(clamping: damage.offset), byteCount: Int(clamping: damage.byte_count),
      storedIn: unsafe withUnsafeBytes(of: &damage.stored_in) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      })
  }
}
