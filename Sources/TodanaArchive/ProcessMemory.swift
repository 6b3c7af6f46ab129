internal import CFileSystem

/// Settings for the memory of the whole process, which a program may change and a library should not.
public enum ProcessMemory {
  /// Makes the C library return large allocations to the system when they are freed, from now on.
  ///
  /// By default, it may keep tens of megabytes for each thread.
  public static func returnFreedMemory() { tdf_return_freed_memory() }
}
