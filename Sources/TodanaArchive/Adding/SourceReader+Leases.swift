internal import Foundation
internal import Glibc

// Files under a lease, as Samba takes them on files that its clients have open (fcntl(2), "Leases").
extension SourceReader {
  /// Opens a regular file; of one under a lease, waits until its holder gives the lease back, or the kernel takes it.
  ///
  /// Opening without O_NONBLOCK would wait as well, but for ever if a FIFO has taken the file's place.
  ///
  /// - Throws: ``FileError``; that of the last attempt after the time that the holder has, and once the pipeline stops.
  func open(_ entry: FileEntry, in directory: SourceDirectory) throws(FileError) -> SourceFile {
    var end: ContinuousClock.Instant?
    while true {
      do throws(FileError) {
        return try directory.openFile(entry)
      } catch {
        guard error.errorNumber == EAGAIN, !builder.pipeline.hasStopped else { throw error }
        let now = ContinuousClock.now
        let limit = end ?? now + .seconds(Self.leaseBreakSeconds + 1)
        guard now < limit else { throw error }
        end = limit
      }
      usleep(10_000)
    }
  }

  /// Seconds that the holder of a lease has for giving it back, at most 120; 45 if the system does not say.
  private static var leaseBreakSeconds: Int {
    let text = (try? String(contentsOfFile: "/proc/sys/fs/lease-break-time", encoding: .utf8)) ?? ""
    guard let seconds = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)), seconds > 0 else { return 45 }
    return min(seconds, 120)
  }
}
